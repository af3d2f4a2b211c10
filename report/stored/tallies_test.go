package stored

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/resultstest"
)

// TestTalliesAddUp: what openings and slots are said to have seen is what the games say, added up here.
func TestTalliesAddUp(t *testing.T) {
	t.Parallel()
	store, plan := resultstest.Open(t, resultstest.Path(t)), matchtest.Plan("r")
	run := resultstest.Begin(t, store, plan)
	for id := range 4 {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 20))
	}
	type slot struct {
		number int
		player string
	}
	slots, openings := map[slot]SlotTally{}, map[string]OpeningTally{}
	err := store.Games(t.Context(), run.ID(), func(r match.Row) error {
		for c, player := range []string{r.Black, r.White} {
			s := slots[slot{r.Slot, player}]
			s.Slot, s.Player = r.Slot, player
			s.Games++
			s.Plies += r.Sides[c].Plies
			s.Nodes += float64(r.Sides[c].Nodes)
			s.Time += r.Sides[c].Time.Truncate(time.Microsecond)
			s.Overrun = max(s.Overrun, r.Sides[c].WorstOverrun)
			if r.Marked {
				s.Marked++
			}
			slots[slot{r.Slot, player}] = s
		}
		o := openings[r.OpeningID]
		o.Games++
		switch r.Outcome {
		case match.BlackWins:
			o.Black++
		case match.WhiteWins:
			o.White++
		default:
			o.Draws++
		}
		openings[r.OpeningID] = o
		return nil
	})
	testutil.OK(t, err)
	info, err := store.FindRun(t.Context(), "r")
	testutil.OK(t, err)
	got, err := SlotTallies(t.Context(), store, info)
	if err != nil || len(got) != len(slots) || len(got) == 0 {
		t.Fatalf("%d slots, want %d: %v", len(got), len(slots), err)
	}
	for _, s := range got {
		testutil.Equal(t, slots[slot{s.Slot, s.Player}], s)
	}
	tallies, err := OpeningTallies(t.Context(), store, run.ID())
	if err != nil || len(tallies) != len(openings) {
		t.Fatalf("%d openings, want %d: %v", len(tallies), len(openings), err)
	}
	for _, o := range tallies {
		if want := openings[o.ID]; o.Games != want.Games || o.Black != want.Black || o.White != want.White || o.Draws != want.Draws {
			t.Errorf("got %+v, want %+v", o, want)
		}
	}
}
