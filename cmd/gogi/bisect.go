package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"gogi/players"
	"gogi/report"
	"gogi/usi"
)

// The exit codes of "git bisect run".
const (
	bisectGood  = 0
	bisectBad   = 1
	bisectSkip  = 125
	bisectAbort = 255 // git gives up the bisection
)

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
	found, why := r.Worse()
	code, word := bisectSkip, "skip"
	switch found {
	case report.Weaker:
		code, word = bisectBad, "bad"
	case report.NotWeaker:
		code, word = bisectGood, "good"
	case report.Unclear:
	}
	fmt.Fprintf(env.err, "bisect: %s: %s\n", word, why)
	if code == bisectGood {
		return nil
	}
	return &exitError{code: code}
}

// doesNotStart reports whether an engine's program is missing, cannot be run,
// or fails before its first move.
func doesNotStart(err error) bool {
	fault, ok := errors.AsType[*usi.Fault](err)
	return ok && !fault.Searching || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, players.ErrStart)
}
