package results_test

import (
	"testing"

	"gogi/internal/fakepairs"
	"gogi/match"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestStampTellsEveryChange: a stamp is the same while nothing is stored, and another one
// after a pair, after settings changed, and after a pair was taken out and played again.
func TestStampTellsEveryChange(t *testing.T) {
	store, plan := resultstest.Open(t, resultstest.Path(t)), fakepairs.Plan("r")
	run := resultstest.Begin(t, store, plan)
	seen := map[results.Stamp]string{}
	look := func(what string) {
		t.Helper()
		for range 2 {
			s, err := store.Stamp(t.Context(), run.ID())
			if err != nil {
				t.Fatal(err)
			}
			if before, ok := seen[s]; ok && before != what {
				t.Errorf("the stamp after %s is that after %s", what, before)
			}
			seen[s] = what
		}
	}
	look("the beginning")
	fakepairs.Put(t, run, fakepairs.Pair(plan, 0, 20))
	look("a pair")
	if err := run.Change(t.Context(), plan.Pairs+1, 1, match.RunPlaying); err != nil {
		t.Fatal(err)
	}
	look("another target")
	if _, err := run.Void(t.Context(), "test", "me", func(match.Row) bool { return true }); err != nil {
		t.Fatal(err)
	}
	look("a pair that is void")
	fakepairs.Put(t, run, fakepairs.Pair(plan, 0, 20))
	look("the pair again")
	if len(seen) != 5 {
		t.Errorf("%d stamps", len(seen))
	}
}
