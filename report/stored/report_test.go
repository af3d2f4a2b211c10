package stored

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
	"gogi/results"
)

// A report that is begun takes the pairs before the first gap, and no other.
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

// A report that was begun while pairs were read for something else, and finished after more were stored, is
// the one that is read at once; so it is where the settings changed meanwhile.
func TestFinishedGathering(t *testing.T) {
	t.Parallel()
	for _, changed := range []bool{false, true} {
		store, plan := gatedSeries(t)
		beginAndAdd(t, store, plan, resignedPair(plan, 0, 0), resignedPair(plan, 1, 0), resignedPair(plan, 3, 0))
		g, err := Gather(t.Context(), store, "r")
		if err == nil {
			err = store.Pairs(t.Context(), 1, results.Filter{}, g.Add)
		}
		if err != nil || g.next != 2 {
			t.Fatalf("%d pairs before the gap, %v", g.next, err)
		}
		later := *plan
		if changed {
			later.Gate.Elo1, later.Pairs = 40, 9
		}
		beginAndAdd(t, store, &later, resignedPair(plan, 2, 0), resignedPair(plan, 4, 0))
		got, err := g.Finish(t.Context(), store)
		testutil.OK(t, err)
		want, err := Report(t.Context(), store, "r")
		testutil.OK(t, err)
		if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" || got.Pairs != 5 {
			t.Errorf("changed %t: %d pairs (-want +got):\n%s", changed, got.Pairs, diff)
		}
	}
}

func asJSON(t *testing.T, r *report.Report) string {
	t.Helper()
	text := testutil.Must(json.Marshal(r))(t)
	return string(text)
}
