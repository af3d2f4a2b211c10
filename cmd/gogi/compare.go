package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/report/compare"
	"gogi/report/stored"
	"gogi/results"
)

// compareCommand holds runs against one opponent against each other.
type compareCommand struct {
	Runs     []string `arg:"" name:"run" help:"Two runs or more of versions against one opponent, the oldest version first."`
	DB       string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	Opponent string   `placeholder:"NAME" help:"Who the versions played against, by its name in the first run (default: that run's second player)."`
	NotWorse *float64 `name:"not-worse" placeholder:"ELO" help:"Test that each newer version is not worse than the older one by so many Elo: exit code 0 (shown), 10 (shown to be worse) or 11 (not decided)."`
	JSON     bool     `name:"json" help:"One JSON object."`
}

// Run prints the difference of two runs, or the trend of more.
func (c *compareCommand) Run(ctx context.Context, env *cli.Env) error {
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
		rep.Print(env.Out, env.Tongue)
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
