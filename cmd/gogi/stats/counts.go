package statscmd

import (
	"errors"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/report/calculator"
	"gogi/stats"
)

// A Question is a command that calculates an answer. Its flags are the fields of Q, the input of the calculation.
type Question[Q interface{ Answer() (A, error) }, A cli.Printer] struct {
	Question Q    `embed:""`
	JSON     bool `name:"json" help:"Print one JSON object."`
}

// Run calculates the answer and prints it, as text or with --json as JSON.
func (c *Question[Q, A]) Run(env *cli.Env) error {
	answer, err := c.Question.Answer()
	return env.Answer(c.JSON, answer, err)
}

// IntervalCommand prints intervals for a win rate or a score.
type IntervalCommand struct {
	Wins   *int `placeholder:"W" help:"Number of wins."`
	Losses *int `placeholder:"L" help:"Number of losses."`
	Draws  int  `placeholder:"D" help:"Number of draws."`
	calculator.IntervalQuestion
	All  bool `xor:"which" help:"Print the intervals of all methods (default: clopper-pearson, gaffke for pairs, and anytime)."`
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the selected intervals.
func (c *IntervalCommand) Run(env *cli.Env) error {
	if c.All {
		c.Method = "all"
	}
	if (c.Wins == nil) != (c.Losses == nil) || c.Wins == nil && c.Draws != 0 {
		return fail.Usage(errors.New("--wins, --losses, --draws: one is missing; expected --wins W and --losses L"))
	}
	if c.Wins != nil && c.Losses != nil {
		c.Counts = &stats.WDL{Wins: *c.Wins, Draws: c.Draws, Losses: *c.Losses}
	}
	answer, err := c.Answer()
	return env.Answer(c.JSON, answer, err)
}

// ForecastCommand predicts the result of a match.
type ForecastCommand struct {
	Wins       int     `required:"" placeholder:"W" help:"Number of wins so far."`
	Losses     int     `required:"" placeholder:"L" help:"Number of losses so far."`
	Draws      int     `placeholder:"D" help:"Number of draws so far."`
	Games      []int   `required:"" placeholder:"N" help:"Number of games of the match; may be a list."`
	Confidence float64 `default:"0.95" help:"Confidence level (default ${default})."`
	JSON       bool    `name:"json" help:"Print one JSON object."`
}

// Run prints the predicted probabilities of the match's results.
func (c *ForecastCommand) Run(env *cli.Env) error {
	record := stats.WDL{Wins: c.Wins, Draws: c.Draws, Losses: c.Losses}
	answer, err := calculator.ForecastQuestion{Record: record, Games: c.Games, Confidence: c.Confidence}.Answer()
	return env.Answer(c.JSON, answer, err)
}
