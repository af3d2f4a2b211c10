package testutil

import (
	"testing"
	"time"
)

// WaitLimit is the longest time that a test waits for an event. It is long enough for a busy machine, so only
// an event that never happens takes longer.
const WaitLimit = 2 * time.Minute

// every is the time between two checks of Eventually.
const every = 10 * time.Millisecond

// Eventually calls the function so again and again until it returns true. It fails the test after WaitLimit. what
// completes the sentence "it never happened that …".
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
