package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"gogi/internal/format"
	"gogi/stats"
	"gogi/usi"
)

// The exit codes of "git bisect run".
const (
	bisectGood  = 0
	bisectBad   = 1
	bisectSkip  = 125
	bisectAbort = 255 // git gives up the bisection
)

// bisectAlpha is the error that a commit is called worse with.
const bisectAlpha = 0.05

// bisect plays a series and turns its verdict on the first player into an exit
// code: 1 where it is significantly weaker than the second, 0 where it is not,
// 125 where the series cannot tell or an engine does not start. Each commit's
// engine has another identity, so each gets a run of its own.
func (c *matchCommand) bisect(ctx context.Context, env *environment) error {
	r, err := c.match(ctx, env)
	exit, ok := errors.AsType[*exitError](err)
	switch {
	case ok && exit.code == exitInterrupted:
		return err
	case err != nil && doesNotStart(err):
		return &exitError{bisectSkip, err}
	case err != nil:
		return &exitError{bisectAbort, err}
	case r == nil:
		return nil
	}
	code, why := r.worse()
	fmt.Fprintf(env.err, "bisect: %s: %s\n", map[int]string{bisectGood: "good", bisectBad: "bad", bisectSkip: "skip"}[code], why)
	if code == bisectGood {
		return nil
	}
	return &exitError{code: code}
}

// doesNotStart reports whether an engine's program is missing, cannot be run,
// or fails before its first move.
func doesNotStart(err error) bool {
	fault, ok := errors.AsType[*usi.Fault](err)
	return ok && !fault.Searching || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errStart)
}

// worse judges A by the exact test over pairs, one-sided.
func (r *report) worse() (code int, why string) {
	if g := r.Gate; g != nil {
		return g.worse()
	}
	test, err := r.tally.SignFlip(stats.Less)
	if err != nil {
		k, n := r.tally.Total().Decisive()
		test, err = stats.BinomialTest(k, n, 0.5, stats.Less)
	}
	switch {
	case err != nil:
		return bisectSkip, err.Error()
	case test.Significant(bisectAlpha):
		return bisectBad, fmt.Sprintf("%s is weaker than %s, p = %s one-sided", r.A, r.B, format.PValue(test.P))
	case r.Pairs < bisectPairs:
		return bisectSkip, fmt.Sprintf("%d pairs are too few to show a difference (at least %d)", r.Pairs, bisectPairs)
	}
	return bisectGood, fmt.Sprintf("%s is not shown to be weaker than %s, p = %s one-sided", r.A, r.B, format.PValue(test.P))
}

// worse is the verdict of a sequential test.
func (g *gateReport) worse() (code int, why string) {
	why = fmt.Sprintf("%s: %s", g.Design, g.Decision)
	switch g.Decision {
	case stats.Pass:
		return bisectGood, why
	case stats.Fail:
		return bisectBad, why
	case stats.Continue, stats.Inconclusive:
	}
	return bisectSkip, why
}

// bisectPairs is the least number of pairs in which one side's winning all of
// them is significant: 2 to the power of -5 is below 5%.
const bisectPairs = 5
