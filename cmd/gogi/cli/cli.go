// Package cli contains the code that all commands of gogi share. An [Env] has the streams of the process and
// prints answers. [Code] and [Exit] map errors to exit codes. [Catch] and [WithGuard] let an interrupt cancel a
// context. [FindRun] and [Stored] find a stored run by its name.
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

// These are the exit codes of gogi, which docs/commands.md explains. Package worker has the exit codes of gogi farm
// work.
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

// An Env is the environment of a command: the standard streams, the language of the output, and state that
// several commands share.
type Env struct {
	In io.Reader
	// Out and Err are sanitize.Writers, which escape control characters. To write formats of other programs
	// or gogi's own control sequences, use sanitize.Raw(Out) or sanitize.Raw(Err).
	Out io.Writer // the result
	Err io.Writer // progress and errors

	Program  string        // name of the program, for errors
	Language i18n.Language // language of text; JSON and events are English

	Judged bool // the exit code is the verdict on a commit, for git bisect

	// prints a line above the redrawn part of the terminal; nil: no part is redrawn
	Above atomic.Pointer[func(line string)]
}

// GuardChanged prints a warning that the guard process died, or that it works again. It is safe for
// concurrent use.
func (env *Env) GuardChanged(change process.GuardChange) {
	env.print("", i18n.Of("warning: %s", change))
}

// Warn prints a warning.
func (env *Env) Warn(what i18n.Message) {
	env.print("", i18n.Of("warning: %s", what))
}

// print prints a line. If gogi redraws a part of the terminal, print inserts the line above this part. Otherwise it
// writes the text before, such as a line break, and then the line.
func (env *Env) print(before string, what i18n.Message) {
	line := what.In(env.Language)
	if above := env.Above.Load(); above != nil {
		(*above)(line)
		return
	}
	fmt.Fprintf(env.Err, "%s%s\n", before, line)
}

// startSeen is the time after which gogi prints that engines are starting.
const startSeen = 2 * time.Second

// Starting prints "starting NAME, …" if the engines have not started within 2 seconds, because some engines
// load for half a minute. Without names it prints "starting the engine". The caller calls started when the
// engines have started; then Starting prints nothing more.
func (env *Env) Starting(names ...string) (started func()) {
	what := i18n.Of("starting the engine …")
	if len(names) > 0 {
		what = i18n.Of("starting %s …", sanitize.Printable(strings.Join(names, ", "), 200))
	}
	over := make(chan struct{})
	var printing sync.WaitGroup
	printing.Go(func() {
		select {
		case <-over:
		case <-time.After(startSeen):
			fmt.Fprintln(env.Err, what.In(env.Language))
		}
	})
	return func() { close(over); printing.Wait() }
}

// A ResultWriter is an io.Writer for the result of a command. It stores the first error, so that the command
// does not have to check every line. It is safe for concurrent use.
type ResultWriter struct {
	io.Writer

	mu   sync.Mutex
	lost error // error of the first failed write
}

// Write writes to the underlying writer.
func (w *ResultWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		w.lost = err
	}
	return n, err
}

// Failure returns the reason why the result is incomplete, or nil. It returns nil if the reader closed the
// pipe.
func (w *ResultWriter) Failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil || readerGone(w.lost) || errors.Is(w.lost, io.ErrClosedPipe) {
		return nil
	}
	return fmt.Errorf("writing the result: %w", w.lost)
}

// An Exit is an error with its own exit code. Err may be nil.
type Exit struct {
	Code int
	Err  error
}

// Error returns the text of Err. If Err is nil, it returns a text with the code.
func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *Exit) Unwrap() error { return e.Err }

// GateExit returns nil for the verdict of a passed SPRT. For another verdict it returns an error with the
// exit code of that verdict.
func GateExit(verdict string) error {
	switch verdict {
	case "pass":
		return nil
	case "fail":
		return &Exit{Code: GateFailed}
	}
	return &Exit{Code: GateOpen}
}

// Fail prints an error, unless it is nil or an Exit without text. It returns the exit code of the error, or
// the parameter code if the type of the error does not determine one (see Code).
func (env *Env) Fail(err error, code int) int {
	if exit, ok := errors.AsType[*Exit](err); err != nil && (!ok || exit.Err != nil) {
		fmt.Fprintf(env.Err, "%s: %s\n", env.Program, sanitize.PrintableLines(env.why(err)))
	}
	return Code(err, code)
}

// why returns the text of an error in the language of the output: the translation if ja.json has the whole text,
// else the English text.
func (env *Env) why(err error) string {
	message := i18n.Because(err)
	if translated := message.In(env.Language); message.String() == err.Error() && translated != err.Error() {
		return translated
	}
	return printed(err)
}

// Code returns the exit code of an error: Done for nil, and otherwise the code that belongs to the type of
// the error, such as Usage. If the type has no code of its own, it returns the parameter code.
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

// ErrInterrupted is the cause of a context that an interrupt cancelled.
var ErrInterrupted = errors.New("interrupted")

// Reason returns err, or ErrInterrupted if err only reports that an interrupt cancelled ctx.
func Reason(ctx context.Context, err error) error {
	if _, known := errors.AsType[*Exit](err); !known && errors.Is(err, context.Canceled) &&
		errors.Is(context.Cause(ctx), ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}

// UnlessInterrupted returns nil if an interrupt cancelled ctx, for commands that an interrupt ends in the normal way.
// Otherwise it returns err.
func UnlessInterrupted(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrInterrupted) {
		return nil
	}
	return err
}

// These are the exit codes for "git bisect run". Git also ends the bisection at 130, an interrupt, and when a
// signal has ended the program.
const (
	BisectGood  = 0
	BisectBad   = 1
	BisectSkip  = 125 // the engine of this commit cannot be tested
	BisectAbort = 255 // no verdict: git ends the bisection
)

// ExitBisect is the value of --exit that makes gogi end with the exit codes of git bisect run: BisectGood,
// BisectBad, BisectSkip or BisectAbort.
const ExitBisect = "bisect"

// Judge prints the verdict on a commit for git bisect: word (good, bad or skip) and the reason why. It
// returns an error with the exit code code.
func (env *Env) Judge(word string, code int, why string) error {
	fmt.Fprintf(env.Err, "bisect: %s: %s\n", word, sanitize.PrintableLines(why))
	env.Judged = true
	return &Exit{Code: code}
}
