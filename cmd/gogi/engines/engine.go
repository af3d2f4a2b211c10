// Package enginecmd implements the commands for one player: check examines an engine, council and engine speak
// USI, and csa plays on a server.
package enginecmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
	"gogi/players/builtin"
	"gogi/usi"
	"gogi/usi/process"
)

// EngineCommand runs the built-in engine as a USI engine.
type EngineCommand struct {
	Tunable bool `help:"Declare the evaluation weights as options, for gogi tune."`
}

// Run serves the built-in engine over USI on stdin and stdout until quit or the end of the input.
func (c *EngineCommand) Run(ctx context.Context, env *cli.Env) error {
	engine := builtin.New()
	if c.Tunable {
		engine = builtin.NewTunable()
	}
	return usi.Serve(ctx, env.In, sanitize.Raw(env.Out), engine)
}

// GuardCommand is the guard process of a run. gogi starts it; users do not.
type GuardCommand struct{}

// Run waits until the pipe from the runner ends. Then it kills the runner's remaining process groups.
func (c *GuardCommand) Run(env *cli.Env) error {
	return process.ServeGuard(env.In)
}
