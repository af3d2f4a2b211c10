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

// GuardCommand runs the guard process, which kills the engines of a run if gogi is killed. gogi starts the
// guard; users do not.
type GuardCommand struct{}

// Run waits until the pipe from gogi closes, which means that gogi has ended. Then it kills the process
// groups of the engines that still run.
func (c *GuardCommand) Run(env *cli.Env) error {
	return process.ServeGuard(env.In)
}
