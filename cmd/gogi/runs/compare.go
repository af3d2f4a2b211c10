package runscmd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/report/compare"
	"gogi/report/effects"
	"gogi/report/stored"
	"gogi/results"
)

// CompareCommand compares runs of several versions against one opponent.
type CompareCommand struct {
	Runs []string `arg:"" optional:"" name:"run" help:"Runs of two or more versions against one opponent, the oldest version first. With --breakdown: one run (default: the only one, else the newest)."`
	cli.Database
	Opponent string   `placeholder:"NAME" help:"Opponent of the versions, by its name in the first run (default: the second player of that run)."`
	NotWorse *float64 `name:"not-worse" placeholder:"ELO" help:"Test that each newer version is at most this many Elo worse; exit code 0 (yes), 10 (no) or 11 (undecided)."`

	Breakdown bool `help:"Show where the difference between the two players of one run comes from: openings, colour, ponder hits."`
	JSON      bool `name:"json" help:"Print one JSON object."`
}

// Run prints, for each run, the Elo difference from the run before it.
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
	var rep *compare.Report
	err := c.Read(ctx, func(store *results.Store) (err error) {
		rep, err = stored.Compare(ctx, store, c.Runs, c.Opponent, margin)
		return err
	})
	if err = env.Answer(c.JSON, rep, err); err != nil || c.NotWorse == nil {
		return err
	}
	switch rep.Verdict() {
	case compare.ShownNotWorse:
		return nil
	case compare.ShownWorse:
		return &cli.Exit{Code: cli.GateFailed}
	case compare.Undecided:
	}
	return &cli.Exit{Code: cli.GateOpen}
}

// breakdown prints where the difference between the run's first two players comes from.
func (c *CompareCommand) breakdown(ctx context.Context, env *cli.Env) error {
	if len(c.Runs) > 1 || c.Opponent != "" || c.NotWorse != nil {
		return fail.Usage(errors.New("--breakdown: it takes at most one run, and neither --opponent nor --not-worse; leave them out"))
	}
	of := cli.Stored{Database: c.Database}
	if len(c.Runs) == 1 {
		of.Name = c.Runs[0]
	}
	var t *effects.Table
	err := of.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		end, err := stored.ReadEnd(ctx, store, info)
		if err == nil {
			t, err = stored.Effects(ctx, store, info, end)
		}
		return err
	})
	return env.Answer(c.JSON, t, err)
}
