package statscmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/match/gate"
	"gogi/report/calculator"
	"gogi/results"
	"gogi/stats"
)

// PlanCommand prints how many games detect an Elo difference.
type PlanCommand struct {
	calculator.PlanQuestion
	From        string        `placeholder:"RUN" xor:"draws,correlation" help:"Stored run from which gogi takes the draw rate and the correlation within pairs."`
	DB          string        `name:"db" default:"gogi.db" placeholder:"FILE" help:"With --from: database of the stored run."`
	Draws       *float64      `xor:"draws" placeholder:"RATE" help:"Draw rate, from 0 to 1 (default 0.03)."`
	Correlation *float64      `xor:"correlation" type:"signed" placeholder:"R" help:"Correlation between the two games of a pair (default 0)."`
	Length      time.Duration `name:"game-length" xor:"speed" placeholder:"DUR" help:"Duration of a game, such as 2m; gogi then prints how many hours the games take."`
	AtATime     int           `name:"concurrency" default:"1" placeholder:"N" help:"With --game-length: number of games at a time (default ${default})."`
	JSON        bool          `name:"json" help:"Print one JSON object."`
}

// Run prints the number of games for a fixed-length test, and for an SPRT if the flags request one.
func (c *PlanCommand) Run(ctx context.Context, env *cli.Env) (err error) {
	if c.Length < 0 || c.AtATime < 1 {
		return fail.Usage(errors.New("--game-length and --concurrency: expected a duration, and at least one game at a time"))
	}
	if c.Length > 0 {
		c.PerHour = new(calculator.PerHour(c.Length, c.AtATime))
	}
	if c.Conditions, err = c.conditions(ctx); err != nil {
		return err
	}
	answer, err := c.Answer()
	return env.Answer(c.JSON, answer, err)
}

// conditions returns the draw rate and the correlation within pairs: from the flags, from a run, or typical
// values.
func (c *PlanCommand) conditions(ctx context.Context) (calculator.Conditions, error) {
	if c.From != "" {
		return c.played(ctx)
	}
	conditions := calculator.Typical()
	if c.Draws != nil {
		conditions.DrawRate, conditions.Source = *c.Draws, "given"
	}
	if c.Correlation != nil {
		conditions.Correlation, conditions.Source = *c.Correlation, "given"
	}
	return conditions, nil
}

func (c *PlanCommand) played(ctx context.Context) (conditions calculator.Conditions, err error) {
	source := cli.Stored{Name: c.From, Database: cli.Database{DB: c.DB}}
	err = source.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		if len(info.Players) != 2 {
			return fmt.Errorf("--from %s: a run of %d players: expected one of two", c.From, len(info.Players))
		}
		var tally stats.Tally
		var series stats.Series // detects pairs that repeat others
		err := store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
			play := gate.OfRows(rows)
			repeats, err := series.Add(play)
			if err == nil && !repeats {
				err = tally.Add(play.Pair)
			}
			return err
		})
		if err == nil {
			conditions, err = calculator.Played(info.Name, &tally)
		}
		return err
	})
	return conditions, err
}
