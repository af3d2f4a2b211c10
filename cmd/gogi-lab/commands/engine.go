package labcmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	enginecmd "gogi/cmd/gogi/engines"
	"gogi/internal/fail"
	"gogi/internal/sanitize"
	"gogi/lab/truth"
)

// EngineCommand runs an engine whose results follow a stated law, or the built-in engine.
type EngineCommand struct {
	enginecmd.EngineCommand
	Truth string `placeholder:"FILE" help:"Law of the results (TOML); without it the built-in engine plays."`
}

// Run serves the engine over USI on stdin and stdout until quit or the end of the input.
func (c *EngineCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Truth == "" {
		return c.EngineCommand.Run(ctx, env)
	}
	law, err := truth.Read(c.Truth)
	if err != nil {
		return fail.Usage(err)
	}
	return truth.NewEngine(law).Serve(env.In, sanitize.Raw(env.Out))
}
