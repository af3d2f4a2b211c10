package results_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestStampTellsEveryChange: a stamp is the same while nothing is stored, and another one
// after a pair, after settings changed, and after a pair was taken out and played again.
func TestStampTellsEveryChange(t *testing.T) {
	store, plan := resultstest.Open(t, resultstest.Path(t)), matchtest.Plan("r")
	run := resultstest.Begin(t, store, plan)
	seen := map[results.Stamp]string{}
	look := func(what string) {
		t.Helper()
		for range 2 {
			s := testutil.Must(store.Stamp(t.Context(), run.ID()))(t)
			if before, ok := seen[s]; ok && before != what {
				t.Errorf("the stamp after %s is that after %s", what, before)
			}
			seen[s] = what
		}
	}
	look("the beginning")
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 20))
	look("a pair")
	testutil.OK(t, run.Change(t.Context(), plan.Pairs+1, 1, match.RunPlaying))
	look("another target")
	testutil.Must(run.Void(t.Context(), "test", "me", func(match.Row) bool { return true }))(t)
	look("a pair that is void")
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 20))
	look("the pair again")
	testutil.Equal(t, len(seen), 5, "stamps")
}
