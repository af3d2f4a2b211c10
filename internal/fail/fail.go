// Package fail marks errors with their cause. [Usage] marks a mistake of the program's user: a wrong flag, or
// a file with an impossible value. [Engine] marks a failure of one engine: its program is missing, cannot be
// started, or lacks an option. Commands choose their exit codes by these marks. If an engine breaks the USI
// protocol or crashes, the error is a usi.Fault instead.
package fail

import (
	"errors"
	"fmt"
)

// A UsageError is a mistake of the program's user.
type UsageError struct{ cause error }

// Error returns the text of the cause.
func (e *UsageError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.cause }

// Usage marks an error as a mistake of the program's user. It returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// IsUsage reports whether an error is, or wraps, a UsageError.
func IsUsage(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}

// An EngineError is the failure of one engine to start or to accept its settings. A failure in the USI
// dialogue is a usi.Fault instead.
type EngineError struct {
	Engine string // name of the engine in the plan
	cause  error
}

// Error returns the name of the engine and the cause.
func (e *EngineError) Error() string { return fmt.Sprintf("engine %s: %v", e.Engine, e.cause) }

// Unwrap returns the cause.
func (e *EngineError) Unwrap() error { return e.cause }

// Engine marks an error as a failure of the named engine. It returns nil for nil.
func Engine(name string, err error) error {
	if err == nil {
		return nil
	}
	return &EngineError{name, err}
}
