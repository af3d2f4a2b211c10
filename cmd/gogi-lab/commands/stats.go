package labcmd

import (
	"gogi/cmd/gogi/cli"
	statscmd "gogi/cmd/gogi/stats"
	"gogi/lab/counts"
)

// StatsCommand is the group stats, whose only group is lab.
type StatsCommand struct {
	Lab LabCommand `cmd:"" help:"Regression, rank sums, coverage, …"`
}

// LabCommand groups calculations for researchers, which libraries of R and Python also offer.
type LabCommand struct {
	Coverage CoverageCommand `cmd:"" help:"Calculate how often each interval covers the true value"`
	Adjust   statscmd.Question[counts.AdjustQuestion,
		*counts.Adjustments] `cmd:"" help:"Adjust p values for multiple testing"`
	Homogeneity statscmd.Question[counts.HomogeneityQuestion,
		*counts.Homogeneities] `cmd:"" help:"Test whether several sources, such as machines, agree"`
	RankSum RankSumCommand `cmd:"" name:"ranksum" help:"Compare two groups of rows of a table (Wilcoxon)"`
	RMSE    RMSECommand    `cmd:"" name:"rmse" help:"Calculate the root mean square error of predictions"`
	Orders  OrdersCommand  `cmd:"" help:"Rate the players of games of more than two players"`
	AIC     AICCommand     `cmd:"" name:"aic" help:"Compare models by their log-likelihoods"`
	Regress RegressCommand `cmd:"" help:"Fit a regression of a table's column on other columns"`
}

// CoverageCommand prints how often the interval of each method contains the true value.
type CoverageCommand struct {
	counts.CoverageQuestion
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help returns the text below the usage line of --help.
func (*CoverageCommand) Help() string {
	return `The wilson column is the coverage in the figure of the LFICS paper: the probability that the
estimate is within 1.96 (2.58 with --confidence 0.99) standard deviations of the truth. For
the paper's curves over n, list the numbers of games: --n 10,20,50,100,200 --p 0.5,0.1,0.01.`
}

// Run prints the table.
func (c *CoverageCommand) Run(env *cli.Env) error {
	answer, err := c.Answer()
	return env.Answer(c.JSON, answer, err)
}
