package games

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	kifutext "gogi/shogi/kifu/text"
	"gogi/stats"
)

// aRun stores the run "run": 34 pairs from 12 openings, with every termination of allEnds, scores, principal
// variations, comments and times.
func aRun(t *testing.T) *results.Store {
	t.Helper()
	plan := matchtest.Plan("run")
	plan.Rules, plan.Pairs, plan.Openings = match.RulesProfiles()[match.DefaultRules], 34, nil
	for i, line := range strings.Split("2g2f 8c8d/7g7f 3c3d 2g2f/5g5f/7g7f 8c8d 2h6h 1c1d/1g1f/9g9f 9c9d/3g3f/4g4f 4c4d/6g6f/8g8f/2h7h/2h5h 8c8d", "/") {
		plan.Openings = append(plan.Openings,
			match.Opening{ID: string(rune('a' + i)), Start: "startpos", Moves: matchtest.Moves(line)})
	}
	even := shogi.StartPos()
	store := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, store, plan)
	for id := range plan.Pairs {
		pair := matchtest.Pair(plan, id, 20+id%7)
		for leg := range pair.Games {
			g, end := &pair.Games[leg], allEnds[(2*id+leg)%len(allEnds)]
			g.Record.Moves = g.Record.Moves[:len(g.Record.Moves)-leg*(id%3)]
			g.Record.Start, g.Sides = even.SFEN(), [2]match.Side{}
			side := firstSide(&g.Record)
			for i := range g.Record.Moves {
				m := &g.Record.Moves[i]
				m.Time *= 101 // 1 to 4 seconds
				if !m.Opening {
					g.Sides[side].Add(*m, 0)
				}
				side = 1 - side
			}
			mover := shogi.Colour(side)
			g.Record.Result, g.Record.Winner = end.result,
				map[string]string{"moves": mover.String(), "waits": mover.Opponent().String(), "draw": "draw"}[end.who]
			g.Verdict = match.Verdict{Termination: match.Termination(end.result)}
			testutil.OK(t, g.Outcome.UnmarshalText([]byte(g.Record.Winner)))
		}
		matchtest.Put(t, run, pair)
	}
	return store
}

// figures are the figures of a report that follow from results, pairs and openings.
type figures struct {
	Games, Pairs   int
	A, B           string
	Pentanomial    any
	Intervals      []report.Interval
	Tests          []report.Test
	Score          *float64
	Elo, Decisive  report.Elo
	Dependence     any
	BlackAdvantage report.Advantage
	Terminations   []report.Ending
	Faults         []report.Fault
	FaultLosses    report.FaultLosses
	Plies          report.Plies
	Crosstable     []report.Cross
	PairVariance   *float64

	LLR      *float64 // of an SPRT of 0 and 10 Elo
	Openings int      // the independent units of the SPRT
}

// figuresOf returns the figures of a run, and what its report lacks.
func figuresOf(t *testing.T, store *results.Store, name string) (f figures, lacks string) {
	t.Helper()
	rep := testutil.Must(stored.Report(t.Context(), store, name))(t)
	info := runOf(t, store, name)
	run := testutil.Must(stored.ReportRun(t.Context(), store, info))(t)
	design := stats.SPRT{Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic}
	run.Gate = report.Registration{Design: design, Registered: true}
	sums := testutil.Must(report.New(run))(t)
	testutil.OK(t, store.Pairs(t.Context(), info.ID, results.Filter{}, sums.Add))
	gate := sums.Report().Gate
	for _, remark := range rep.Looks.Warnings() {
		lacks = remark.String()
	}
	return figures{
		rep.Games, rep.Pairs, rep.A, rep.B, rep.Pentanomial, rep.Intervals, rep.Tests, rep.Score, rep.Elo, rep.EloDecisive,
		rep.Dependence, rep.BlackAdvantage,
		rep.Terminations, rep.Faults, rep.FaultLosses, rep.Plies, rep.Crosstable, rep.PairVariance, gate.LLR, gate.Openings,
	}, lacks
}

func asText(t *testing.T, v any) string {
	t.Helper()
	return string(testutil.Must(json.MarshalIndent(v, "", " "))(t))
}

// exportedText returns the games of the run in one file.
func exportedText(t *testing.T, store *results.Store, format string, f Filter) []byte {
	t.Helper()
	kind := testutil.Must(kifutext.Find(Formats(packed.Options{Opening: true, Unscored: true}, &packed.Tally{}),
		format))(t)
	var out bytes.Buffer
	testutil.Must((&Export{Format: kind, Filter: f}).Run(t.Context(), store, runOf(t, store, "run"), "-", &out))(t)
	return out.Bytes()
}

// imported imports a file into a new database, as the run "run".
func imported(t *testing.T, name string, text []byte) (store *results.Store, refused []Refusal, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, text)
	store = openStore(t)
	i := Import{Run: "run", Sources: []string{path}, OpeningPlies: 24, Refused: func(r Refusal) {
		refused = append(refused, r)
	}}
	err = testutil.Err(i.Into(t.Context(), store))
	return store, refused, err
}

const (
	imports   = "Imported games: this report lacks the rules, limits, engine options, overruns and test of the run"
	untested  = ". If a test stopped the run, the score is biased and the interval is not corrected for early stopping."
	nameless  = ", the pairs and the openings that no record marks, the names of the players, the nodes, the times"
	noResults = "the game has no result"
	noGames   = "it has positions and no games: expected hcpe3 or pack"
)

// TestReportsComeBack: a run that is exported and imported again has the same report in each format that has results
// and names: the same tally, pentanomial, intervals, tests, LLR and openings. The report names what the format cannot
// store. A format without results is refused. A format of training data keeps only what each colour won.
func TestReportsComeBack(t *testing.T) {
	t.Parallel()
	store := aRun(t)
	want, lacks := figuresOf(t, store, "run")
	testutil.Require(t, lacks == "" && want.LLR != nil && want.Openings == 12 && want.Pairs == 34, "the run: %q, %s",
		lacks, asText(t, want))
	for _, c := range []struct{ format, ext, lacks, refused string }{
		{"csa", ".csa", imports + ", the nodes, fractions of a second" + untested, ""},
		{"csa3", ".csa", imports + untested, ""},
		{"kif", ".kifu", imports + ", fractions of a second" + untested, ""},
		{"ki2", ".ki2", imports + ", the nodes, the times" + untested, ""},
		{"jkf", ".jkf", imports + ", fractions of a second" + untested, ""},
		{"jsonl", ".jsonl", imports + untested, ""},
		{"usi", ".usi", "", noResults},
		{"sfen", ".sfen", "", noResults},
		{"psv", ".psv", "", noGames},
		{"hcpe", ".hcpe", "", noGames},
		{"hcpe2", ".hcpe2", "", noGames},
		{"hcpe3", ".hcpe3", imports + nameless + untested, ""},
		{"pack", ".pack", imports + nameless + untested, ""},
	} {
		back, refused, err := imported(t, "games"+c.ext, exportedText(t, store, c.format, Filter{}))
		if c.refused != "" {
			testutil.Is(t, err, ErrNoGames, c.format)
			testutil.Check(t, len(refused) > 0 && refused[0].Why == c.refused, "%s: %+v", c.format, refused)
			continue
		}
		testutil.OK(t, err, c.format)
		got, lacks := figuresOf(t, back, "run")
		testutil.Equal(t, lacks, c.lacks, c.format)
		if strings.Contains(c.lacks, nameless) {
			testutil.Check(t, got.Games == want.Games && got.Pairs == want.Games &&
				got.BlackAdvantage.WDL == want.BlackAdvantage.WDL && got.Plies.Total == want.Plies.Total,
				"%s: %s", c.format, asText(t, got))
			continue
		}
		testutil.Diff(t, asText(t, want), asText(t, got), "%s (-run +imported)", c.format)
	}
}

// TestPairsComeBack: the games of a folder, whose names are in another order, form the same pairs. So do the games of
// two runs in one import. A part of a run has no pairs, and neither have games that differ in a player or an opening.
func TestPairsComeBack(t *testing.T) {
	t.Parallel()
	store := aRun(t)
	want, _ := figuresOf(t, store, "run")
	csa := testutil.Must(kifutext.Find(kifutext.Text(), "csa"))(t)
	folder := filepath.Join(t.TempDir(), "out") + "/"
	testutil.Must((&Export{Format: csa}).Run(t.Context(), store, runOf(t, store, "run"), folder, io.Discard))(t)
	back := openStore(t)
	i := Import{Run: "run", Sources: []string{folder}, OpeningPlies: 24, Refused: func(Refusal) {}}
	done := testutil.Must(i.Into(t.Context(), back))(t)
	testutil.Check(t, done.Games == 68 && done.Pairs == 34 && done.Added == 68, "%+v", done)
	got, _ := figuresOf(t, back, "run")
	testutil.Diff(t, asText(t, want), asText(t, got), "a folder (-run +imported)")
	done = testutil.Must(i.Into(t.Context(), back))(t)
	testutil.Check(t, done.Games == 68 && done.Added == 0, "again: %+v", done)

	text := string(exportedText(t, store, "csa", Filter{Search: results.Search{Pairs: &[2]int{0, 3}}}))
	other := strings.ReplaceAll(text, "$EVENT:run/", "$EVENT:run2/")
	split := strings.SplitAfter(text, "/\n")
	for name, c := range map[string]struct {
		text  string
		pairs int
	}{
		"two runs": {text + "/\n" + other, 8},
		"a part": {string(exportedText(t, store, "csa",
			Filter{Search: results.Search{Termination: match.Resignation}})), 0},
		"the second game before":          {split[1] + split[0] + strings.Join(split[2:4], ""), 2},
		"an odd game":                     {strings.Join(split[:3], ""), 0},
		"two games of different pairs":    {split[0] + split[3], 0},
		"a game twice":                    {split[0] + split[0], 0},
		"another opening":                 {split[0] + strings.Replace(split[3], "$EVENT:run/1.1", "$EVENT:run/0.1", 1), 0},
		"another player":                  {split[0] + strings.Replace(split[1], "N+将棋", "N+C", 1), 0},
		"a game of others among them":     {text + "/\nV2.2\nN+A\nN-B\nPI\n+\n+7776FU\n%TORYO\n", 0},
		"a number that is no pair's":      {strings.ReplaceAll(text, "$EVENT:run/", "$EVENT:run/99999999999999999999"), 0},
		"other events, such as floodgate": {strings.ReplaceAll(text, "$EVENT:run/", "$EVENT:wdoor+"), 0},
	} {
		back, _, err := imported(t, "games.csa", []byte(c.text))
		testutil.OK(t, err, name)
		got, lacks := figuresOf(t, back, "run")
		paired := got.Pairs == c.pairs && 2*got.Pairs == got.Games && got.A == "A" && !strings.Contains(lacks, "the pairs")
		alone := got.Pairs == got.Games && strings.Contains(lacks, "the pairs")
		for _, row := range resultstest.Games(t, back, runOf(t, back, "run").ID) {
			testutil.Check(t, !paired || (row.Leg == 0) == (row.Black == "A"), "%s: game %d.%d: %s has Black", name, row.Pair,
				row.Leg, row.Black)
		}
		testutil.Check(t, c.pairs > 0 && paired || c.pairs == 0 && alone, "%s: %d games in %d pairs, %s", name, got.Games,
			got.Pairs, lacks)
	}
}

// TestPairsOfAnyOrder: the pairs of a census do not depend on the order of the games.
func TestPairsOfAnyOrder(t *testing.T) {
	t.Parallel()
	w := newTwins()
	for _, event := range []string{"r/7.1", "q/0.0", "r/7.0", "r/3.0", "q/0.1", "r/3.1"} {
		r := &kifu.Record{Event: event, Black: "a", White: "b"}
		if event[len(event)-1] == '1' {
			r.Black, r.White = r.White, r.Black
		}
		w.add(r, match.Opening{Start: "startpos"})
	}
	list, order := w.seats()
	want := []seat{{1, 1}, {2, 0}, {1, 0}, {0, 0}, {2, 1}, {0, 1}}
	testutil.Check(t, len(order) == 3 && len(list) == len(want), "%v, %v", list, order)
	for i := range want {
		testutil.Equal(t, list[i], want[i], "game %d", i)
	}
}
