package runscmd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/report/compare"
	"gogi/report/effects"
	"gogi/report/stored"
	"gogi/results"
)

// CompareCommand holds runs against one opponent against each other.
type CompareCommand struct {
	Runs     []string `arg:"" optional:"" name:"run" help:"Runs of two or more versions against one opponent, the oldest version first. With --breakdown: one run (default: the only one, else the newest)."`
	DB       string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	Opponent string   `placeholder:"NAME" help:"Opponent of the versions, by its name in the first run (default: the second player of that run)."`
	NotWorse *float64 `name:"not-worse" placeholder:"ELO" help:"Test that each newer version is at most this many Elo worse; exit code 0 (yes), 10 (no) or 11 (undecided)."`

	Breakdown bool `help:"Show where the difference between the two players of one run comes from: openings, colour, time, length."`
	JSON      bool `name:"json" help:"Print one JSON object."`
}

// Run prints the difference of two runs, or the trend of more.
func (c *CompareCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Breakdown {
		return c.breakdown(ctx, env)
	}
	if len(c.Runs) == 0 {
		return fail.Usage(errors.New("gogi compare: expected two or more runs; gogi runs lists them"))
	}
	margin := 0.0
	if c.NotWorse != nil {
		if margin = *c.NotWorse; !(margin > 0) || math.IsInf(margin, 1) {
			return fail.Usage(fmt.Errorf("--not-worse: %v is no margin; give the Elo as a positive number", margin))
		}
	}
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	rep, err := stored.Compare(ctx, store, c.Runs, c.Opponent, margin)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	if !c.JSON {
		rep.Print(env.Out, env.Language)
	} else if err := format.JSON(env.Out, rep); err != nil {
		return err
	}
	if c.NotWorse == nil {
		return nil
	}
	return notWorseExit(rep.Verdict())
}

// notWorseExit is the exit code of an answer about a margin.
func notWorseExit(v compare.Verdict) error {
	switch v {
	case compare.ShownNotWorse:
		return nil
	case compare.ShownWorse:
		return &cli.Exit{Code: cli.GateFailed}
	case compare.Undecided:
	}
	return &cli.Exit{Code: cli.GateOpen}
}

// breakdown prints the sources of the difference between the run's first two players.
func (c *CompareCommand) breakdown(ctx context.Context, env *cli.Env) error {
	if len(c.Runs) > 1 || c.Opponent != "" || c.NotWorse != nil {
		return fail.Usage(errors.New("--breakdown: it takes at most one run, and neither --opponent nor --not-worse; leave them out"))
	}
	of := cli.Stored{DB: c.DB}
	if len(c.Runs) == 1 {
		of.Name = c.Runs[0]
	}
	var t *effects.Table
	err := of.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		rep, err := stored.Report(ctx, store, info.Name)
		if err == nil {
			t, err = stored.Effects(ctx, store, info, rep)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return format.JSON(env.Out, t)
	}
	t.Print(env.Out, env.Language)
	return nil
}
