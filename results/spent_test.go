package results

import (
	"testing"
	"time"
)

// What was stored since a moment counts, by the time that its games took; a clock that is
// wrong counts for a day at most, and not below nothing; what was stored before or came
// twice does not.
func TestSpent(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	for id, took := range [][2]time.Duration{{time.Minute, time.Hour}, {-time.Hour, 1000 * time.Hour}} {
		pair := playedPair(plan, id, 20)
		for leg := range pair.Games {
			pair.Games[leg].Ended = pair.Games[leg].Started.Add(took[leg])
		}
		for range 2 {
			if _, err := run.Add(t.Context(), pair); err != nil {
				t.Fatal(err)
			}
		}
	}
	now := time.Now()
	for since, want := range map[time.Time]time.Duration{now.Add(-time.Hour): 25*time.Hour + time.Minute, now.Add(time.Hour): 0} {
		got, err := s.Spent(t.Context(), since)
		if err != nil || got[plan.Digest()] != want {
			t.Errorf("since %v: %v, %v; expected %v", since, got, err, want)
		}
	}
}
