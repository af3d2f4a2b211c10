package main

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/report/effects"
	"gogi/report/stored"
	"gogi/results"
)

// eloWhereCommand says where the difference between two players comes from.
type eloWhereCommand struct {
	cli.Stored
	JSON bool `name:"json" help:"One JSON object."`
}

// Run prints the table of the run's first two players.
func (c *eloWhereCommand) Run(ctx context.Context, env *cli.Env) error {
	var t *effects.Table
	err := c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
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
	t.Print(env.Out, env.Tongue)
	return nil
}
