package dbcmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
	"gogi/results"
	"gogi/results/dump"
)

// DumpCommand prints all data of a run in a fixed order.
type DumpCommand struct {
	cli.Stored
	Stable bool `help:"Leave out times, slots and failed attempts, so that two runs of deterministic engines have equal dumps."`
}

// Run prints the dump.
func (c *DumpCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return dump.Write(ctx, store, sanitize.Raw(env.Out), info.Name, c.Stable)
	})
}
