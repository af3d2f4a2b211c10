package testutil

import (
	"errors"
	"io"
	"testing"
	"time"
)

// WaitLimit is the longest time that a test waits for an event. It is so long that even on a busy machine
// only an event that never happens takes longer.
const WaitLimit = 2 * time.Minute

// every is the time between two checks of Eventually.
const every = 10 * time.Millisecond

// Eventually calls the condition, the parameter so, until it returns true. If the condition is still false
// after WaitLimit, the test fails with the message "it never happened that …", which the parameter what
// completes.
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for end := time.Now().Add(WaitLimit); !so(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it never happened that %s", what)
		}
	}
}

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
