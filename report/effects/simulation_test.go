package effects

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

var simulated = flag.Int("simulated", 0, "runs in each simulation; 0: 20, and 50 with -long")

func simulations() int {
	if *simulated > 0 {
		return *simulated
	}
	return testutil.ByLength(12, 50)
}

// world is how simulated players play; the zero value of bonus is equal players.
type world struct {
	openings int     // each pair has its own where 0
	bias     float64 // how much openings favour a colour: the spread of Black's log odds
	calm     int     // openings favour no colour in one of so many, which are of one family; 0: nowhere
	black    float64 // Black's log odds on average
	copies   bool    // an opening is always played alike
	alike    float64 // how often an opening has the results of its first pair, by other moves
	bonus    float64 // A's log odds in the family that is played second
}

// season plays a run of so many pairs. What games look like depends on who wins: the loser runs short of
// time, Black's wins are quick.
func (w world) season(r *rand.Rand, pairs int) ([][]match.Row, [][]kifu.Record) {
	var allRows [][]match.Row
	var allRecords [][]kifu.Record
	odds, rowsOf, recordsOf := map[int]float64{}, map[int][]match.Row{}, map[int][]kifu.Record{}
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
		rows, records := rowsOf[o], recordsOf[o]
		if rows == nil || !w.copies {
			rows, records = nil, nil
			for leg := range 2 {
				row, record := w.play(r, pair, o, leg, odds[o])
				rows, records = append(rows, row), append(records, record)
			}
			if first := rowsOf[o]; first != nil && r.Float64() < w.alike {
				for leg := range rows {
					rows[leg].Outcome, rows[leg].Points = first[leg].Outcome, first[leg].Points
				}
			} else if first == nil {
				rowsOf[o], recordsOf[o] = rows, records
			}
		}
		allRows, allRecords = append(allRows, rows), append(allRecords, records)
	}
	return allRows, allRecords
}

func (w world) play(r *rand.Rand, pair, opening, leg int, odds float64) (match.Row, kifu.Record) {
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
	if r.IntN(3) == 0 && row.Outcome != match.Draw {
		row.Termination = match.Checkmate
	}
	row.Plies = 40 + 20*int(winner) + r.IntN(100)
	row.Sides = [2]match.Side{{PonderHits: r.IntN(10), PonderMisses: r.IntN(10)}, {PonderHits: r.IntN(10), PonderMisses: r.IntN(10)}}
	return row, recordOf(r, w.family(opening), opening, row, winner)
}

// family is one of three.
func (w world) family(opening int) int {
	if w.calm > 0 && opening%w.calm != 1 {
		return 0
	}
	return opening % 3
}

// recordOf has the opening, then moves that take all of the loser's time in one game of two and of the
// winner's in one of five; the winner's lead is seen from some ply on.
func recordOf(r *rand.Rand, family, opening int, row match.Row, winner shogi.Colour) kifu.Record {
	record := kifu.Record{Start: "startpos"}
	first := [][2]shogi.Move{
		{shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)), shogi.NewMove(shogi.NewSquare(3, 3), shogi.NewSquare(3, 4))},
		{shogi.NewMove(shogi.NewSquare(2, 7), shogi.NewSquare(2, 6)), shogi.NewMove(shogi.NewSquare(8, 3), shogi.NewSquare(8, 4))},
		{shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)), shogi.NewMove(shogi.NewSquare(8, 3), shogi.NewSquare(8, 4))},
	}[family]
	own := shogi.NewMove(shogi.Square(opening%81), shogi.Square(80-opening/81)) //nolint:gosec // a move that no other opening has
	for _, m := range []shogi.Move{first[0], first[1], own} {
		record.Moves = append(record.Moves, kifu.Move{Move: m, Opening: true})
	}
	spent := [2]time.Duration{time.Second, time.Second}
	if r.IntN(5) == 0 {
		spent[winner] = time.Minute
	}
	if r.IntN(2) == 0 {
		spent[winner.Opponent()] = time.Minute
	}
	from := r.IntN(100)
	for ply := 3; ply < 110; ply++ {
		m := kifu.Move{Move: own, HasScore: true}
		if ply < 5 {
			m.Time = spent[ply%2]
		}
		if ply >= from && row.Outcome != match.Draw {
			m.Score = 900
			if shogi.Colour(ply%2) != winner { //nolint:gosec // 0 and 1
				m.Score = -900
			}
		}
		record.Moves = append(record.Moves, m)
	}
	return record
}

// tableOf is the table of a run, without intervals.
func tableOf(t *testing.T, run Run, rows [][]match.Row, records [][]kifu.Record) *Table {
	t.Helper()
	g := New(run)
	for i := range rows {
		testutil.OK(t, g.Add(rows[i], records[i]))
	}
	table := testutil.Must(g.tested())(t)
	return table
}

// clocked is a finished run of A against B with half a minute each.
func clocked() Run {
	clock := [2]match.TimeControl{{Main: 30 * time.Second}, {Main: 30 * time.Second}}
	return Run{Name: "run", A: "A", B: "B", Finished: true, Clocks: [2][2]match.TimeControl{clock, clock}}
}

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

// TestSimulatedEquals: under equal players, whatever openings do and however often they recur, the table
// finds something in one run of twenty at most, three standard errors for chance apart. Where A really gains
// in one family, it is found.
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
				rows, records := w.season(r, 120)
				table := tableOf(t, clocked(), rows, records)
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
			if tested == 0 {
				t.Error("no row was tested")
			}
		})
	}
}

// TestSimulatedHabits: where players leave an earlier game of the opening late, its results come again, and
// the rows of single openings find that, as docs/ratings.md says; the other rows do not.
func TestSimulatedHabits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(22, 22))
	openings, rest := 0, 0
	for range simulations() {
		rows, records := world{openings: 12, alike: 0.8}.season(r, 240)
		all := stand(tableOf(t, clocked(), rows, records))
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
		rows, records := world{bonus: 3, bias: 0.5}.season(r, 150)
		if all := stand(tableOf(t, clocked(), rows, records)); len(all) > 0 && all[0] == "family 2g2f 8c8d" {
			hits++
		}
	}
	if hits < runs*9/10 {
		t.Errorf("the family was found in %d of %d runs", hits, runs)
	}
}
