package effects

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

var simulated = flag.Int("simulated", 0, "runs in each simulation; 0: 20, and 50 with -long")

func simulations() int {
	if *simulated > 0 {
		return *simulated
	}
	return testutil.ByLength(12, 50)
}

// A world describes how simulated players play. With a bonus of zero the players are equal.
type world struct {
	openings int     // 0: each pair has its own
	bias     float64 // how much openings favour a colour: the spread of Black's log odds
	calm     int     // one opening in this number favours no colour, and these are of one family; 0: none
	black    float64 // Black's log odds on average
	copies   bool    // an opening always has the same games
	alike    float64 // how often an opening repeats the results of its first pair, with other moves
	bonus    float64 // A's log odds in family 1
}

// season plays a run with this number of pairs.
func (w world) season(r *rand.Rand, pairs int) (all [][]match.Row, starts []match.Opening) {
	odds, rowsOf := map[int]float64{}, map[int][]match.Row{}
	for pair := range pairs {
		o := pair
		if w.openings > 0 {
			o = pair % w.openings
		}
		if _, known := odds[o]; !known {
			odds[o] = w.black + w.bias*r.NormFloat64()
			if w.calm > 0 && o%w.calm == 1 {
				odds[o] = w.black
			}
		}
		rows := rowsOf[o]
		if rows == nil || !w.copies {
			rows = nil
			for leg := range 2 {
				rows = append(rows, w.play(r, pair, o, leg, odds[o]))
			}
			if first := rowsOf[o]; first != nil && r.Float64() < w.alike {
				for leg := range rows {
					rows[leg].Outcome, rows[leg].Points = first[leg].Outcome, first[leg].Points
				}
			} else if first == nil {
				rowsOf[o] = rows
			}
		}
		all, starts = append(all, rows), append(starts, startOf(w.family(o), o))
	}
	return all, starts
}

func (w world) play(r *rand.Rand, pair, opening, leg int, odds float64) match.Row {
	row := match.Row{
		Pair: pair, Leg: leg, PairA: "A", PairB: "B", Black: "A", White: "B", OpeningID: fmt.Sprint(opening), OpeningPlies: 3,
		MovesHash: r.Uint64(), Termination: match.Resignation, Points: [2]float64{0.5, 0.5}, Outcome: match.Draw,
	}
	bonus := 0.0
	if w.family(opening) == 1 {
		bonus = w.bonus
	}
	if leg == 1 {
		row.Black, row.White, bonus = "B", "A", -bonus
	}
	winner := shogi.White
	if r.Float64() < 1/(1+math.Exp(-odds-bonus)) {
		winner = shogi.Black
	}
	if r.Float64() < 0.04 {
		row.Termination = match.Repetition
	} else {
		row.Outcome, row.Points = match.WinFor(winner), [2]float64{}
		row.Points[winner] = 1
	}
	row.Sides = [2]match.Side{{PonderHits: r.IntN(10), PonderMisses: r.IntN(10)},
		{PonderHits: r.IntN(10), PonderMisses: r.IntN(10)}}
	return row
}

// family returns the family of an opening, one of three.
func (w world) family(opening int) int {
	if w.calm > 0 && opening%w.calm != 1 {
		return 0
	}
	return opening % 3
}

// startOf returns an opening of a family, with a third move that no other opening has.
func startOf(family, opening int) match.Opening {
	first := [][2]shogi.Move{
		{shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)),
			shogi.NewMove(shogi.NewSquare(3, 3), shogi.NewSquare(3, 4))},
		{shogi.NewMove(shogi.NewSquare(2, 7), shogi.NewSquare(2, 6)),
			shogi.NewMove(shogi.NewSquare(8, 3), shogi.NewSquare(8, 4))},
		{shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)),
			shogi.NewMove(shogi.NewSquare(8, 3), shogi.NewSquare(8, 4))},
	}[family]
	own := shogi.NewMove(shogi.Square(opening%81), shogi.Square(80-opening/81))
	return match.Opening{ID: fmt.Sprint(opening), Start: "startpos", Moves: []shogi.Move{first[0], first[1], own}}
}

// tableOf returns the table of a run, without intervals.
func tableOf(t *testing.T, run Run, rows [][]match.Row, starts []match.Opening) *Table {
	t.Helper()
	g := New(run)
	for i := range rows {
		testutil.OK(t, g.Add(starts[i], rows[i]))
	}
	return testutil.Must(g.tested())(t)
}

// finished returns a finished run of A against B.
func finished() Run { return Run{Name: "run", A: "A", B: "B", Finished: true} }

func stand(t *Table) (rows []string) {
	for _, g := range t.Groupings {
		for _, r := range g.Rows {
			if r.Stands() {
				rows = append(rows, g.Name+" "+r.Name)
			}
		}
	}
	return rows
}

// TestSimulatedEquals: for equal players, any openings and any repetitions, the table finds something in at most one
// run of twenty, within three standard errors.
func TestSimulatedEquals(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]world{
		"an opening a pair":        {},
		"openings decide":          {bias: 2.5},
		"24 openings":              {openings: 24, bias: 1},
		"6 openings":               {openings: 6, bias: 2},
		"a family of close games":  {bias: 8, calm: 6},
		"24 openings, all copies":  {openings: 24, bias: 1, copies: true},
		"60 openings, some copies": {openings: 60, bias: 1, copies: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(20, uint64(len(name))))
			found, tested, where := 0, 0, map[string]int{}
			for range simulations() {
				rows, starts := w.season(r, 120)
				table := tableOf(t, finished(), rows, starts)
				tested += table.Tested
				if all := stand(table); len(all) > 0 {
					found++
					for _, row := range all {
						where[row]++
					}
				}
			}
			n := float64(simulations())
			t.Logf("%d of %d runs find something, %.1f rows tested: %v", found, simulations(), float64(tested)/n, where)
			if limit := 0.05*n + 3*math.Sqrt(0.05*0.95*n); float64(found) > limit {
				t.Errorf("%d of %d runs between equals find something: %v", found, simulations(), where)
			}
			testutil.Check(t, tested != 0, "no row was tested")
		})
	}
}

// TestSimulatedHabits: players that leave an earlier game of the opening late repeat its results. The rows of single
// openings find this, as docs/ratings.md explains. The other rows do not.
func TestSimulatedHabits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(22, 22))
	openings, rest := 0, 0
	for range simulations() {
		rows, starts := world{openings: 12, alike: 0.8}.season(r, 240)
		all := stand(tableOf(t, finished(), rows, starts))
		if slices.ContainsFunc(all, func(row string) bool { return strings.HasPrefix(row, "opening ") }) {
			openings++
		}
		if slices.ContainsFunc(all, func(row string) bool { return !strings.HasPrefix(row, "opening ") }) {
			rest++
		}
	}
	n := float64(simulations())
	t.Logf("of %d runs %d find an opening, %d anything else", simulations(), openings, rest)
	if float64(openings) < n/2 || float64(rest) > 0.05*n+3*math.Sqrt(0.05*0.95*n) {
		t.Errorf("of %d runs %d find an opening, %d anything else", simulations(), openings, rest)
	}
}

func TestSimulatedGain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 21))
	hits, runs := 0, 20
	for range runs {
		rows, starts := world{bonus: 3, bias: 0.5}.season(r, 150)
		if all := stand(tableOf(t, finished(), rows, starts)); len(all) > 0 && all[0] == "family 2g2f 8c8d" {
			hits++
		}
	}
	testutil.Check(t, hits >= runs*9/10, "the family was found in %d of %d runs", hits, runs)
}
