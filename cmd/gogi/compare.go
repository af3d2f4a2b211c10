package main

import (
	"context"
	"errors"

	"gogi/archive"
	"gogi/internal/format"
	"gogi/internal/verb"
	"gogi/results"
)

// compareCommand holds runs against one opponent against each other.
type compareCommand struct {
	Runs     []string `arg:"" name:"run" help:"Two runs or more of versions against one opponent, the oldest version first."`
	DB       string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	Opponent string   `placeholder:"NAME" help:"Who the versions played against, by its name in the first run (default: that run's second player)."`
	JSON     bool     `name:"json" help:"One JSON object."`
}

// Run prints the difference of two runs, or the trend of more.
func (c *compareCommand) Run(ctx context.Context, env *verb.Env) error {
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	rep, err := archive.Compare(ctx, store, c.Runs, c.Opponent)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, rep)
	}
	rep.Print(env.Out, env.Tongue)
	return nil
}
