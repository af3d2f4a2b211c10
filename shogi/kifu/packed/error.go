package packed

import (
	"errors"
	"fmt"
	"io"
)

// Error is an error in binary training data, with the offset of the wrong byte.
type Error struct {
	Offset int64 // offset of the wrong byte from the beginning of the input
	Err    error // the value found and the expected value
}

// Error returns a text such as "byte 57: …".
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset, e.Err) }

// Unwrap returns the reason without the offset.
func (e *Error) Unwrap() error { return e.Err }

// fault returns an Error with an offset and a formatted reason.
func fault(offset int64, format string, args ...any) *Error {
	return &Error{offset, fmt.Errorf(format, args...)}
}

// moved converts an error in a part of the input to an Error in the whole input. offset is the beginning of the part.
func moved(offset int64, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{offset + e.Offset, e.Err}
	}
	return &Error{offset, err}
}

// source reads an input and counts the bytes.
type source struct {
	r      io.Reader
	offset int64 // offset of the next byte
}

// fill reads len(b) bytes into b. It returns io.EOF if no bytes are left. If the input ends too early, it
// returns an Error at the end of the input; what names the missing part.
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

// need does the work of fill, but also returns an Error if no bytes are left.
func (s *source) need(b []byte, what string) error {
	err := s.fill(b, what)
	if errors.Is(err, io.EOF) {
		return fault(s.offset, "the input ends: expected %d bytes of %s", len(b), what)
	}
	return err
}
