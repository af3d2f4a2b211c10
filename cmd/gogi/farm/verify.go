package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/mirror"
	"gogi/report/verify"
	"gogi/results"
)

// VerifyCommand pulls a test and plays all of its moves again.
type VerifyCommand struct {
	owner
	Test string `arg:"" name:"test" help:"Its name, or its plan's digest."`
}

// Help is what the verb's --help says below its flags' summary.
func (*VerifyCommand) Help() string {
	return `The pairs are pulled into a database of their own, which is removed, and looked at as gogi
verify does: by this program, on this machine, not by the coordinator.

Exit codes: 0 nothing differs, 12 something does, 4 refused, 6 the farm is away, 1 else.`
}

// Run prints what was found.
func (c *VerifyCommand) Run(ctx context.Context, env *cli.Env) (err error) {
	dir, err := os.MkdirTemp("", "gogi-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db := filepath.Join(dir, "pulled.db")
	var got mirror.Moved
	err = c.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, db)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		got, _, err = mirror.Pull(ctx, store, asking(t, name), c.Test)
		return err
	})
	if err != nil {
		return err
	}
	return (&cli.Stored{Name: got.Run, DB: db}).With(ctx, func(store *results.Store, info *results.RunInfo) error {
		found, err := verify.Run(ctx, store, info, cli.Percent(env.Err, c.JSON))
		if err != nil {
			return err
		}
		if c.JSON {
			err = verify.JSON(env.Out, found)
		} else {
			verify.Text(env.Out, env.Tongue, found)
		}
		if err == nil && !found.Same() {
			err = &cli.Exit{Code: cli.Differs, Err: fmt.Errorf("run %s is not what the farm says", found.Run)}
		}
		return err
	})
}
