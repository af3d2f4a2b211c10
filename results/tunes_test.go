package results_test

import (
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/match/tune"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestVoidInATune: a void of a pair of a tune also voids the pairs and states that depend on it.
func TestVoidInATune(t *testing.T) {
	path, plan := resultstest.Tuned(t, 18)
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, plan)
	info := testutil.Must(s.FindRun(t.Context(), "r"))(t)
	foretold := testutil.Must(s.Voidable(t.Context(), info, []int{5}))(t)
	pairs, err := run.Void(t.Context(), "a bad machine", "me", func(g match.Row) bool { return g.Pair == 5 })
	// Pair 5 is in block 1. Eight pairs in flight give a lag of one block: block 2 uses the state after block 0. Block
	// 3, which begins with pair 12, uses the state after block 1.
	want := []int{5, 12, 13, 14, 15, 16, 17}
	testutil.Check(t, err == nil && slices.Equal(pairs, want) && slices.Equal(foretold, want),
		"%v, %v, foretold %v", pairs, err, foretold)
	states, err := results.TuneStates(t.Context(), s, run.ID())
	testutil.Check(t, err == nil && len(states) == 1 && states[0].Blocks == 1, "%+v, %v", states, err)
}

// TestVoidKeepsEarlierStates: a void keeps the states of earlier blocks, because they do not depend on the voided pair.
func TestVoidKeepsEarlierStates(t *testing.T) {
	for voided, blocks := range map[int]int{3: 0, 4: 1, 7: 1, 8: 2} { // four pairs a block
		path, plan := resultstest.Tuned(t, 12)
		s := resultstest.Open(t, path)
		run := resultstest.Begin(t, s, plan)
		testutil.Must(run.Void(t.Context(), "a bad machine", "me", func(g match.Row) bool { return g.Pair == voided }))(t)
		states, err := results.TuneStates(t.Context(), s, run.ID())
		testutil.Check(t, err == nil && len(states) == blocks,
			"without pair %d %d states are left (%v), want %d: %+v", voided, len(states), err, blocks, states)
	}
}

func settingsOf(t *testing.T, plan *match.Plan) *tune.Settings {
	t.Helper()
	p := testutil.Must(tune.ParsePlan(plan.Tune))(t)
	return &p.Settings
}

// TestAddStatesIsOneTransaction: a pair without its states, or states without their pair, is never stored.
func TestAddStatesIsOneTransaction(t *testing.T) {
	path, plan := resultstest.Tuned(t, 8)
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, plan)
	settings := settingsOf(t, plan)
	walk := testutil.Must(tune.NewPath(*settings))(t)
	duel, _ := walk.Draw(0)
	pair := matchtest.Pair(plan, 8, 20)
	pair.Pair.Options = settings.Points(&duel)
	twice := match.TuneState{Blocks: 1, Pairs: 4, Centre: []float64{1, 2}, Factor: 1} // which is already stored
	if _, err := run.AddStates(t.Context(), pair,
		[]match.TuneState{{Blocks: 3, Pairs: 12, Centre: []float64{1, 2}, Factor: 1}, twice}); err == nil {
		t.Error("a state is stored twice")
	}
	finished, err := run.Finished(t.Context())
	states, serr := run.States(t.Context())
	testutil.Check(t, err == nil && serr == nil && !finished[8] && len(states) == 2, "%v, %v, %+v, %v", finished, err,
		states, serr)
}
