package testutil

import (
	"testing"
	"time"
)

// Patience is how long tests wait for what must happen: so long only where it never will,
// on however busy a machine.
const Patience = 2 * time.Minute

// every is how often it is looked.
const every = 10 * time.Millisecond

// Eventually asks until something is so, and fails the test where it is not within Patience.
// what completes the sentence "it never happened that …".
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
