package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"

	"gogi/internal/foreign"
	"gogi/internal/usage"
	"gogi/usi/process"
)

// The exit codes, as the README lists them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnplayed    = 3 // the run ended with pairs unplayed
	exitInterrupted = 130
)

// environment is what a verb has of the world around it.
type environment struct {
	in  io.Reader
	out io.Writer // the result
	err io.Writer // progress and errors

	judged bool // the verb has said what git bisect is told of a commit

	say atomic.Pointer[func(line string)] // prints above what is redrawn on the terminal; nil: nothing is
}

// guardChanged warns, at any time, of what has become of the guard process.
func (env *environment) guardChanged(change process.GuardChange) {
	line := "warning: " + change.String()
	if say := env.say.Load(); say != nil {
		(*say)(line)
		return
	}
	fmt.Fprintln(env.err, line)
}

// resultWriter is where the result goes; it remembers what was lost on the way, so that
// a verb need not ask after every line. It may be written to by many goroutines.
type resultWriter struct {
	io.Writer

	mu   sync.Mutex
	lost error // of the first write that failed
}

// Write writes through.
func (w *resultWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		w.lost = err
	}
	return n, err
}

// failure is why the result is not whole, or nil. A reader that went away has what it
// wanted.
func (w *resultWriter) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil || errors.Is(w.lost, syscall.EPIPE) || errors.Is(w.lost, io.ErrClosedPipe) {
		return nil
	}
	return fmt.Errorf("writing the result: %w", w.lost)
}

// exitError ends the program with a code of its own; err may be nil.
type exitError struct {
	code int
	err  error
}

// Error is the text of the cause, or the code where there is none.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap is the cause.
func (e *exitError) Unwrap() error { return e.err }

// fail prints an error, if there is one, and turns it into an exit code.
func (env *environment) fail(err error, code int) int {
	if err == nil {
		return exitDone
	}
	exit, ok := errors.AsType[*exitError](err)
	switch {
	case ok:
		code = exit.code
	case errors.Is(err, errInterrupted):
		code = exitInterrupted
	case usage.Is(err):
		code = exitUsage
	}
	if !ok || exit.err != nil {
		fmt.Fprintf(env.err, "gogi: %s\n", foreign.PrintableLines(err.Error()))
	}
	return code
}

var errInterrupted = errors.New("interrupted")
