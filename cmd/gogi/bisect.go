package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
)

// The exit codes of "git bisect run". Git also gives up the bisection at 130, an
// interrupt, and where a signal has ended the program.
const (
	bisectGood  = 0
	bisectBad   = 1
	bisectSkip  = 125 // this commit's engine cannot be judged
	bisectAbort = 255 // nothing was judged: git gives up the bisection
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
		return arg == exitBisect || strings.HasSuffix(arg, "="+exitBisect) || strings.HasPrefix(arg, "--bisect")
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
	return bisectAbort
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
		return judged(env, "skip", bisectSkip, err.Error())
	case err != nil:
		return err
	case r == nil:
		return errors.New("a dry run judges no commit")
	}
	found, why := r.Worse(step.rates.Alpha)
	if err := c.doubt(ctx, r, found); err != nil {
		if found == report.Weaker {
			return judged(env, "skip", bisectSkip, err.Error())
		}
		return err
	}
	switch found {
	case report.Weaker:
		return judged(env, "bad", bisectBad, why)
	case report.NotWeaker:
		return judged(env, "good", bisectGood, why)
	case report.Unclear:
	}
	return judged(env, "skip", bisectSkip, why)
}

// judged says what is told to git of a commit, and makes it the exit code.
func judged(env *cli.Env, word string, code int, why string) error {
	fmt.Fprintf(env.Err, "bisect: %s: %s\n", word, sanitize.PrintableLines(why))
	env.Judged = true
	return &cli.Exit{Code: code}
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
