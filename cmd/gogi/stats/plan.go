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
	Elo         eloFlag       `required:"" placeholder:"E" help:"The true difference, in Elo of the score of all games."`
	Alpha       float64       `default:"0.05" help:"The probability of a false alarm."`
	Power       float64       `default:"0.95" help:"The probability to find the difference; 1 - beta of a sequential test."`
	OneSided    bool          `help:"Look for a difference on that side alone; a verdict of gogi report looks on both."`
	Unpaired    bool          `help:"Plan games without colour swap, each from an opening of its own, by the exact binomial test."`
	From        string        `placeholder:"RUN" xor:"draws,correlation" help:"Take the draw rate, and the correlation between the games of a pair, from this run."`
	DB          string        `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of that run."`
	Draws       *float64      `xor:"draws" placeholder:"RATE" help:"The share of games that are drawn (default: 0.03, typical)."`
	Correlation *signedFlag   `xor:"correlation" placeholder:"R" help:"The correlation between the scores of a pair's games (default: 0, typical)."`
	SPRT        *sprtFlag     `name:"sprt" placeholder:"0,4" help:"Plan a sequential test of these hypotheses, too: all forms of gogi match --sprt."`
	Boundary    string        `enum:"ratio,bounded,wald" default:"ratio" help:"Where that stops: ratio (as gogi gate does), bounded (a gate's other one), wald (as fishtest does)."`
	MaxGames    *int          `placeholder:"N" help:"Games after which that is given up (default: never)."`
	Games       *int          `placeholder:"N" help:"Also say which difference so many games find."`
	Speed       *float64      `name:"games-per-hour" xor:"speed" placeholder:"R" help:"How fast games are played, to print hours."`
	Length      time.Duration `name:"game-length" xor:"speed" placeholder:"DUR" help:"How long a game takes, such as 2m, to print hours."`
	AtATime     int           `name:"concurrency" default:"1" placeholder:"N" help:"How many games of that length are played at a time."`
	JSON        bool          `name:"json" help:"One JSON object."`
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
