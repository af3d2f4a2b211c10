package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/match"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
)

// bisects reports whether a command line speaks to "git bisect run", also one that
// cannot be read: a flag --exit that says anything but its default.
func bisects(args []string) bool {
	if len(args) > 0 && args[0] == "complete" {
		return false // a shell asks what may follow these words; nobody has said them
	}
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		if flag == "--exit" && !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if flag == "--exit" && value != "default" || flag == "--bisect-commits" {
			return true
		}
	}
	return false
}

// mayBisect is bisects for a line that could not be read, where the flag itself may be
// what was mistyped.
func mayBisect(args []string) bool {
	return bisects(args) || len(args) > 0 && args[0] != "complete" && slices.ContainsFunc(args, func(arg string) bool {
		return arg == cli.ExitBisect || strings.HasSuffix(arg, "="+cli.ExitBisect) || strings.HasPrefix(arg, "--bisect")
	})
}

// abortOnCrash makes a panic of any goroutine, and every other end that the runtime
// makes of the program, a SIGABRT: its exit code 2 would name a commit bad.
func abortOnCrash(args []string) {
	if mayBisect(args) {
		debug.SetTraceback("crash")
	}
}

// bisectCode is the exit code of a line that bisects: its own where the commit was
// judged or skipped, or somebody interrupted it.
func bisectCode(env *cli.Env, code int) int {
	if env.Judged || code == cli.Interrupted {
		return code
	}
	fmt.Fprintln(env.Err, "bisect: stop: this says nothing about a commit")
	return cli.BisectAbort
}

// bisect plays a series and turns its verdict on the first player, the commit at hand,
// into an exit code. Each commit's engine has another identity, so each gets a run of
// its own. What is no verdict is an error: of this commit's engine alone it is a skip.
func (c *matchCommand) bisect(ctx context.Context, env *cli.Env) error {
	step := &bisectStep{commits: c.BisectCommits}
	c.step = step
	r, err := c.match(ctx, env)
	switch {
	case err != nil && step.isOurs(err):
		return env.Judge("skip", cli.BisectSkip, err.Error())
	case err != nil:
		return err
	case r == nil:
		return errors.New("a dry run judges no commit")
	}
	found, why := r.Worse(step.rates.Alpha)
	if err := c.doubt(ctx, r, found); err != nil {
		if found == report.Weaker {
			return env.Judge("skip", cli.BisectSkip, err.Error())
		}
		return err
	}
	switch found {
	case report.Weaker:
		return env.Judge("bad", cli.BisectBad, why)
	case report.NotWeaker:
		return env.Judge("good", cli.BisectGood, why)
	case report.Unclear:
	}
	return env.Judge("skip", cli.BisectSkip, why)
}

// doubt is why a finding does not hold, or nil: it rests on games that were not played.
func (c *matchCommand) doubt(ctx context.Context, r *report.Report, found report.Finding) (err error) {
	if r.FaultLosses == (report.FaultLosses{}) || found == report.Unclear {
		return nil
	}
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	doubted, err := stored.Report(ctx, store, r.Run, func(rows []match.Row) error { found.Doubt(rows); return nil })
	if err != nil {
		return err
	}
	if again, _ := doubted.Worse(c.step.rates.Alpha); again == found {
		return nil
	}
	if found == report.Weaker {
		return fmt.Errorf("%s lost by crashing before its first move: that says nothing of its strength", r.A)
	}
	return fmt.Errorf("%s, which commits are compared with, lost %d games by faults, and the verdict rests on them", r.B, r.FaultLosses.B)
}
