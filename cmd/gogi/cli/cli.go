// Package cli holds what all commands of gogi share. Use it when you add a command. An [Env]
// has the arguments, the streams and the environment of the process; [Code] and [Exit] map
// errors to exit codes; [Catch] turns interrupts into the end of a context; [FindRun] and
// [Stored] find a stored run by its name.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/usi/process"
)

// The exit codes; see [ExitCodes]. Package worker has those of gogi farm work.
const (
	Done        = 0
	Failed      = 1
	Usage       = 2
	Unplayed    = 3
	GateFailed  = 10
	GateOpen    = 11
	Differs     = 12
	Interrupted = 130
)

// ExitCode is a row of the table of exit codes in docs/commands.md.
type ExitCode struct {
	Code              int
	Meaning, Commands string
}

// ExitCodes returns the meanings of all exit codes.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{Done, "Done. With an SPRT: passed.", "all"},
		{Failed, "Error: the command could not do what it was asked for.", "all"},
		{Usage, "Usage: a flag or a file says something that is not possible.", "all"},
		{Unplayed, "Some pairs are not played, or some games were left out.", "`match`, `tune`, `selfplay`, `csa`, `export`, `convert`, `review`, `book`, `db`"},
		{4, "The coordinator rejects the worker (its key, its version or the policy). Do not restart it.", "`farm work`"},
		{5, "The farm wants another version of gogi, which the worker could not install.", "`farm work`"},
		{6, "The coordinator was away for longer than `--give-up`.", "`farm work`"},
		{GateFailed, "The SPRT failed. With `check --replay`: the failure happened again.", "`match`, `gate`, `tune`, `check`"},
		{GateOpen, "The SPRT is undecided.", "`match`, `gate`, `tune`, `check`"},
		{Differs, "A recalculation differs from what is stored.", "`db verify`, `tune verify`, `farm audit`, `farm mirror`"},
		{BisectSkip, "With `--exit bisect`: the engine of this commit cannot run, and `git bisect` skips it.", "`match`"},
		{Interrupted, "A signal interrupted the command.", "all"},
		{BisectAbort, "With `--exit bisect`: any other failure, which ends the bisection.", "`match`"},
	}
}

// Env is what a verb has of the world around it.
type Env struct {
	In io.Reader
	// Out and Err are sanitize.Writers, which escape what a terminal would obey. Formats of
	// other programs and control sequences of gogi's own go to sanitize.Raw of them.
	Out io.Writer // the result
	Err io.Writer // progress and errors

	Language i18n.Language // of what people read; JSON and events are English

	Judged bool // the verb has said what git bisect is told of a commit

	Say atomic.Pointer[func(line string)] // prints above what is redrawn on the terminal; nil: nothing is
}

// GuardChanged warns, at any time, of what has become of the guard process.
func (env *Env) GuardChanged(change process.GuardChange) {
	env.tell("", i18n.Of("warning: %s", change))
}

// Warn tells people of what works, but not as they may think.
func (env *Env) Warn(what i18n.Message) {
	env.tell("", i18n.Of("warning: %s", what))
}

// tell says something to people: above what is redrawn on the terminal, which would wipe
// it out, or where nothing is, after what stands before it.
func (env *Env) tell(before string, what i18n.Message) {
	line := what.In(env.Language)
	if say := env.Say.Load(); say != nil {
		(*say)(line)
		return
	}
	fmt.Fprintf(env.Err, "%s%s\n", before, line)
}

// startSeen is how long people wait for engines before they are told what for.
const startSeen = 2 * time.Second

// Starting tells people which engines are being started, once that takes long: some load
// for half a minute, in which nothing else is told. No names are of the only engine.
// Whoever started them calls started, after which nothing is told any more.
func (env *Env) Starting(names ...string) (started func()) {
	what := i18n.Of("starting the engine …")
	if len(names) > 0 {
		what = i18n.Of("starting %s …", sanitize.Printable(strings.Join(names, ", "), 200))
	}
	over := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		select {
		case <-over:
		case <-time.After(startSeen):
			fmt.Fprintln(env.Err, what.In(env.Language))
		}
	})
	return func() { close(over); telling.Wait() }
}

// ResultWriter is where the result goes; it remembers what was lost on the way, so that
// a verb need not ask after every line. It may be written to by many goroutines.
type ResultWriter struct {
	io.Writer

	mu   sync.Mutex
	lost error // of the first write that failed
}

// Write writes through.
func (w *ResultWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		w.lost = err
	}
	return n, err
}

// Failure is why the result is not whole, or nil. A reader that went away has what it
// wanted.
func (w *ResultWriter) Failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil || readerGone(w.lost) || errors.Is(w.lost, io.ErrClosedPipe) {
		return nil
	}
	return fmt.Errorf("writing the result: %w", w.lost)
}

// Exit ends the program with a code of its own; err may be nil.
type Exit struct {
	Code int
	Err  error
}

// Error is the text of the cause, or the code where there is none.
func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap is the cause.
func (e *Exit) Unwrap() error { return e.Err }

// GateExit returns the exit code of a gate's verdict.
func GateExit(verdict string) error {
	switch verdict {
	case "pass":
		return nil
	case "fail":
		return &Exit{Code: GateFailed}
	}
	return &Exit{Code: GateOpen}
}

// Fail prints an error, if there is one, and turns it into an exit code.
func (env *Env) Fail(err error, code int) int {
	if exit, ok := errors.AsType[*Exit](err); err != nil && (!ok || exit.Err != nil) {
		fmt.Fprintf(env.Err, "gogi: %s\n", sanitize.PrintableLines(env.why(err)))
	}
	return Code(err, code)
}

// why returns the text of an error: its translation, if the phrasebook has one for all of it, else
// the English text.
func (env *Env) why(err error) string {
	said := i18n.Because(err)
	if translated := said.In(env.Language); said.String() == err.Error() && translated != err.Error() {
		return translated
	}
	return printed(err)
}

// Code is the exit code of an error; code is that of one which brings none.
func Code(err error, code int) int {
	exit, ok := errors.AsType[*Exit](err)
	switch {
	case err == nil:
		return Done
	case ok:
		return exit.Code
	case errors.Is(err, ErrInterrupted):
		return Interrupted
	case fail.IsUsage(err):
		return Usage
	}
	return code
}

// ErrInterrupted is the cause of a context that an interrupt has cancelled.
var ErrInterrupted = errors.New("interrupted")

// Reason is an error, or ErrInterrupted where it is only how the context that an
// interrupt has cancelled was noticed: by a database, say, that was being opened.
func Reason(ctx context.Context, err error) error {
	if _, known := errors.AsType[*Exit](err); !known && errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}
