package results_test

import (
	"testing"
	"time"

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

// TestTalliesAddUp: what openings and slots are said to have seen is what the games say,
// added up here.
func TestTalliesAddUp(t *testing.T) {
	store, plan := resultstest.Open(t, resultstest.Path(t)), fakepairs.Plan("r")
	run := resultstest.Begin(t, store, plan)
	for id := range 4 {
		fakepairs.Put(t, run, fakepairs.Pair(plan, id, 20))
	}
	type slot struct {
		number int
		player string
	}
	slots, openings := map[slot]results.SlotTally{}, map[string]results.OpeningTally{}
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
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.SlotTallies(t.Context(), run.ID())
	if err != nil || len(got) != len(slots) || len(got) == 0 {
		t.Fatalf("%d slots, want %d: %v", len(got), len(slots), err)
	}
	for _, s := range got {
		if want := slots[slot{s.Slot, s.Player}]; s != want {
			t.Errorf("got %+v, want %+v", s, want)
		}
	}
	tallies, err := store.OpeningTallies(t.Context(), run.ID())
	if err != nil || len(tallies) != len(openings) {
		t.Fatalf("%d openings, want %d: %v", len(tallies), len(openings), err)
	}
	for _, o := range tallies {
		if want := openings[o.ID]; o.Games != want.Games || o.Black != want.Black || o.White != want.White || o.Draws != want.Draws {
			t.Errorf("got %+v, want %+v", o, want)
		}
	}
}
