package main

import (
	"context"

	"gogi/archive"
	"gogi/effects"
	"gogi/internal/format"
	"gogi/internal/verb"
	"gogi/results"
)

// eloWhereCommand says where the difference between two players comes from.
type eloWhereCommand struct {
	verb.Stored
	JSON bool `name:"json" help:"One JSON object."`
}

// Run prints the table of the run's first two players.
func (c *eloWhereCommand) Run(ctx context.Context, env *verb.Env) error {
	var t *effects.Table
	err := c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		rep, err := archive.Report(ctx, store, info.Name)
		if err == nil {
			t, err = archive.Effects(ctx, store, info, rep)
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
