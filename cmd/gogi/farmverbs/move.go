package farmverbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gogi/farm"
	"gogi/farm/copies"
	"gogi/internal/format"
	"gogi/internal/verb"
	"gogi/recount"
	"gogi/results"
)

// PullCommand brings a test's pairs into a database here.
type PullCommand struct {
	owner
	Test string `arg:"" name:"test" help:"Its name, or its plan's digest."`
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database, in which gogi match goes on with it."`
	To   string `placeholder:"FOLDER" help:"Of self-play: the folder of its blocks and data, which gogi selfplay would have made."`
}

// Run brings what is not there yet.
func (c *PullCommand) Run(ctx context.Context, env *verb.Env) error {
	if c.To != "" {
		return c.blocks(ctx, env)
	}
	got, err := c.pull(ctx, c.Test, c.DB)
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, got)
	}
	fmt.Fprintf(env.Out, "%s: %s into %s, which has %d of %d now\n", got.Run, format.NumberOf(got.Added, "pair"), c.DB, got.Stored, got.Pairs)
	if got.Voided > 0 {
		fmt.Fprintf(env.Out, "%s that the farm has taken out %s void here, too\n", format.NumberOf(got.Voided, "pair"), are(got.Voided))
	}
	if next := validation(&got, c.DB); next != "" {
		fmt.Fprintln(env.Out, next)
	}
	return nil
}

// pull copies a test's pairs into a database.
func (o *owner) pull(ctx context.Context, test, db string) (out copies.Moved, err error) {
	err = o.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, db)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		out, err = copies.Pull(ctx, store, asking(t, name), test)
		return err
	})
	return out, err
}

// asking asks the coordinator in the name of a key.
func asking(t farm.Transport, name string) copies.Ask {
	return func(ctx context.Context, word string, in, out any) error { return request(ctx, t, name, word, in, out) }
}

// PushCommand brings a run's pairs to the farm.
type PushCommand struct {
	owner
	verb.Stored
}

// Run brings what the farm does not have. The farm verifies every pair.
func (c *PushCommand) Run(ctx context.Context, env *verb.Env) error {
	var out copies.Moved
	err := c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return c.with(func(t farm.Transport, name string) (err error) {
			out, err = copies.Push(ctx, store, info, asking(t, name))
			return err
		})
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, out)
	}
	fmt.Fprintf(env.Out, "%s: %s of %d here were new to the farm\n", out.Run, format.NumberOf(out.Added, "pair"), out.Stored)
	return nil
}

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
func (c *VerifyCommand) Run(ctx context.Context, env *verb.Env) (err error) {
	dir, err := os.MkdirTemp("", "gogi-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db := filepath.Join(dir, "pulled.db")
	got, err := c.pull(ctx, c.Test, db)
	if err != nil {
		return err
	}
	return (&verb.Stored{Name: got.Run, DB: db}).With(ctx, func(store *results.Store, info *results.RunInfo) error {
		found, err := recount.Run(ctx, store, info, verb.Percent(env.Err, c.JSON))
		if err != nil {
			return err
		}
		if c.JSON {
			err = recount.JSON(env.Out, found)
		} else {
			recount.Text(env.Out, env.Tongue, found)
		}
		if err == nil && !found.Same() {
			err = &verb.Exit{Code: verb.Differs, Err: fmt.Errorf("run %s is not what the farm says", found.Run)}
		}
		return err
	})
}
