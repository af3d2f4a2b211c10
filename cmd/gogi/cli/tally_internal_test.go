package cli

import (
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestTally: without a terminal, Tally prints a line after ten seconds at the earliest. It waits longer if a tenth of
// the elapsed time is longer. At one opening a second, 90 of 100 are left after ten seconds, which take 1m30s.
func TestTally(t *testing.T) {
	var w strings.Builder
	at := time.Unix(1000, 0)
	tally := NewTally(&w)
	tally.now = func() time.Time { return at }
	tally.began, tally.shown = at, at
	for n := 1; n <= 100; n++ {
		at = at.Add(time.Second)
		tally.Show(n, 100, "kept")
	}
	lines := strings.Split(strings.TrimSpace(w.String()), "\n")
	testutil.Check(t, len(lines) == 10 && lines[0] == "10 of 100 · kept · 60.0 a minute · 1m30s left",
		"%d lines, %q", len(lines), lines)
	w.Reset()
	at = at.Add(20 * time.Minute)
	tally.Show(100, 1000, "kept")
	at = at.Add(time.Minute)
	tally.Show(100, 1000, "kept")
	testutil.Equal(t, strings.Count(w.String(), "\n"), 1, "lines, expected the second to wait for a tenth of 21 minutes")
}
