// Package enginecmd is the verbs about one player: speaking USI as an engine or as a council,
// examining an engine, playing at a server.
package enginecmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
	"gogi/players/builtin"
	"gogi/usi"
	"gogi/usi/process"
)

// EngineCommand is the built-in engine as a USI engine of its own.
type EngineCommand struct {
	Tunable bool `help:"Declare the evaluation weights as options, for gogi tune."`
}

// Run speaks USI until quit or the end of the input.
func (c *EngineCommand) Run(ctx context.Context, env *cli.Env) error {
	engine := builtin.New()
	if c.Tunable {
		engine = builtin.NewTunable()
	}
	return usi.Serve(ctx, env.In, sanitize.Raw(env.Out), engine)
}

// GuardCommand is the guard process of a run; the runner starts it.
type GuardCommand struct{}

// Run kills what is left of the runner's process groups when its pipe ends.
func (c *GuardCommand) Run(env *cli.Env) error {
	return process.ServeGuard(env.In)
}
