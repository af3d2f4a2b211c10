package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results/evidence"
	"gogi/shogi"
	"gogi/stats/rating/crosstable"
)

func sfenOf(t *testing.T, handicap string) string {
	t.Helper()
	h, ok := shogi.FindHandicap(handicap)
	testutil.Require(t, ok, "%v", handicap)
	return h.SFEN
}

// pairOf returns the games of a pair from one opening, with swapped colours. "BW" means that Black wins the first game
// and White the second. "D" is a draw.
func pairOf(pair int, a, b, start, results string) []match.Row {
	var rows []match.Row
	for leg, r := range results {
		row := match.Row{Pair: pair, Leg: leg, Black: a, White: b, PairA: a, PairB: b, Start: start,
			OpeningID: fmt.Sprint(pair), OpeningHash: uint64(pair)}
		if leg == 1 {
			row.Black, row.White = b, a
		}
		row.Outcome = map[rune]match.Outcome{'B': match.BlackWins, 'W': match.WhiteWins, 'D': match.Draw}[r]
		row.Points = map[rune][2]float64{'B': {1, 0}, 'W': {0, 1}, 'D': {0.5, 0.5}}[r]
		row.MovesHash = uint64(2*pair + leg)
		rows = append(rows, row)
	}
	return rows
}

// runOf adds a run of known players with these names.
func runOf(g *Games, names ...string) *Run {
	numbers := map[string]int{}
	for _, name := range names {
		at := slices.IndexFunc(g.players, func(p evidence.Player) bool { return p.Label == name })
		if at < 0 {
			at = len(g.players)
			g.Know(append(g.players, evidence.Player{Name: name, Label: name, Names: []string{name}}))
		}
		numbers[name] = at
	}
	return g.Run(numbers)
}

func add(t *testing.T, r *Run, pairs ...[]match.Row) {
	t.Helper()
	for _, p := range pairs {
		testutil.OK(t, r.Add(p))
	}
}

func mustRate(t *testing.T, g *Games, o Options) *Report {
	t.Helper()
	r := testutil.Must(Rate(g, o.filled()))(t)
	checkGaps(t, object(t, r))
	return r
}

func (r *Report) kinds() (kinds []WarningKind) {
	for _, w := range r.Warnings {
		kinds = append(kinds, w.Kind)
	}
	return kinds
}

// TestHandicapsOfRuns: two equal players play even games and games in which b gives two pieces. The wins of the latter
// count for the handicap, and not for a's strength.
func TestHandicapsOfRuns(t *testing.T) {
	t.Parallel()
	g := NewGames()
	r := runOf(g, "a", "b")
	two := sfenOf(t, "two-piece")
	for n := range 10 {
		add(t, r, pairOf(2*n, "a", "b", "startpos", []string{"BB", "WW", "BW", "WB"}[n%4]))
		add(t, r, pairOf(2*n+1, "a", "b", two, []string{"B", "B", "B", "B", "W"}[n%5]))
	}
	report := mustRate(t, g, Options{Predict: []Matchup{{Pairing{"a", "b"}, 6}, {Pairing{"b", "a"}, 6}}})
	if report.Handicapped != 10 || len(report.Handicaps) != 2 || report.Handicaps[1].Handicap != 6 ||
		report.Handicaps[1].Points != 8 || report.Handicaps[1].Games != 10 {
		t.Errorf("%+v", report.Handicaps)
	}
	if elo := *playerOf(t, report, "a").Elo; math.Abs(elo) > 30 { // 23 of 30 games, taken as even, are +103
		t.Errorf("a has %+.1f Elo", elo)
	}
	if p := report.Predictions; math.Abs(*p[0].Score-0.8) > 0.05 || math.Abs(*p[1].Score-0.8) > 0.05 ||
		*p[0].Lo >= *p[0].Score || *p[0].Hi <= *p[0].Score {
		t.Errorf("%+v", p)
	}
	if p := playerOf(t, report, "b"); p.Lo == nil || p.Hi == nil {
		t.Errorf("%+v has no interval", p)
	}
}

// TestConfoundedHandicap: if one player received the handicap in every game, the games cannot separate the handicap's
// worth from the players' strengths.
func TestConfoundedHandicap(t *testing.T) {
	t.Parallel()
	g := NewGames()
	r := runOf(g, "a", "b")
	for n := range 12 {
		add(t, r, pairOf(n, "a", "b", sfenOf(t, "two-piece"), []string{"B", "B", "B", "W"}[n%4]))
	}
	if _, err := Rate(g, Options{}.filled()); err == nil || !strings.Contains(err.Error(), "--model bt") ||
		!strings.Contains(err.Error(), "who received which handicap") {
		t.Error(err)
	}
	report := mustRate(t, g, Options{Model: "bt"})
	if p := playerOf(t, report, "a"); math.Abs(*p.Elo-200*math.Log10(3)) > 1e-6 ||
		report.Handicaps[1].Name != "two-piece" {
		t.Errorf("%+v, %+v", p, report.Handicaps)
	}
}

func TestStarts(t *testing.T) {
	t.Parallel()
	for i, h := range shogi.Handicaps() {
		testutil.Equal(t, startOf(h.SFEN), (start{handicapStart, i + 1, shogi.Black}), "%s", h.Name)
	}
	for sfen, want := range map[string]start{
		"startpos": {},
		"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1": {},
		// bishops exchanged
		"lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b Bb 5": {},
		// two pieces, turned about
		"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b - 1": {handicapStart, 6, shogi.White},
		// Black moves first
		"1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1": {kind: oddStart},
		"4k4/9/9/9/9/9/9/9/4K4 b - 1":                                     {kind: oddStart}, // nearly empty
		// the move number does not matter
		"lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 17":  {handicapStart, 4, shogi.Black},
		"lnsgkgsnl/7b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2": {kind: oddStart}, // a rook is missing, later
		"nonsense": {kind: oddStart},
	} {
		testutil.Equal(t, startOf(sfen), want, "%s", sfen)
	}
	for text, want := range map[string]int{"0": 0, "2": 2, "two-piece": 6, "二枚落ち": 6, "lance": 1, "ten-piece": 15,
		"1000": 1000, "1001": -1, "-1": -1, "queen": -1} {
		n, known := HandicapNumber(text)
		testutil.Check(t, known == (want >= 0) && (!known || n == want), "%s is %d, %v", text, n, known)
	}
}

func TestOddStartsAreSetAside(t *testing.T) {
	t.Parallel()
	g := NewGames()
	r := runOf(g, "a", "b")
	add(t, r, pairOf(0, "a", "b", "startpos", "BB"), pairOf(1, "a", "b", "startpos", "BW"),
		pairOf(2, "a", "b", "4k4/9/9/9/9/9/9/9/4K4 b - 1", "BB"))
	report := mustRate(t, g, Options{})
	if report.Games != 4 || !slices.Contains(report.kinds(), OddStarts) ||
		!strings.Contains(report.Warnings[0].Text.String(), "2 games set aside") {
		t.Errorf("%d games, %+v", report.Games, report.Warnings)
	}
}

// TestNamesApart: players with one name have separate labels. The warning has the first traits that differ. Another
// warning has the older names of a player.
func TestNamesApart(t *testing.T) {
	t.Parallel()
	g := NewGames()
	player := func(label string, traits ...evidence.Trait) evidence.Player {
		return evidence.Player{Name: "a", Names: []string{"a"}, Label: "a@" + label, Traits: traits}
	}
	nodes := func(n string) evidence.Trait { return evidence.Trait{Name: "limits", Value: "nodes " + n} }
	g.Know([]evidence.Player{
		player("11", nodes("60")), player("22", nodes("600")),
		player("33", nodes("60"), evidence.Trait{Name: "Threads", Value: "2"}),
		{Name: "b", Names: []string{"z", "b"}, Label: "b", Traits: []evidence.Trait{nodes("60")}},
	})
	slow, fast, wide := g.Run(map[string]int{"a": 0, "z": 3}), g.Run(map[string]int{"a": 1, "b": 3}),
		g.Run(map[string]int{"a": 2, "b": 3})
	add(t, slow, pairOf(0, "a", "z", "startpos", "BB"), pairOf(1, "a", "z", "startpos", "WB"))
	add(t, fast, pairOf(0, "a", "b", "startpos", "BW"), pairOf(1, "a", "b", "startpos", "BB"))
	add(t, wide, pairOf(0, "a", "b", "startpos", "WW"))
	add(t, g.Run(map[string]int{"a": 0, "b": 3}), pairOf(2, "a", "b", "startpos", "WW"))
	report := mustRate(t, g, Options{Model: "bt"})
	var names []string
	for _, p := range report.Players {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	testutil.Slices(t, []string{"a@11", "a@22", "a@33", "b"}, names)
	testutil.Equal(t, playerOf(t, report, "a@11").Games, 6)
	var texts strings.Builder
	for _, w := range report.Warnings {
		texts.WriteString(string(w.Kind) + ": " + w.Text.String() + "\n")
	}
	testutil.Contains(t, texts.String(),
		"names_apart: a is 3 different players in these runs; they are rated apart: a@11 (nodes 60, no Threads), a@22 (nodes 600), a@33 (nodes 60, Threads=2)\n", "%s", texts.String())
	testutil.Contains(t, texts.String(), "names_merged: b was called z in older runs", "%s", texts.String())
	file := written(t, "games.csv", "black,white,result\na,b,1-0\n")
	testutil.OK(t, g.ReadFile(file))
	if _, err := Rate(g, Options{}.filled()); err == nil ||
		!strings.Contains(err.Error(), `"a" is not one player in these runs`) || !strings.Contains(err.Error(), "a@22") {
		t.Errorf("%v", err)
	}
	if m, err := ParseMatchup("a (nodes 60, Threads=2), b, 二枚落ち"); err != nil ||
		m != (Matchup{Pairing{"a (nodes 60, Threads=2)", "b"}, 6}) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, wrong := range []string{"", "a", "a,", "a,b,c", "a,b,1,2"} {
		testutil.Fails(t, testutil.Err(ParseMatchup(wrong)), "", "%q is a matchup", wrong)
	}
}

// TestNamesShared: a name in a file counts as the player of the run with that name, and the report warns of it.
func TestNamesShared(t *testing.T) {
	t.Parallel()
	g := NewGames()
	add(t, runOf(g, "a", "b"), pairOf(0, "a", "b", "startpos", "BB"))
	testutil.OK(t, g.ReadFile(written(t, "games.csv",
		"black,white,result,pair\na,b,1-0,1\nb,a,1/2,1\na,c,0-1,\nc,a,0-1,\n")))
	r := mustRate(t, g, Options{Model: "bt"})
	if !slices.Contains(r.kinds(), NamesShared) || playerOf(t, r, "a").Games != 6 ||
		r.Evidence != (Evidence{Independent: 2, Clusters: 2, Pairs: 1, Openings: 1}) {
		t.Errorf("%+v", r)
	}
}

// TestCopiesCountOnce: 37 pairs from two openings, 35 of them copies, are two observations.
func TestCopiesCountOnce(t *testing.T) {
	t.Parallel()
	g, plain := NewGames(), NewGames()
	r, p := runOf(g, "a", "b"), runOf(plain, "a", "b")
	results := []string{"BW", "BB"} // a wins both, each wins one
	for n := range 37 {
		pair := pairOf(n%2, "a", "b", "startpos", results[n%2])
		add(t, r, pair)
		if n < 2 {
			add(t, p, pair)
		}
	}
	got, want := mustRate(t, g, Options{Model: "bt"}), mustRate(t, plain, Options{Model: "bt"})
	if got.Games != 74 || got.Evidence != (Evidence{Clusters: 2, Pairs: 37, Openings: 2, Copies: 35}) ||
		!slices.Contains(got.kinds(), OpeningsReused) {
		t.Errorf("%d games, %+v, %v", got.Games, got.Evidence, got.kinds())
	}
	a, b := playerOf(t, got, "a"), playerOf(t, want, "a")
	if math.Abs(*a.Elo-*b.Elo) > 1e-6 || math.Abs(*a.Lo-*b.Lo) > 1e-3 || math.Abs(*a.Hi-*b.Hi) > 1e-3 ||
		*a.Points != 19*2+18 {
		t.Errorf("%+v (points %v), without copies %+v", a, *a.Points, b)
	}
}

func TestRunRefusesStrangers(t *testing.T) {
	t.Parallel()
	r := runOf(NewGames(), "a", "b")
	testutil.Fails(t, r.Add(pairOf(3, "a", "x", "startpos", "BB")), "pair 3")
	testutil.Fails(t, r.Add(pairOf(3, "a", "a", "startpos", "BB")), "", "a plays itself")
}

// TestAdvice: an error names the option that works.
func TestAdvice(t *testing.T) {
	t.Parallel()
	path := written(t, "games.csv", "black,white,result\na,b,1/2\nb,a,1/2\n")
	testutil.Fails(t, testutil.Err(ratedOr(Options{Draws: "davidson", Model: "bt"}, path)), "--draws half")
	testutil.OK(t, testutil.Err(ratedOr(Options{Draws: "half", Model: "bt"}, path)))
}

// TestFalseWarnings: correct games of equal players, two games per pairing, give few warnings. Such players beat each
// other in cycles, and a wrong test warns in 40 of 40 sets. At 5% more than seven of 40 have a probability below 0.1%.
func TestFalseWarnings(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	count := map[WarningKind]int{}
	for range 40 {
		g := NewGames()
		run, pair := runOf(g, "0", "1", "2", "3", "4", "5"), 0
		for a := range 6 {
			for b := range a {
				add(t, run, pairOf(pair, fmt.Sprint(a), fmt.Sprint(b), "startpos",
					[]string{"BB", "BW", "WB", "WW"}[random.IntN(4)]))
				pair++
			}
		}
		r, err := Rate(g, Options{}.filled())
		if err != nil {
			continue
		}
		for _, kind := range r.kinds() {
			count[kind]++
		}
	}
	t.Log(count)
	for _, kind := range []WarningKind{ModelFails, PairingFails, CycleFound} {
		testutil.Check(t, count[kind] <= 7, "%d false warnings of 40: %s", count[kind], kind)
	}
}

func tableOf(t *testing.T, counts ...crosstable.Count) crosstable.Table {
	t.Helper()
	return testutil.Must(crosstable.New(counts))(t)
}

// TestFalseCycleWarnings: the warning accounts for the number of triples. At 5% some triple of thirty equal players has
// a cycle in every third set.
func TestFalseCycleWarnings(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 6))
	warned := 0
	for range 15 {
		var counts []crosstable.Count
		for a := range 30 {
			for b := range a {
				won := 0
				for range 40 {
					won += random.IntN(2)
				}
				counts = append(counts, crosstable.Count{Black: fmt.Sprint(a), White: fmt.Sprint(b), BlackWins: won,
					WhiteWins: 40 - won})
			}
		}
		r := &Report{}
		if r.warnCycles(tableOf(t, counts...)); len(r.Warnings) > 0 {
			warned++
		}
	}
	if warned > 4 { // 5 of 15 at 5% have a probability below 0.1%
		t.Errorf("warned %d times of 15", warned)
	}
	r := &Report{}
	r.warnCycles(tableOf(t,
		crosstable.Count{Black: "rock", White: "scissors", BlackWins: 18, WhiteWins: 2},
		crosstable.Count{Black: "scissors", White: "paper", BlackWins: 17, WhiteWins: 3},
		crosstable.Count{Black: "paper", White: "rock", BlackWins: 16, WhiteWins: 4},
	))
	testutil.Check(t, len(r.Warnings) == 1 && r.Warnings[0].Kind == CycleFound, "%+v", r.Warnings)
}

// TestLengthDepends: the report warns of a run that is not finished, and of a run that a test could stop.
func TestLengthDepends(t *testing.T) {
	t.Parallel()
	g := NewGames()
	run := runOf(g, "a", "b")
	for i, won := range []string{"BB", "WW", "BW", "WB"} {
		testutil.OK(t, run.Add(pairOf(i, "a", "b", "startpos", won)))
	}
	g.Unfinished("one")
	g.Stopped("two", "SPRT [0, 4]")
	r := testutil.Must(Rate(g, Options{Model: "bt", Draws: "auto", Confidence: 0.95}))(t)
	var text strings.Builder
	r.Print(&text, i18n.English)
	for _, want := range []string{"! run one is not finished", "! run two was played with a sequential test (SPRT [0, 4])",
		"gogi gate two has"} {
		testutil.Contains(t, text.String(), want, "no word")
	}
}

// TestOpeningsAcrossOpponents: all games from one opening depend on each other, because a player may like the opening
// against every opponent. The games of two players from it are a cluster of their own.
func TestOpeningsAcrossOpponents(t *testing.T) {
	g := NewGames()
	r := runOf(g, "a", "b", "c")
	for opening := range 2 {
		add(t, r, pairOf(opening, "a", "b", "startpos", "BW"), pairOf(opening, "a", "c", "startpos", "BW"))
	}
	clusters, openings := map[int]int{}, map[int]int{}
	for _, c := range g.runCounts() {
		clusters[c.Cluster]++
		openings[c.Opening]++
	}
	testutil.Check(t, len(clusters) == 4 && len(openings) == 2 && openings[0] <= 0 && openings[1] == 4,
		"clusters %v, openings %v", clusters, openings)
}
