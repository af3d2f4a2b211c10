package runscmd

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/report/ratings"
	"gogi/stats/binomial"
	"gogi/stats/rating"
	"gogi/stats/rating/newton"
)

// RateCommand rates the players of files of games, or of runs.
type RateCommand struct {
	Sources    []string `arg:"" optional:"" name:"games" help:"Game files (*.csv), or names of runs (default: the newest)."`
	DB         string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	Model      string   `enum:"bt,order,add1,add2,add3,mul1,mul2,mul3,linear,free,free+order,all" default:"all" help:"Model: bt (Bradley-Terry), order (with first-player advantage), add1 to mul3, linear, free, free+order (with handicaps), or all (compare them and choose) (default ${default})."`
	Draws      string   `enum:"auto,davidson,rao-kupper,half" default:"auto" help:"Model of draws: davidson, rao-kupper, half (half a win for both) or auto (davidson if even games were drawn, else half)."`
	Prior      string   `default:"none" placeholder:"KIND=N" help:"Prior of the ratings: gaussian=ELO (standard deviation), draws=N (virtual draws between every two players) or none."`
	Confidence float64  `default:"0.95" help:"Confidence level of the intervals (default ${default})."`
	Predict    []string `sep:"none" placeholder:"A,B[,HANDICAP]" help:"Predict the result of A against B, with a handicap (a number, or a name such as two-piece) or as Black; may be repeated."`
	Pairwise   bool     `help:"Compare every two players, with p values adjusted by Holm's method."`
	Iterates   int      `placeholder:"N" help:"Number of steps of the MM algorithm to show."`
	Bootstrap  int      `placeholder:"N" help:"Number of bootstrap simulations for the intervals and the test of the model (default: for the test only, as many as needed)."`
	Anchor     string   `placeholder:"NAME[=ELO]" help:"Player with rating 0; ratings are differences from it (default: the mean is 0)."`
	Seed       uint64   `default:"1" help:"Seed of the simulations (default ${default})."`
	JSON       bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the ratings.
func (c *RateCommand) Run(ctx context.Context, env *cli.Env) error {
	prior, err := parsePrior(c.Prior)
	if err == nil {
		err = c.check()
	}
	anchor, wrong := ratings.ParseAnchor(c.Anchor)
	err = errors.Join(err, wrong)
	var matchups []ratings.Matchup
	for _, text := range c.Predict {
		m, wrong := ratings.ParseMatchup(text)
		err = errors.Join(err, wrong)
		matchups = append(matchups, m)
	}
	if err != nil {
		return fail.Usage(err)
	}
	// Few and large tables of numbers: collecting often costs nothing, and halves the memory.
	defer debug.SetGCPercent(debug.SetGCPercent(15))
	games, err := readGames(ctx, c.Sources, c.DB)
	if err != nil {
		return err
	}
	r, err := ratings.Rate(games, ratings.Options{
		Model: c.Model, Draws: c.Draws, Prior: prior, Confidence: c.Confidence, Bootstrap: c.Bootstrap, Seed: c.Seed,
		Predict: matchups, Pairwise: c.Pairwise, Iterates: c.Iterates, Anchor: anchor,
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, r)
	}
	r.Print(env.Out, env.Language)
	return nil
}

func (c *RateCommand) check() error {
	switch {
	case !(c.Confidence > 0 && c.Confidence < 1):
		return fmt.Errorf("--confidence %g: expected a number between 0 and 1, such as 0.95", c.Confidence)
	case c.Iterates < 0 || c.Iterates > 10_000:
		return fmt.Errorf("--iterates %d: expected a number from 1 to 10000", c.Iterates)
	case c.Bootstrap < 0 || c.Bootstrap == 1 || c.Bootstrap > newton.MaxSamples:
		return fmt.Errorf("--bootstrap %d: expected a number from 2 to %d, such as 1000", c.Bootstrap, newton.MaxSamples)
	}
	return nil
}

// parsePrior reads --prior.
func parsePrior(text string) (rating.Prior, error) {
	kind, number, _ := strings.Cut(text, "=")
	if kind == "none" && number == "" {
		return rating.Prior{}, nil
	}
	v, err := strconv.ParseFloat(number, 64)
	if err == nil && v > 0 && v <= 1e6 {
		switch kind {
		case "gaussian":
			return rating.Prior{SD: v / binomial.EloPerNat}, nil
		case "draws":
			return rating.Prior{VirtualDraws: v}, nil
		}
	}
	return rating.Prior{}, fmt.Errorf("--prior %s: expected none, gaussian=ELO such as gaussian=300, or draws=N such as draws=1", text)
}
