package stored

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
	"gogi/results/resultstest"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/stats"
)

// TestTalliesAddUp: the counts of openings and slots equal the sums that the test calculates from the games.
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
	info := testutil.Must(store.FindRun(t.Context(), "r"))(t)
	got, err := SlotTallies(t.Context(), store, info)
	testutil.Require(t, err == nil && len(got) == len(slots) && len(got) != 0, "%d slots, want %d: %v", len(got),
		len(slots), err)
	for _, s := range got {
		testutil.Equal(t, slots[slot{s.Slot, s.Player}], s)
	}
	tallies, err := OpeningTallies(t.Context(), store, run.ID())
	testutil.Require(t, err == nil && len(tallies) == len(openings), "%d openings, want %d: %v", len(tallies),
		len(openings), err)
	for _, o := range tallies {
		if want := openings[o.ID]; o.Games != want.Games || o.Black != want.Black || o.White != want.White ||
			o.Draws != want.Draws {
			t.Errorf("got %+v, want %+v", o, want)
		}
	}
}

// TestBookMoves: a report counts the book moves of each player with each colour, also if White moves first. The votes
// of a council are not book moves, and a player without a book has no count.
func TestBookMoves(t *testing.T) {
	t.Parallel()
	store, plan := gatedSeries(t)
	plan.Gate = stats.SPRT{}
	plan.Players[0].Identity.Files = []match.FileHash{{Role: match.BookRole, Path: "/b.db", SHA256: "00"}}
	pair := resignedPair(plan, 0, 0)
	for leg := range pair.Games {
		g := &pair.Games[leg]
		for i, word := range []string{"7g7f", "3c3d", "2g2f", "8c8d"} {
			m := testutil.Must(shogi.ParseMove(word))(t)
			move := kifu.Move{Move: m, Detail: kifu.BookDetail()}
			if leg == 1 && i == 3 {
				move.Detail = []byte(`{"by":"rule"}`)
			}
			g.Record.Moves = append(g.Record.Moves, move)
			g.Sides[i%2].Plies++
		}
	}
	beginAndAdd(t, store, plan, pair)
	info := testutil.Must(store.FindRun(t.Context(), "r"))(t)
	rep := testutil.Must(Report(t.Context(), store, "r"))(t)
	shown := testutil.Must(Shown(t.Context(), store, info))(t)
	// A has three book moves: 7g7f and 2g2f as Black, and 3c3d as White. The 8c8d of its game as White is a vote. All
	// moves of the first game would give another count.
	for _, players := range [][]report.Player{rep.Players, shown.Report.Players} {
		if a, b := players[0].BookMoves, players[1].BookMoves; a == nil || *a != 3 || b != nil {
			t.Errorf("A %v, B %v, want 3 and nothing", a, b)
		}
	}
	// In a council's vote record, only the decision "book" is a book move.
	council := kifu.Record{Start: "startpos", Moves: []kifu.Move{
		{Detail: []byte(`{"v":2,"by":"book","members":["a"],"ballots":[]}`)}, {},
		{Detail: []byte(`{"v":2,"by":"rule","ballots":[{"source":"book"}]}`)}, {},
		{Detail: []byte(`{"v":2,"by":"rule","note":"by book"}`)},
	}}
	var of [2]int
	if err := countBookMoves(&council, [2]*int{&of[0], &of[1]}); err != nil || of != [2]int{1, 0} {
		t.Errorf("of a council: %v, %v", of, err)
	}
	white := kifu.Record{Start: "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
		Moves: []kifu.Move{{Detail: kifu.BookDetail()}}}
	var n [2]int
	if err := countBookMoves(&white, [2]*int{&n[0], &n[1]}); err != nil || n != [2]int{0, 1} {
		t.Errorf("%v, %v", n, err)
	}
}
