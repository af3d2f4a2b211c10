package results_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestStampTellsEveryChange: a stamp does not change while nothing is stored. It changes after a pair, after a change
// of settings, after a void, and after the pair is played again.
func TestStampTellsEveryChange(t *testing.T) {
	store, plan := resultstest.Open(t, resultstest.Path(t)), matchtest.Plan("r")
	run := resultstest.Begin(t, store, plan)
	seen := map[results.Stamp]string{}
	look := func(what string) {
		t.Helper()
		for range 2 {
			s := testutil.Must(store.Stamp(t.Context(), run.ID()))(t)
			before, ok := seen[s]
			testutil.Check(t, !ok || before == what, "the stamp after %s is that after %s", what, before)
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

// TestFindRuns: FindRuns returns the runs in the order of the names, with the same values as FindRun. RunNames returns
// the same names whether some are known or not.
func TestFindRuns(t *testing.T) {
	store := resultstest.Open(t, resultstest.Path(t))
	for _, name := range []string{"a", "b", "c"} {
		plan := matchtest.Plan(name)
		run := resultstest.Begin(t, store, plan)
		matchtest.Put(t, run, matchtest.Pair(plan, 0, 20))
		testutil.OK(t, run.Close())
	}
	infos := testutil.Must(store.FindRuns(t.Context(), []string{"c", "none", "a"}))(t)
	testutil.Equal(t, len(infos), 2, "runs")
	for i, name := range []string{"c", "a"} {
		testutil.Same(t, infos[i], *testutil.Must(store.FindRun(t.Context(), name))(t), "%s", name)
	}
	all := testutil.Must(store.RunNames(t.Context(), nil))(t)
	testutil.Equal(t, len(all), 3, "names")
	later := testutil.Must(store.RunNames(t.Context(), all[1:]))(t)
	testutil.Same(t, later, all, "names after two are known")
}
