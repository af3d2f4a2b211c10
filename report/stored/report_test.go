package stored

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
	"gogi/report/ratings"
	"gogi/results"
	"gogi/stats"
)

// TestGatheringStopsAtAGap: a report of an unfinished run uses only the pairs before the first gap.
func TestGatheringStopsAtAGap(t *testing.T) {
	t.Parallel()
	run := report.Run{Name: "r", Pairs: 5, Players: []report.Player{{Name: "a"}, {Name: "b"}}}
	sums := testutil.Must(report.New(run))(t)
	g := &Gathering{run: run, sums: sums}
	rows := matchtest.Run{Players: []string{"a", "b"}, Pairs: []string{"WW", "WL", "LL", "WW", "DD"}}.Rows()
	for _, pair := range [][]match.Row{rows[0], rows[1], nil, rows[3], rows[4]} {
		testutil.OK(t, g.Add(pair))
	}
	if g.next != 2 || g.sums.Report().Pairs != 2 {
		t.Errorf("the gap is at pair %d, %d are added", g.next, g.sums.Report().Pairs)
	}
}

// TestFinishedGathering: a gathering that begins before more pairs are stored, and finishes after them, equals a report
// that is read at once. The same holds if the settings change in between.
func TestFinishedGathering(t *testing.T) {
	t.Parallel()
	for _, changed := range []bool{false, true} {
		store, plan := gatedSeries(t)
		beginAndAdd(t, store, plan, resignedPair(plan, 0, 0), resignedPair(plan, 1, 0), resignedPair(plan, 3, 0))
		g, err := Gather(t.Context(), store, "r")
		if err == nil {
			err = store.Pairs(t.Context(), 1, results.Filter{}, g.Add)
		}
		testutil.Require(t, err == nil && g.next == 2, "%d pairs before the gap, %v", g.next, err)
		later := *plan
		if changed {
			later.Gate.Elo1, later.Pairs = 40, 9
		}
		beginAndAdd(t, store, &later, resignedPair(plan, 2, 0), resignedPair(plan, 4, 0))
		got := testutil.Must(g.Finish(t.Context(), store))(t)
		want := testutil.Must(Report(t.Context(), store, "r"))(t)
		diff := cmp.Diff(asJSON(t, want), asJSON(t, got))
		testutil.Check(t, diff == "" && got.Pairs == 5, "changed %t: %d pairs (-want +got):\n%s", changed, got.Pairs, diff)
	}
}

func asJSON(t *testing.T, r *report.Report) string {
	t.Helper()
	text := testutil.Must(json.Marshal(r))(t)
	return string(text)
}

// TestStates: a list of runs shows how each run ended: completed, ended by its SPRT with either decision, stopped by a
// user, or interrupted.
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
				// With Elo bounds this far apart, 40 won pairs decide the SPRT, and one pair does not.
				plan.Gate = stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic}
				plan.Pairs = 2 * len(won)
			} else {
				plan.Gate = stats.SPRT{}
			}
			run := testutil.Must(store.Begin(t.Context(), plan))(t)
			for i, w := range c.won {
				testutil.Must(run.Add(t.Context(), wonPair(plan, i, w)))(t)
			}
			for _, phase := range c.told {
				testutil.OK(t, run.Change(t.Context(), plan.Pairs, plan.Concurrency, phase))
			}
			testutil.OK(t, run.Close())
			list, err := Runs(t.Context(), store, "", nil)
			testutil.Require(t, err == nil && len(list.Runs) == 1, "%+v, %v", list, err)
			testutil.Equal(t, list.Runs[0].State, c.want)
			info := testutil.Must(store.FindRun(t.Context(), plan.Run))(t)
			rep := testutil.Must(Report(t.Context(), store, plan.Run))(t)
			end := testutil.Must(ReadEnd(t.Context(), store, info))(t)
			testutil.Equal(t, end, EndOf(rep), "the end, with and without a report")
			testutil.Equal(t, end.Gate != "", c.gated, "the SPRT: %q", end.Gate)
			list = testutil.Must(Runs(t.Context(), store, "", []string{plan.Run}))(t)
			open := c.want == StateUnfinished || c.want == StateStopped
			testutil.Equal(t, list.Runs[0].State == StatePlaying, open, "in play: %s", list.Runs[0].State)
		})
	}
}

// TestGoneOn: a stopped run that continues is no longer listed as stopped.
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
		list, err := Runs(t.Context(), store, "", nil)
		testutil.Check(t, err == nil && list.Runs[0].State == want, "%+v, want %s; %v", list, want, err)
	}
}

// TestUnshown: the leader b is shown to be stronger than a (p 0.01), but not than c (p 0.2). It was never compared to
// d. The comparison of c and a is not about the leader.
func TestUnshown(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	rated := &ratings.Report{Comparisons: []ratings.Comparison{
		{Pairing: ratings.Pairing{A: "a", B: "b"}, Difference: report.Difference{Elo: number(-80)}, PHolm: number(0.01)},
		{Pairing: ratings.Pairing{A: "b", B: "c"}, Difference: report.Difference{Elo: number(20)}, PHolm: number(0.2)},
		{Pairing: ratings.Pairing{A: "c", B: "a"}, Difference: report.Difference{Elo: number(60)}, PHolm: number(0.001)},
	}}
	players := []report.Ranked{{Player: "b"}, {Player: "c"}, {Player: "a"}, {Player: "d"}}
	testutil.Slices(t, unshown(players, rated), []string{"c", "d"})
	rated.Comparisons[0].Elo = number(80) // a has the higher rating, but not more points
	testutil.Slices(t, unshown(players, rated), []string{"c", "a", "d"})
	got := unshown(players, &ratings.Report{})
	testutil.Check(t, got == nil, "%q of no comparison", got)
}

// TestSampleIsACopy: the sample of the first games does not change with the rows, which a scan uses again.
func TestSampleIsACopy(t *testing.T) {
	t.Parallel()
	var g Gathering
	rows := []match.Row{{Pair: 3, Leg: 1}}
	g.sample(rows)
	rows[0] = match.Row{Pair: 600}
	testutil.Check(t, len(g.first) == 1 && g.first[0][0].Pair == 3 && g.first[0][0].Leg == 1, "%v", g.first)
}

// TestEndOfAKnockout: a knockout ends with fewer pairs than planned if its matches need no more pairs.
func TestEndOfAKnockout(t *testing.T) {
	t.Parallel()
	store, plan := manyOpenings(t)
	plan.Gate, plan.Pairs = stats.SPRT{}, 3
	played := wonPair(plan, 0, true)
	plan.Design = match.Design{Kind: match.DesignKnockout, Swap: true,
		Tournament: match.Tournament{MatchPairs: 1, Tiebreaks: 2}}
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	info := testutil.Must(store.FindRun(t.Context(), plan.Run))(t)
	for pairs := range 2 {
		rep := testutil.Must(Report(t.Context(), store, plan.Run))(t)
		end := testutil.Must(ReadEnd(t.Context(), store, info))(t)
		testutil.Equal(t, end, EndOf(rep), "%d pairs, with and without a report", pairs)
		testutil.Equal(t, end.Finished, pairs == 1, "%d of 3 pairs", pairs)
		if pairs == 0 {
			played.Pair = plan.PairOf(0, [2]int{0, 1}, 0)
			testutil.Must(run.Add(t.Context(), played))(t)
		}
	}
	testutil.OK(t, run.Close())
}
