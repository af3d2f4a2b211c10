package testutil

import (
	"errors"
	"io"
)

// ReadAll calls next until it returns io.EOF, or the first other error, and returns all values.
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
