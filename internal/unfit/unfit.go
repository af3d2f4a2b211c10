// Package unfit marks errors that are one engine's own: its program is missing or
// cannot be started, or it lacks an option that it is sent. Whoever meets several
// engines can then tell whose failure an error is; what engines do in a dialogue
// tells it by itself (usi.Fault).
package unfit

import "fmt"

// Error is what an engine of the caller's cannot do.
type Error struct {
	Engine string // the name that the series knows it by
	cause  error
}

// Error names the engine, and what it cannot do.
func (e *Error) Error() string { return fmt.Sprintf("engine %s: %v", e.Engine, e.cause) }

// Unwrap is what it cannot do.
func (e *Error) Unwrap() error { return e.cause }

// Wrap marks an error as an engine's, nil stays nil.
func Wrap(engine string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{engine, err}
}
