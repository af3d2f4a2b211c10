package dbverbs

import (
	"context"

	"gogi/internal/foreign"
	"gogi/internal/verb"
	"gogi/results"
	"gogi/results/dump"
)

// DumpCommand prints a run in a fixed order.
type DumpCommand struct {
	verb.Stored
	Stable bool `help:"Leave out times, slots and attempts: what two equal runs of deterministic engines have in common."`
}

// Run prints the dump.
func (c *DumpCommand) Run(ctx context.Context, env *verb.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return dump.Write(ctx, store, foreign.Raw(env.Out), info.Name, c.Stable)
	})
}
