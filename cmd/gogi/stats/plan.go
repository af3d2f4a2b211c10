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

// PlanCommand prints how many games a difference takes.
type PlanCommand struct {
	Elo         eloFlag       `required:"" placeholder:"E" help:"True Elo difference."`
	Alpha       float64       `default:"0.05" help:"Probability of a false positive (default ${default})."`
	Power       float64       `default:"0.95" help:"Probability to detect the difference; 1 - beta of an SPRT (default ${default})."`
	OneSided    bool          `help:"Plan a one-sided test (gogi report uses a two-sided one)."`
	Unpaired    bool          `help:"Plan games without colour swap and with different openings, for the exact binomial test."`
	From        string        `placeholder:"RUN" xor:"draws,correlation" help:"Run that gives the draw rate and the correlation within pairs."`
	DB          string        `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of that run [--from]."`
	Draws       *float64      `xor:"draws" placeholder:"RATE" help:"Draw rate, from 0 to 1 (default 0.03)."`
	Correlation *signedFlag   `xor:"correlation" placeholder:"R" help:"Correlation between the two games of a pair (default 0)."`
	SPRT        *sprtFlag     `name:"sprt" placeholder:"0,4" help:"Also plan an SPRT, in any form of gogi match --sprt."`
	Boundary    string        `enum:"ratio,bounded,wald" default:"ratio" help:"Stopping boundary: ratio (as gogi gate), bounded or wald (as fishtest) [--sprt] (default ${default})."`
	MaxGames    *int          `placeholder:"N" help:"Maximum number of games of the SPRT (default: none) [--sprt]."`
	Games       *int          `placeholder:"N" help:"Also print the difference that this number of games detects."`
	Speed       *float64      `name:"games-per-hour" xor:"speed" placeholder:"R" help:"Speed of play, to print hours."`
	Length      time.Duration `name:"game-length" xor:"speed" placeholder:"DUR" help:"Duration of a game, such as 2m, to print hours."`
	AtATime     int           `name:"concurrency" default:"1" placeholder:"N" help:"Number of games at a time [--game-length] (default ${default})."`
	JSON        bool          `name:"json" help:"Print one JSON object."`
}

// Run prints the plans.
func (c *PlanCommand) Run(ctx context.Context, env *cli.Env) error {
	conditions, err := c.conditions(ctx)
	if err == nil {
		err = c.setSpeed()
	}
	if err != nil {
		return err
	}
	question := calculator.PlanQuestion{
		Elo: float64(c.Elo), Alpha: c.Alpha, Power: c.Power, OneSided: c.OneSided, Unpaired: c.Unpaired, Conditions: conditions,
		Boundary: c.Boundary, Most: c.MaxGames, Games: c.Games, PerHour: c.Speed,
	}
	if c.SPRT != nil {
		question.SPRT = &c.SPRT.SPRT
	}
	answer, err := question.Answer()
	return answered(env, c.JSON, answer, err)
}

// setSpeed makes the speed of the length of a game.
func (c *PlanCommand) setSpeed() error {
	if c.Length < 0 || c.AtATime < 1 {
		return fail.Usage(errors.New("--game-length and --concurrency: expected a duration, and at least one game at a time"))
	}
	if c.Length > 0 {
		speed := calculator.PerHour(c.Length, c.AtATime)
		c.Speed = &speed
	}
	return nil
}

// conditions are those of the flags, of a run, or typical ones.
func (c *PlanCommand) conditions(ctx context.Context) (calculator.Conditions, error) {
	if c.From != "" {
		return c.played(ctx)
	}
	conditions := calculator.Typical()
	if c.Draws != nil {
		conditions.DrawRate, conditions.Source = *c.Draws, "given"
	}
	if c.Correlation != nil {
		conditions.Correlation, conditions.Source = float64(*c.Correlation), "given"
	}
	return conditions, nil
}

// played are the conditions of the run.
func (c *PlanCommand) played(ctx context.Context) (conditions calculator.Conditions, err error) {
	source := cli.Stored{Name: c.From, DB: c.DB}
	err = source.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		if len(info.Players) != 2 {
			return fmt.Errorf("--from %s: a run of %d players: expected one of two", c.From, len(info.Players))
		}
		var tally stats.Tally
		var series stats.Series // knows which pairs only repeat others
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
