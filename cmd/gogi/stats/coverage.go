package statscmd

import (
	"gogi/cmd/gogi/cli"
	"gogi/report/calculator"
)

// CoverageCommand prints how often each method's interval holds the truth, or draws
// it.
type CoverageCommand struct {
	N          []int     `name:"n" default:"100" placeholder:"N" help:"Numbers of decisive games (default ${default})."`
	P          []float64 `name:"p" default:"0.5,0.6,0.7,0.8,0.9,0.95,0.99" placeholder:"P" help:"True win rates (default ${default})."`
	Confidence float64   `default:"0.95" help:"Nominal confidence level (default ${default})."`
	Method     string    `default:"all" help:"Method: all, clopper-pearson, blaker, midp, wilson, wilson-cc, jeffreys, wald, lfics or anytime (default ${default})."`
	Figure     string    `xor:"form" placeholder:"FILE" help:"SVG file for a figure instead of the table; - is standard output."`
	JSON       bool      `name:"json" xor:"form" help:"Print one JSON object."`
}

// Help is what the verb's --help says below its flags' summary.
func (*CoverageCommand) Help() string {
	return `The wilson column is the coverage in the figure of the LFICS paper: the probability that the
estimate is within 1.96 (2.58 with --confidence 0.99) standard deviations of the truth. For
the paper's curves over n, list the numbers of games: --n 10,20,50,100,200 --p 0.5,0.1,0.01.`
}

// Run prints the table, or writes the figure.
func (c *CoverageCommand) Run(env *cli.Env) error {
	question := calculator.CoverageQuestion{N: c.N, P: c.P, Confidence: c.Confidence, Method: c.Method}
	if c.Figure != "" {
		return cli.WriteForm("--figure", c.Figure, env.Out, question.Figure)
	}
	answer, err := question.Answer()
	return answered(env, c.JSON, answer, err)
}
