// Package dbcmd implements the commands of the group db: check, repair, merge, backup, dump, optimize, verify
// and void. [Command] is the group. This package has the flags, the files and the exit codes. Packages
// results/repair, results/dump and report/verify do the work.
package dbcmd

import (
	"context"
	"errors"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/report/stored"
	"gogi/results"
)

// VoidCommand voids pairs of a run; gogi plays them again.
type VoidCommand struct {
	Name   string `arg:"" name:"run" help:"Name of the run."`
	DB     string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	Worker string `placeholder:"W" help:"Void the pairs that this worker of a farm played."`
	Pairs  string `placeholder:"A-B" help:"Void pairs A to B, or one pair."`
	Why    string `required:"" placeholder:"TEXT" help:"Reason, which every report quotes. Choose the pairs before you look at their results."`
	By     string `env:"USER" placeholder:"NAME" help:"Name of the person who gives the reason."`
	DryRun bool   `help:"List the pairs that would become void, and change nothing."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the voided pairs, and their effect on the SPRT of the run.
func (c *VoidCommand) Run(ctx context.Context, env *cli.Env) error {
	selects, err := selection{Worker: c.Worker, Pairs: c.Pairs}.Which()
	switch {
	case err == nil && c.Why == "":
		err = errors.New("expected a reason: --why TEXT")
	case err == nil && c.By == "":
		err = errors.New("expected who gives the reason: --by NAME")
	}
	if err != nil {
		return fail.Usage(err)
	}
	v := &VoidResult{Why: c.Why, By: c.By, DryRun: c.DryRun}
	if err := c.void(ctx, v, selects); err != nil {
		return err
	}
	if len(v.Pairs) == 0 {
		return fmt.Errorf("no stored pair of run %s is one of these: none is voided", v.Run)
	}
	if c.JSON {
		return v.JSON(env.Out)
	}
	v.Print(env.Out, env.Language)
	return nil
}

// void voids each pair with a game for which selects returns true, and stores the voided pairs in v. With --dry-run
// it only lists these pairs in v.
func (c *VoidCommand) void(ctx context.Context, v *VoidResult, selects func(match.Row) bool) (err error) {
	open := openThere
	if c.DryRun {
		open = results.OpenExisting
	}
	store, err := open(ctx, c.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	info, err := store.FindRun(ctx, c.Name)
	if err != nil {
		return err
	}
	v.Run = info.Name
	if c.DryRun {
		v.Pairs, err = selectPairs(ctx, store, info, selects)
		return err
	}
	if v.Pairs, err = store.Void(ctx, info, c.Why, c.By, selects); err != nil || len(v.Pairs) == 0 {
		return err
	}
	rep, err := stored.Report(ctx, store, info.Name)
	if errors.Is(err, stored.ErrTune) || errors.Is(err, stored.ErrSelfplay) {
		return nil // these runs have no SPRT
	}
	if err != nil {
		return fmt.Errorf("the pairs are voided; counting what is left: %w", err)
	}
	v.Remarks = rep.Voided[len(rep.Voided)-1].Remarks()[1:] // Print already prints the first remark
	return nil
}
