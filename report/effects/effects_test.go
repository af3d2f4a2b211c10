package effects

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

func moveOf(t *testing.T, text string) shogi.Move {
	t.Helper()
	return testutil.Must(shogi.ParseMove(text))(t)
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	moves := []shogi.Move{moveOf(t, "7g7f"), moveOf(t, "3c3d"), moveOf(t, "2g2f")}
	handicap, _ := shogi.FindHandicap("two-piece")
	for want, o := range map[string]match.Opening{
		"7g7f 3c3d":        {Start: "startpos", Moves: moves},
		"7g7f":             {Start: "startpos", Moves: moves[:1]},
		"no moves":         {Start: "startpos"},
		"two-piece":        {Start: handicap.SFEN, Moves: moves[1:]},
		"another position": {Start: "4k4/9/9/9/9/9/9/9/4K4 b - 1"},
	} {
		testutil.Equal(t, family(o), want, "%s", o)
	}
}

func TestPonderHits(t *testing.T) {
	t.Parallel()
	for want, sides := range map[string][2]match.Side{
		"":           {},
		"under 40%":  {{PonderHits: 39}, {PonderMisses: 61}},
		"40% to 60%": {{PonderHits: 20, PonderMisses: 20}, {PonderHits: 40, PonderMisses: 20}},
		"over 60%":   {{PonderHits: 61}, {PonderMisses: 39}},
	} {
		testutil.Equal(t, ponderHits[pondering(sides)], want, "%v", sides)
	}
}

// runOf returns pairs with A's results, such as "WL", from the openings in turn. Each game has its own moves, unless
// copies is true: then an opening always has the same moves.
func runOf(openings []string, pairs []string, copies bool) (rows [][]match.Row, starts []match.Opening) {
	for id, text := range pairs {
		opening := openings[id%len(openings)]
		var pair []match.Row
		for leg, result := range text {
			r := match.Row{
				Pair: id, Leg: leg, PairA: "A", PairB: "B", Black: "A", White: "B", Outcome: match.Draw,
				Termination: match.Repetition,
				Points:      [2]float64{0.5, 0.5}, Plies: 80, MovesHash: uint64(2*id + leg), OpeningID: opening, OpeningPlies: 2,
			}
			if copies {
				r.MovesHash = uint64(2*(id%len(openings)) + leg)
			}
			a := shogi.Black
			if leg == 1 {
				r.Black, r.White, a = "B", "A", shogi.White
			}
			if result != 'D' {
				winner := a
				if result == 'L' {
					winner = a.Opponent()
				}
				r.Outcome, r.Termination, r.Points = match.WinFor(winner), match.Resignation, [2]float64{}
				r.Points[winner] = 1
			}
			pair = append(pair, r)
		}
		start := match.Opening{ID: opening, Start: "startpos"}
		for _, word := range strings.Fields(opening) {
			m, err := shogi.ParseMove(word)
			if err != nil {
				panic(err)
			}
			start.Moves = append(start.Moves, m)
		}
		rows, starts = append(rows, pair), append(starts, start)
	}
	return rows, starts
}

func groupingOf(t *testing.T, table *Table, name string) Grouping {
	t.Helper()
	i := slices.IndexFunc(table.Groupings, func(g Grouping) bool { return g.Name == name })
	testutil.Require(t, i >= 0, "no grouping %s", name)
	return table.Groupings[i]
}

func whole(t *testing.T, run Run, rows [][]match.Row, starts []match.Opening) *Table {
	t.Helper()
	g := New(run)
	for i := range rows {
		testutil.OK(t, g.Add(starts[i], rows[i]))
	}
	return testutil.Must(g.Table())(t)
}

// many returns pairs with these numbers of each result.
func many(counts map[string]int) (all []string) {
	for _, text := range []string{"WW", "WL", "LW", "LL", "DD", "WD"} {
		all = append(all, slices.Repeat([]string{text}, counts[text])...)
	}
	return all
}

// TestOpeningsOfPairs: two openings have twelve different pairs each. A wins all games from one opening and loses all
// from the other. Each of 24 pairs contributes a quarter: their sum is six, with a variance of 24/16.
func TestOpeningsOfPairs(t *testing.T) {
	t.Parallel()
	var pairs []string
	for range 12 {
		pairs = append(pairs, "WW", "LL")
	}
	rows, starts := runOf([]string{"7g7f 3c3d", "2g2f 8c8d"}, pairs, false)
	table := whole(t, finished(), rows, starts)
	g := groupingOf(t, table, "opening")
	testutil.Require(t, len(g.Rows) == 2 && g.Unit == "distinct_pair", "%+v", g)
	for i, score := range []float64{0, 1} { // by name
		r := g.Rows[i]
		if r.Score != score || r.Units != 12 || r.Games != 24 || r.P == nil ||
			math.Abs(*r.P-math.Erfc(6/math.Sqrt(3))) > 1e-12 || !r.Stands() {
			t.Errorf("%+v", r)
		}
		testutil.Check(t, r.Elo == nil && math.Abs(*r.Effect) == 1 && r.Shift == nil && r.Lo != nil && r.Hi != nil, "%+v", r)
	}
	// Holm: the least p times the number of tests.
	if want := *g.Rows[0].P * float64(table.Tested); math.Abs(*g.Rows[0].Adjusted/want-1) > 1e-9 {
		t.Errorf("adjusted %v, want %v", *g.Rows[0].Adjusted, want)
	}
	// The families have two openings, which are two units for any number of pairs.
	f := groupingOf(t, table, "family")
	testutil.Check(t, f.Unit == "" || len(f.Rows) == 0, "%+v", f)
	testutil.Contains(t, table.Claim().String(), "opening, 7g7f 3c3d")
}

// TestCopiesProveNothing: all copies of a game are one observation.
func TestCopiesProveNothing(t *testing.T) {
	t.Parallel()
	var pairs []string
	for range 30 {
		pairs = append(pairs, "WW", "LL")
	}
	rows, starts := runOf([]string{"7g7f 3c3d", "2g2f 8c8d"}, pairs, true)
	table := whole(t, finished(), rows, starts)
	testutil.Check(t, table.Tested == 0 && table.Copies == 58 && table.Openings == 2,
		"%d tested, %d copies, %d openings", table.Tested, table.Copies, table.Openings)
	colours := groupingOf(t, table, "colour").Rows
	testutil.Check(t, len(colours) == 2 && colours[0].Games == 60 && colours[1].Games == 60, "%+v", colours)
	if claim := table.Claim().String(); !strings.HasPrefix(claim, "Nothing is tested") ||
		strings.Contains(table.Warnings[0].String(), "adjusted p") {
		t.Errorf("%q, %q", claim, table.Warnings[0].String())
	}
	testutil.Contains(t, strings.Join(i18n.Each(i18n.English, table.Warnings), " "), "58 pairs repeat", "%q",
		table.Warnings)
}

// own returns n different openings.
func own(n int) (openings []string) {
	for i := range n {
		openings = append(openings, "7g7f "+shogi.NewMove(shogi.Square(i), 80).String())
	}
	return openings
}

// TestColoursByPairs: Black wins both games of 20 pairs of 25, and White wins those of the others. A scores 80% as
// Black and 20% as White. By flipping whole pairs (15²/25 = 9) this is exactly three standard deviations.
func TestColoursByPairs(t *testing.T) {
	t.Parallel()
	rows, starts := runOf(own(25), many(map[string]int{"WL": 20, "LW": 5}), false)
	table := whole(t, finished(), rows, starts)
	g := groupingOf(t, table, "colour")
	testutil.Require(t, len(g.Rows) == 2 && g.Unit == "pair_part", "%+v", g)
	black := g.Rows[0]
	if want := math.Erfc(3 / math.Sqrt2); black.Name != "as Black" || math.Abs(black.Score-0.8) > 1e-12 ||
		math.Abs(*black.P-want) > 1e-12 || math.Abs(*black.Effect-0.6) > 1e-12 {
		t.Errorf("%+v, want p %v", black, want)
	}
	// A pair that one player wins twice gives no information about colours. The sum is 12 less 3 halves, with 15 squares
	// of a half.
	rows, starts = runOf(own(25), many(map[string]int{"WL": 12, "WW": 6, "LW": 3, "LL": 4}), false)
	white := groupingOf(t, whole(t, finished(), rows, starts), "colour").Rows[1]
	if want := math.Erfc(4.5 / math.Sqrt(2*3.75)); math.Abs(*white.P-want) > 1e-12 {
		t.Errorf("%+v, want p %v", white, want)
	}
}

// TestThreeClassesByOpenings: the values are calculated by hand. 15 openings have a game without ponder hits and one
// with some. 15 have a game without and one with many. Of the games without, 20 of 30 are won; of the other two
// classes, 5 of 15 each. Around the mean of a half, the openings' contributions add up to 5, −2.5 and −2.5. Their
// squares add up to 2.5, 3.75 and 1.25.
func TestThreeClassesByOpenings(t *testing.T) {
	t.Parallel()
	pairs := slices.Concat(slices.Repeat([]string{"WL"}, 10), slices.Repeat([]string{"WW"}, 10),
		slices.Repeat([]string{"LL"}, 10))
	rows, starts := runOf(own(30), pairs, false)
	for i := range rows {
		for leg, hits := range []int{0, 5} {
			if i >= 15 && leg == 1 {
				hits = 9
			}
			rows[i][leg].Sides[0].PonderHits, rows[i][leg].Sides[0].PonderMisses = hits, 10-hits
		}
	}
	g := groupingOf(t, whole(t, finished(), rows, starts), "ponder_hits")
	testutil.Require(t, len(g.Rows) == 3 && g.Rows[0].Units == 30 && g.Rows[1].Units == 15, "%+v", g)
	for i, want := range []float64{5 / math.Sqrt(2.5), 2.5 / math.Sqrt(3.75), 2.5 / math.Sqrt(1.25)} {
		p := math.Erfc(want / math.Sqrt2)
		testutil.Check(t, math.Abs(*g.Rows[i].P-p) <= 1e-12, "%+v, want p %v", g.Rows[i], p)
	}
}

// TestSmallRest: a row has no test against a rest of fewer than ten units, even if the row is large.
func TestSmallRest(t *testing.T) {
	t.Parallel()
	var openings []string
	for i, o := range own(38) {
		openings = append(openings, []string{"7g7f", "2g2f"}[i/30]+" 3c3d "+strings.Fields(o)[1])
	}
	rows, starts := runOf(openings, slices.Concat(slices.Repeat([]string{"WW"}, 30), slices.Repeat([]string{"LL"}, 8)),
		false)
	for i := range rows {
		for leg := range rows[i] {
			rows[i][leg].OpeningPlies = 3
		}
	}
	g := groupingOf(t, whole(t, finished(), rows, starts), "family")
	testutil.Require(t, len(g.Rows) == 2 && g.Rows[0].Units == 30, "%+v", g)
	for _, r := range g.Rows {
		testutil.Check(t, r.P == nil && strings.Contains(r.Why.String(), "fewer than 10"), "%+v", r)
	}
}

// TestDistinctPairs: a pair is a copy if A has the same game with each colour, in any order of the legs. The units are
// numbers of pairs, and a copy has the number of the first pair. A copy with another name of the opening is in another
// row.
func TestDistinctPairs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(opening *match.Opening, pair []match.Row)
		cells  []cell
		games  []sum
	}{
		"again": {func(*match.Opening, []match.Row) {}, []cell{{0, 1}}, []sum{{4, 2, 2, 3000}}},
		"with other results": {func(_ *match.Opening, pair []match.Row) {
			pair[0].Outcome, pair[0].Points = match.WhiteWins, [2]float64{0, 1}
		}, []cell{{0, 1}}, []sum{{4, 1, 2, 2000}}},
		"other order": {func(_ *match.Opening, pair []match.Row) { pair[0], pair[1] = pair[1], pair[0] }, []cell{{0, 1}},
			[]sum{{4, 2, 2, 3000}}},
		"other colours": {func(_ *match.Opening, pair []match.Row) {
			pair[0].MovesHash, pair[1].MovesHash = pair[1].MovesHash, pair[0].MovesHash
		}, []cell{{0, 1}, {0, 2}}, []sum{{2, 1, 1, 1500}, {2, 1, 1, 1500}}},
		"other opening": {func(o *match.Opening, _ []match.Row) { o.Moves = o.Moves[:1] }, []cell{{0, 1}, {0, 2}},
			[]sum{{2, 1, 1, 1500}, {2, 1, 1, 1500}}},
		"other name": {func(o *match.Opening, _ []match.Row) { o.ID = "b" }, []cell{{0, 1}, {1, 1}},
			[]sum{{2, 1, 1, 1500}, {2, 1, 1, 1500}}},
		"no name": {func(o *match.Opening, _ []match.Row) { o.ID = "" }, []cell{{0, 1}}, []sum{{2, 1, 1, 1500}}},
	} {
		rows, starts := runOf([]string{"2g2f", "7g7f 3c3d"}, []string{"LL", "WD"}, false)
		again, changed := slices.Clone(rows[1]), starts[1]
		c.change(&changed, again)
		g := New(finished())
		for _, pair := range []struct {
			opening match.Opening
			rows    []match.Row
		}{{starts[0], rows[0]}, {starts[1], rows[1]}, {changed, again}} {
			testutil.OK(t, g.Add(pair.opening, pair.rows))
		}
		var cells []cell
		var games []sum
		g.each(g.groupings[0], func(group string, _ *counted) int {
			testutil.Check(t, group != "", "%s: a game without a group has no row", name)
			return slices.Index([]string{starts[1].ID, "b", starts[0].ID}, group)
		}, func(row, unit int, s sum) {
			if row < 2 {
				cells, games = append(cells, cell{row, unit}), append(games, s)
			}
		})
		testutil.Check(t, slices.Equal(cells, c.cells), "%s: cells %v", name, cells)
		testutil.Check(t, slices.Equal(games, c.games), "%s: games %v", name, games)
	}
}

// TestOtherPairsAreNoCopies: a pair whose two games are exchanged repeats no pair, and neither does a pair from another
// opening. A third pair repeats the first one here.
func TestOtherPairsAreNoCopies(t *testing.T) {
	t.Parallel()
	rows, starts := runOf([]string{"7g7f 3c3d", "7g7f 8c8d"}, []string{"WD", "WD"}, false)
	exchanged := slices.Clone(rows[0])
	exchanged[0].MovesHash, exchanged[1].MovesHash = exchanged[1].MovesHash, exchanged[0].MovesHash
	for other, second := range [][]match.Row{exchanged, rows[0]} {
		g := New(finished())
		for i, pair := range [][]match.Row{rows[0], second, rows[0]} {
			testutil.OK(t, g.Add(starts[other*(i%2)], pair))
		}
		var games []int
		g.each(g.groupings[0], func(string, *counted) int { return 0 },
			func(_, _ int, s sum) { games = append(games, s.games) })
		testutil.Slices(t, games, []int{4, 2}, "games of each pair that repeats no other")
	}
}

// TestAnOpeningNamedOthers: such an opening has a row of its own, and its name is not translated.
func TestAnOpeningNamedOthers(t *testing.T) {
	t.Parallel()
	const pairs = 15
	rows, starts := runOf(own(4*pairs), slices.Repeat([]string{"WL"}, 4*pairs), false)
	for i, name := range []string{others, "x", "y"} {
		for k := range pairs {
			starts[pairs*i+k].ID = name
		}
	}
	g := groupingOf(t, whole(t, finished(), rows, starts), "opening")
	classes := map[string][]bool{}
	for _, r := range g.Rows {
		testutil.Equal(t, r.Units, pairs, "pairs of %s", r.Name)
		classes[r.Name] = append(classes[r.Name], r.class)
	}
	testutil.Slices(t, classes[others], []bool{false, true}, "texts of gogi among the rows %+v", g.Rows)
	testutil.Slices(t, classes["x"], []bool{false}, "texts of gogi among the rows %+v", g.Rows)
}

// TestOtherOrderOfPlayers: a pair that names the players in the other order counts for the same player.
func TestOtherOrderOfPlayers(t *testing.T) {
	t.Parallel()
	rows, starts := runOf([]string{"7g7f 3c3d", "2g2f 8c8d"}, []string{"WW", "WW"}, false)
	for i := range rows[1] {
		rows[1][i].PairA, rows[1][i].PairB = "B", "A"
	}
	table := whole(t, finished(), rows, starts)
	testutil.Check(t, table.Score != nil && *table.Score == 1, "A's score: %v", table.Score)
}

// TestDrawnRows: a draw scores one half for any strengths. A row of draws is no finding and no part of the rest of
// other rows.
func TestDrawnRows(t *testing.T) {
	t.Parallel()
	pairs := slices.Concat(slices.Repeat([]string{"WW"}, 25), slices.Repeat([]string{"WL"}, 15),
		slices.Repeat([]string{"DD"}, 20))
	var openings []string
	for i, o := range own(60) {
		openings = append(openings, []string{"7g7f 3c3d ", "2g2f 8c8d ", "6g6f 8c8d "}[min(i/20, 2)]+strings.Fields(o)[1])
	}
	rows, starts := runOf(openings, pairs, false)
	g := groupingOf(t, whole(t, finished(), rows, starts), "family")
	testutil.Require(t, len(g.Rows) == 3, "%+v", g)
	for _, r := range g.Rows {
		want := map[string]float64{"7g7f 3c3d": 1 - 0.625, "2g2f 8c8d": 0.625 - 1}[r.Name]
		if drawn := r.Name == "6g6f 8c8d"; drawn != (r.Effect == nil) || drawn != (r.P == nil) || drawn == r.Why.IsZero() ||
			!drawn && math.Abs(*r.Effect-want) > 1e-12 {
			t.Errorf("%+v", r)
		}
	}
}

// TestSmallFamilies: groups of fewer than ten units share one row. The most frequent groups come first.
func TestSmallFamilies(t *testing.T) {
	t.Parallel()
	var openings []string
	for i, o := range own(40) {
		first := []string{"7g7f", "2g2f", "6g6f", "5g5f"}[[]int{0, 0, 1, 0, 1, 0, 1, 2, 0, 3}[i%10]]
		openings = append(openings, first+" 3c3d "+strings.Fields(o)[1])
	}
	rows, starts := runOf(openings, slices.Repeat([]string{"WL"}, 40), false)
	for i := range rows {
		for leg := range rows[i] {
			rows[i][leg].OpeningPlies = 3
		}
	}
	g := groupingOf(t, whole(t, finished(), rows, starts), "family")
	names := lists.Map(g.Rows, func(r Row) string { return fmt.Sprintf("%s %d %t", r.Name, r.Units, r.P != nil) })
	want := []string{"7g7f 3c3d 20 true", "2g2f 3c3d 12 true", "others 8 false"}
	testutil.Check(t, slices.Equal(names, want) && g.Unit == "pair", "%q of %s, want %q", names, g.Unit, want)
}

func TestUnfinishedRun(t *testing.T) {
	t.Parallel()
	rows, starts := runOf(own(25), many(map[string]int{"WL": 20, "LW": 5}), false)
	run := finished()
	run.Finished = false
	table := whole(t, run, rows, starts)
	for _, g := range table.Groupings {
		for _, r := range g.Rows {
			testutil.Check(t, r.P == nil && r.Adjusted == nil && r.Lo == nil && r.EloHi == nil && !r.Why.IsZero(), "%+v", r)
		}
	}
	testutil.Check(t, table.Tested == 0 && table.Lo == nil && strings.Contains(table.Warnings[1].String(), "not finished"),
		"%+v", table)
	run.Finished, run.Gate = true, "SPRT [0, 4]"
	if table := whole(t, run, rows, starts); !strings.Contains(table.Warnings[1].String(), "SPRT [0, 4]") ||
		table.Tested == 0 {
		t.Errorf("%q", table.Warnings)
	}
}

// TestOnlyTheTwo: the table omits pairs of other players. The order of A and B in a pair does not matter.
func TestOnlyTheTwo(t *testing.T) {
	t.Parallel()
	rows, starts := runOf(own(25), many(map[string]int{"WL": 20, "LW": 5}), false)
	swapped := slices.Clone(rows)
	for i := range swapped {
		swapped[i] = slices.Clone(swapped[i])
		for leg := range swapped[i] {
			swapped[i][leg].PairA, swapped[i][leg].PairB = "B", "A"
		}
	}
	a, b := whole(t, finished(), rows, starts), whole(t, finished(), swapped, starts)
	one, _ := json.Marshal(a)
	two, _ := json.Marshal(b)
	testutil.Equal(t, string(one), string(two), "%s %s", one, two)
	run := finished()
	run.B = "C"
	table := whole(t, run, rows, starts)
	testutil.Check(t, table.Games == 0 && strings.Contains(table.Claim().String(), "No game"), "%+v", table)
}

func TestForms(t *testing.T) {
	t.Parallel()
	rows, starts := runOf(own(25), many(map[string]int{"WL": 20, "LW": 5}), false)
	run := finished()
	for i := range rows {
		for leg := range rows[i] {
			r := &rows[i][leg]
			r.Black, r.White = strings.Replace(r.Black, "A", "<b>&", 1), strings.Replace(r.White, "A", "<b>&", 1)
			r.PairA = "<b>&"
		}
	}
	run.A = "<b>&"
	table := whole(t, run, rows, starts)
	html := testutil.Must(table.HTML(i18n.English))(t)
	for d := xml.NewDecoder(strings.NewReader(string(html))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, html)
		}
	}
	var text strings.Builder
	table.Print(&text, i18n.English)
	for _, want := range []string{"after the fact", "COLOUR", "as Black", "80.0%", "0.003"} {
		testutil.Contains(t, text.String(), want, "no")
	}
	if strings.Index(text.String(), "after the fact") > strings.Index(text.String(), "COLOUR") ||
		strings.Contains(string(html), "<b>") {
		t.Error("the warning is not first, or a name is not escaped")
	}
}
