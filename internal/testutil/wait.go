package testutil

import (
	"testing"
	"time"
)

// Patience is the longest wait of a test for an event. Only an event that never comes takes so long, also
// on a busy machine.
const Patience = 2 * time.Minute

// every is how often it is looked.
const every = 10 * time.Millisecond

// Eventually waits until so returns true, and fails the test after Patience. what completes the sentence
// "it never happened that …".
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for end := time.Now().Add(Patience); !so(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it never happened that %s", what)
		}
	}
}
