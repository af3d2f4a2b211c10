package statscmd

import (
	"errors"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/report/calculator"
	"gogi/stats"
)

// IntervalCommand prints intervals for a win rate or a score.
type IntervalCommand struct {
	Wins        *int    `placeholder:"W" help:"Number of wins."`
	Losses      *int    `placeholder:"L" help:"Number of losses."`
	Draws       int     `placeholder:"D" help:"Number of draws."`
	Pentanomial string  `placeholder:"LL,LD,MID,WD,WW" help:"Numbers of pairs by result; MID is a win and a loss, or two draws. With --wins and --losses: the pairs of these games."`
	DrawMode    string  `enum:"drop,half,floor" default:"drop" help:"Treatment of draws in games: dropped, half a win each, or half of them (rounded down) wins [floor: --all or --method lfics] (default ${default})."`
	Confidence  float64 `default:"0.95" help:"Confidence level (default ${default})."`
	All         bool    `xor:"which" help:"Print every method (default: clopper-pearson, gaffke for pairs, and anytime)."`
	Method      string  `xor:"which" placeholder:"NAME" help:"Method: clopper-pearson, blaker, midp, wilson, wilson-cc, jeffreys, wald, lfics, gaffke or anytime."`
	JSON        bool    `name:"json" help:"Print one JSON object."`
}

// Run prints the intervals that were asked for.
func (c *IntervalCommand) Run(env *cli.Env) error {
	question := calculator.IntervalQuestion{Pentanomial: c.Pentanomial, DrawMode: c.DrawMode, Confidence: c.Confidence, Method: c.Method}
	if c.All {
		question.Method = "all"
	}
	if (c.Wins == nil) != (c.Losses == nil) || c.Wins == nil && c.Draws != 0 {
		return fail.Usage(errors.New("--wins, --losses, --draws: one is missing; expected --wins W and --losses L"))
	}
	if c.Wins != nil && c.Losses != nil {
		question.Counts = &stats.WDL{Wins: *c.Wins, Draws: c.Draws, Losses: *c.Losses}
	}
	answer, err := question.Answer()
	return answered(env, c.JSON, answer, err)
}

// TestCommand prints exact binomial tests and the wins that they need.
type TestCommand struct {
	Wins   *int      `placeholder:"W" help:"Number of wins."`
	Losses *int      `placeholder:"L" help:"Number of losses."`
	Games  *int      `placeholder:"N" help:"Number of decisive games, to print how many wins are significant."`
	Alpha  []float64 `default:"0.05,0.01" help:"Significance levels (default ${default})."`
	JSON   bool      `name:"json" help:"Print one JSON object."`
}

// Run prints the test, if there are results, and the critical wins.
func (c *TestCommand) Run(env *cli.Env) error {
	answer, err := calculator.TestQuestion{Wins: c.Wins, Losses: c.Losses, Games: c.Games, Alpha: c.Alpha}.Answer()
	return answered(env, c.JSON, answer, err)
}

// EloCommand converts a score or an Elo difference.
type EloCommand struct {
	Score *float64 `xor:"from" required:"" placeholder:"S" help:"Expected score, from 0 to 1."`
	Elo   *eloFlag `xor:"from" required:"" placeholder:"E" help:"Elo difference."`
	Draws float64  `placeholder:"RATE" help:"Draw rate, from 0 to 1, for normalised Elo."`
	JSON  bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the three numbers.
func (c *EloCommand) Run(env *cli.Env) error {
	answer, err := calculator.EloQuestion{Score: c.Score, Elo: (*float64)(c.Elo), Draws: c.Draws}.Answer()
	return answered(env, c.JSON, answer, err)
}

// ForecastCommand prints who wins a match of so many games.
type ForecastCommand struct {
	Wins       int     `required:"" placeholder:"W" help:"Number of past wins."`
	Losses     int     `required:"" placeholder:"L" help:"Number of past losses."`
	Draws      int     `placeholder:"D" help:"Number of past draws."`
	Games      []int   `required:"" placeholder:"N" help:"Number of games of the match; may be a list."`
	Confidence float64 `default:"0.95" help:"Confidence level (default ${default})."`
	JSON       bool    `name:"json" help:"Print one JSON object."`
}

// Run prints the chances.
func (c *ForecastCommand) Run(env *cli.Env) error {
	record := stats.WDL{Wins: c.Wins, Draws: c.Draws, Losses: c.Losses}
	answer, err := calculator.ForecastQuestion{Record: record, Games: c.Games, Confidence: c.Confidence}.Answer()
	return answered(env, c.JSON, answer, err)
}

// AdjustCommand adjusts p values for how many there are.
type AdjustCommand struct {
	P      []float64 `name:"p" required:"" placeholder:"P" help:"p values."`
	Method string    `enum:"holm,bonferroni,hochberg,hommel,bh,by" default:"holm" help:"Method: holm, bonferroni, hochberg, hommel, bh (Benjamini and Hochberg) or by (Benjamini and Yekutieli) (default ${default})."`
	Alpha  float64   `default:"0.05" help:"Significance level (default ${default})."`
	JSON   bool      `name:"json" help:"Print one JSON object."`
}

// Run prints the p values beside what they are worth.
func (c *AdjustCommand) Run(env *cli.Env) error {
	answer, err := calculator.AdjustQuestion{P: c.P, Method: c.Method, Alpha: c.Alpha}.Answer()
	return answered(env, c.JSON, answer, err)
}

// HomogeneityCommand tests whether sources agree.
type HomogeneityCommand struct {
	Counts []string `sep:"none" required:"" placeholder:"W,D,L" help:"Results of one source, such as a machine; give the flag once for each source."`
	Alpha  float64  `default:"0.05" help:"Probability that any source is reported by chance (default ${default})."`
	JSON   bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the test and what stands out.
func (c *HomogeneityCommand) Run(env *cli.Env) error {
	answer, err := calculator.HomogeneityQuestion{Counts: c.Counts, Alpha: c.Alpha}.Answer()
	return answered(env, c.JSON, answer, err)
}
