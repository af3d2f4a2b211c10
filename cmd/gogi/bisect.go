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

// bisects reports whether a command line is for "git bisect run": whether its flag --exit has another value
// than the default. The line may have errors.
func bisects(args []string) bool {
	if len(args) > 0 && args[0] == "complete" {
		return false // this line is for the completion of a shell
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

// mayBisect reports whether a command line that the parser rejected may be for "git bisect run". The flag
// --exit itself may be mistyped.
func mayBisect(args []string) bool {
	return bisects(args) || len(args) > 0 && args[0] != "complete" && slices.ContainsFunc(args, func(arg string) bool {
		return arg == cli.ExitBisect || strings.HasSuffix(arg, "="+cli.ExitBisect) || strings.HasPrefix(arg, "--bisect")
	})
}

// abortOnCrash makes the Go runtime end the program with SIGABRT after a panic or another fatal error, if the
// command line is for git bisect. Otherwise the exit code of a panic, 2, would mean a bad commit.
func abortOnCrash(args []string) {
	if mayBisect(args) {
		debug.SetTraceback("crash")
	}
}

// bisectCode converts code, the exit code of the command, to an exit code for git bisect. It returns code if it is
// a verdict or an interrupt, and BisectAbort otherwise.
func bisectCode(env *cli.Env, code int) int {
	if env.Judged || code == cli.Interrupted {
		return code
	}
	fmt.Fprintln(env.Err, "bisect: stop: this is no verdict on a commit")
	return cli.BisectAbort
}

// bisect plays a run and converts the result of the first player, the commit's engine, to an exit code. The
// engine of each commit has another identity, so each commit has its own run. If only the commit's engine
// fails, the commit is skipped; other failures are errors.
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
		return errors.New("a dry run gives no verdict on a commit")
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

// doubt returns an error with the reason if a verdict is not reliable, because it depends on games that were lost
// by faults. r is the report of the run, and found its verdict.
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
		return fmt.Errorf("%s lost by crashing before its first move, which does not show its strength", r.A)
	}
	return fmt.Errorf("%s, which commits are compared with, lost %d games by faults, and the verdict rests on them", r.B, r.FaultLosses.B)
}
