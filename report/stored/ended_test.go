package stored

import (
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// TestStates: a list of runs says how each ended: played to its end, ended by its gate with either verdict,
// told to stop, broken off.
func TestStates(t *testing.T) {
	t.Parallel()
	won, lost := make([]bool, 40), make([]bool, 40)
	for i := range won {
		won[i] = true
	}
	for name, c := range map[string]struct {
		gated bool
		won   []bool
		told  []match.RunPhase // after these pairs
		want  State
	}{
		"all pairs":               {false, won, nil, StateFinished},
		"broken off":              {false, won[:3], nil, StateUnfinished},
		"nothing yet":             {true, nil, nil, StateUnfinished},
		"the gate goes on":        {true, won[:1], nil, StateUnfinished},
		"the gate passed":         {true, won, nil, StatePassed},
		"the gate failed":         {true, lost, nil, StateFailed},
		"drained":                 {false, won[:3], []match.RunPhase{match.RunDraining}, StateStopped},
		"stopped":                 {true, won[:1], []match.RunPhase{match.RunPaused, match.RunStopping}, StateStopped},
		"paused, then broken off": {false, won[:3], []match.RunPhase{match.RunPaused}, StateUnfinished},
		"drained at its end":      {false, won, []match.RunPhase{match.RunDraining}, StateFinished},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, plan := manyOpenings(t)
			plan.Pairs = len(won)
			if c.gated {
				// Forty pairs of two wins decide it, one does not: with so wide a difference.
				plan.Gate = match.Gate{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.05, Model: match.GateLogistic}
				plan.Pairs = 2 * len(won)
			} else {
				plan.Gate = match.Gate{}
			}
			run, err := store.Begin(t.Context(), plan)
			testutil.OK(t, err)
			for i, w := range c.won {
				testutil.Must(run.Add(t.Context(), wonPair(plan, i, w)))(t)
			}
			for _, phase := range c.told {
				testutil.OK(t, run.Change(t.Context(), plan.Pairs, plan.Concurrency, phase))
			}
			testutil.OK(t, run.Close())
			list, err := Runs(t.Context(), store)
			if err != nil || len(list.Runs) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			testutil.Equal(t, list.Runs[0].State, c.want)
		})
	}
}

// TestGoneOn: a run that was stopped and is played again is not told as stopped.
func TestGoneOn(t *testing.T) {
	t.Parallel()
	store := testutil.Must(results.Open(t.Context(), filepath.Join(t.TempDir(), "r.db")))(t)
	t.Cleanup(func() { _ = store.Close() })
	_, plan := manyOpenings(t)
	for _, want := range []State{StateStopped, StateUnfinished} {
		run, err := store.Begin(t.Context(), plan)
		if err == nil && want == StateStopped {
			err = run.Change(t.Context(), plan.Pairs, plan.Concurrency, match.RunStopping)
		}
		testutil.OK(t, err)
		testutil.OK(t, run.Close())
		list, err := Runs(t.Context(), store)
		if err != nil || list.Runs[0].State != want {
			t.Errorf("%+v, want %s; %v", list, want, err)
		}
	}
}
