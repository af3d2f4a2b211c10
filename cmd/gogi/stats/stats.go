// Package statscmd implements the commands that calculate from typed counts, tables and files
// of games: flags, files and exit codes. [Command] is the group stats. The calculation and its
// text are in packages report/calculator, report/ratings and report/regression.
package statscmd

// Command groups the verbs that reckon from counts given by hand; what
// their numbers mean is told in docs/statistics.md.
type Command struct {
	Interval    IntervalCommand    `cmd:"" help:"Between which win rates the truth lies, by each method."`
	Test        TestCommand        `cmd:"" help:"Whether one side is proven stronger, and how many wins would prove it."`
	SPRT        SPRTCommand        `cmd:"" name:"sprt" help:"The state of a sequential test."`
	Plan        PlanCommand        `cmd:"" help:"How many games a difference takes."`
	Elo         EloCommand         `cmd:"" help:"Convert between score, Elo and normalised Elo."`
	Forecast    ForecastCommand    `cmd:"" help:"Who wins a match of so many games, by a record."`
	Coverage    CoverageCommand    `cmd:"" help:"How often each method's interval holds the truth, as a table or a figure."`
	Adjust      AdjustCommand      `cmd:"" help:"What p values are worth, given how many there are."`
	Homogeneity HomogeneityCommand `cmd:"" help:"Whether several sources, such as machines, agree."`
	RankSum     RankSumCommand     `cmd:"" name:"ranksum" help:"Whether two groups of rows of a table differ (Wilcoxon)."`
	RMSE        RMSECommand        `cmd:"" name:"rmse" help:"How far predictions are from the truth."`
	Orders      OrdersCommand      `cmd:"" help:"Strengths and shares of points of games of more than two players."`
	AIC         AICCommand         `cmd:"" name:"aic" help:"Compare models by printed log-likelihoods."`
	Error       ErrorCommand       `cmd:"" help:"The standard error S of a win rate, with n − 3/2."`
}
