package dbcmd

import (
	"context"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/report/verify"
	"gogi/results"
)

// VerifyCommand replays the moves of a run's games by the rules, and compares the results.
type VerifyCommand struct {
	cli.Stored
	JSON  bool `name:"json" help:"Print one JSON object."`
	Quiet bool `short:"q" help:"Print no progress."`
}

// Help returns the text below the usage line of --help.
func (*VerifyCommand) Help() string {
	return `gogi replays every move of every stored pair by the rules and the plan. It checks pairs, openings
and seeds, the legality and time of each move, the end of each game, and the checksums. The
result of a game follows from its moves. The check cannot detect legal games that were never played.

Exit codes: 0 nothing differs, 12 something differs (gogi prints what and where), 1 the
check failed, 2 usage.`
}

// Run prints the differences between the stored games and the replay. The exit code is 12 if there are any.
func (c *VerifyCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		found, err := verify.Run(ctx, store, info, cli.Percent(env.Err, c.Quiet))
		if err != nil {
			return err
		}
		if err = verify.Write(env.Out, env.Language, c.JSON, found); err == nil && !found.Same() {
			n := len(found.Differences) + found.More
			err = &cli.Exit{Code: cli.Differs, Err: fmt.Errorf("%s in run %s", format.NumberOf(n, "difference"), found.Run)}
		}
		return err
	})
}
