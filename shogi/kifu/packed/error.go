package packed

import (
	"errors"
	"fmt"
	"io"
)

// Error is an error in packed bytes, with its place.
type Error struct {
	Offset int64 // of the wrong byte, from the beginning of the input
	Err    error // the value found and the expected value
}

// Error is "byte 57: …".
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset, e.Err) }

// Unwrap is the reason without the place.
func (e *Error) Unwrap() error { return e.Err }

// fault returns an Error.
func fault(offset int64, format string, args ...any) *Error {
	return &Error{offset, fmt.Errorf(format, args...)}
}

// moved is an error about a part of the input, which begins at offset.
func moved(offset int64, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{offset + e.Offset, e.Err}
	}
	return &Error{offset, err}
}

// source counts the bytes of an input as they are read.
type source struct {
	r      io.Reader
	offset int64 // of the next byte
}

// fill reads as many bytes as fit into b, which are part of what. io.EOF means that there were none. With
// too few bytes it returns an Error at the end of the last one.
func (s *source) fill(b []byte, what string) error {
	n, err := io.ReadFull(s.r, b)
	start := s.offset
	s.offset += int64(n)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault(s.offset, "the input ends after %d bytes of %s at byte %d: expected %d", n, what, start, len(b))
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return &Error{s.offset, err}
	}
	return nil
}

// need is fill for a place in which the input must not end.
func (s *source) need(b []byte, what string) error {
	err := s.fill(b, what)
	if errors.Is(err, io.EOF) {
		return fault(s.offset, "the input ends: expected %d bytes of %s", len(b), what)
	}
	return err
}
