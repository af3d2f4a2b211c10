package main

import (
	"context"

	"gogi/results"
)

// dumpCommand prints a run in a fixed order.
type dumpCommand struct {
	stored
	Stable bool `help:"Leave out times, slots and attempts: what two equal runs of deterministic engines have in common."`
}

// Run prints the dump.
func (c *dumpCommand) Run(ctx context.Context, env *environment) error {
	return c.with(ctx, func(store *results.Store, info *results.RunInfo) error {
		return store.Dump(ctx, env.out, info.Name, c.Stable)
	})
}
