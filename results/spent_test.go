package results_test

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results/resultstest"
)

// Spent counts the games that were stored since a time, with their durations. A wrong clock counts as at most a day,
// and never as a negative time. Earlier games and repeated results do not count.
func TestSpent(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	for id, took := range [][2]time.Duration{{time.Minute, time.Hour}, {-time.Hour, 1000 * time.Hour}} {
		pair := matchtest.Pair(plan, id, 20)
		for leg := range pair.Games {
			pair.Games[leg].Ended = pair.Games[leg].Started.Add(took[leg])
		}
		for range 2 {
			testutil.Must(run.Add(t.Context(), pair))(t)
		}
	}
	now := time.Now()
	for since, want := range map[time.Time]time.Duration{now.Add(-time.Hour): 25*time.Hour + time.Minute, now.Add(time.Hour): 0} {
		got, err := s.Spent(t.Context(), since)
		testutil.Check(t, err == nil && got[plan.Digest()] == want, "since %v: %v, %v; expected %v", since, got, err, want)
	}
}
