package dbcmd

import (
	"context"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/report/verify"
	"gogi/results"
)

// VerifyCommand replays the moves of a run.
type VerifyCommand struct {
	cli.Stored
	JSON  bool `name:"json" help:"One JSON object."`
	Quiet bool `short:"q" help:"No progress."`
}

// Help is what the verb's --help says below its flags' summary.
func (*VerifyCommand) Help() string {
	return `Every move of every stored pair is played again by the rules and the plan: pairs,
openings and seeds are the plan's, moves are legal and in time, games ended where and as
they had to, checksums hold. The stored result of a game follows from its moves. A legal game that nobody played passes.

Exit codes: 0 nothing differs, 12 something does (what and where is printed), 1 it could
not be looked at, 2 usage.`
}

// Run prints what was found; differences have an exit code of their own.
func (c *VerifyCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		found, err := verify.Run(ctx, store, info, cli.Percent(env.Err, c.Quiet))
		if err != nil {
			return err
		}
		if c.JSON {
			err = verify.JSON(env.Out, found)
		} else {
			verify.Text(env.Out, env.Tongue, found)
		}
		if err == nil && !found.Same() {
			n := len(found.Differences) + found.More
			err = &cli.Exit{Code: cli.Differs, Err: fmt.Errorf("%s in run %s", format.NumberOf(n, "difference"), found.Run)}
		}
		return err
	})
}
