// Package usage marks errors that the caller of the program has made: a wrong flag, a
// file that says something impossible. Every package may mark one where it knows; only
// the command turns the mark into an exit code.
package usage

import "errors"

// Error is a mistake of the caller; the text is the cause's.
type Error struct{ cause error }

// Error is the text of the cause.
func (e *Error) Error() string { return e.cause.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.cause }

// Wrap marks an error, nil stays nil.
func Wrap(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err}
}

// Is reports whether an error is, or wraps, a mistake of the caller.
func Is(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}
