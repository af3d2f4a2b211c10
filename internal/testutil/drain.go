package testutil

import (
	"errors"
	"io"
)

// ReadAll calls next until next returns an error, and returns all values. io.EOF is the regular end; ReadAll
// returns other errors.
func ReadAll[T any](next func() (T, error)) (list []T, err error) {
	for {
		value, err := next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, value)
	}
}
