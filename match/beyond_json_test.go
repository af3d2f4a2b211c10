package match_test

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestTimesBeyondJSON: a game of the year 10000 is rejected, because neither pages nor JSON can show its time.
func TestTimesBeyondJSON(t *testing.T) {
	for year, good := range map[int]bool{1: true, 2026: true, 9999: true, 10_000: false, 200_000: false, -1: false} {
		at := time.Date(year, 5, 4, 3, 2, 1, 0, time.UTC)
		text := testutil.Must(match.EncodePair(match.PairResult{Attempts: []match.Attempt{{Ended: at}}}))(t)
		if _, err := match.DecodePair(text, 1<<20); (err == nil) != good {
			t.Errorf("in a pair, the year %d: %v", year, err)
		}
		if err := (&match.Attempt{Ended: at}).Check(); (err == nil) != good {
			t.Errorf("an attempt in the year %d: %v", year, err)
		}
		if _, err := at.MarshalJSON(); (err == nil) != good {
			t.Errorf("as JSON, the year %d: %v", year, err)
		}
	}
}
