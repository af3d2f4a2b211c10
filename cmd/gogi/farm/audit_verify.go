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

// verify copies a test into a temporary database and replays its moves by the rules.
func (c *AuditCommand) verify(ctx context.Context, env *cli.Env) (err error) {
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
	return (&cli.Stored{Name: got.Run, Database: cli.Database{DB: db}}).With(ctx, func(store *results.Store, info *results.RunInfo) error {
		found, err := verify.Run(ctx, store, info, cli.Percent(env.Err, c.JSON))
		if err != nil {
			return err
		}
		if c.JSON {
			err = verify.JSON(env.Out, found)
		} else {
			verify.Text(env.Out, env.Language, found)
		}
		if err == nil && !found.Same() {
			err = &cli.Exit{Code: cli.Differs, Err: fmt.Errorf("run %s differs from the farm's verdicts and results", found.Run)}
		}
		return err
	})
}
