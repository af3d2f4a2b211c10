package verify

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
	"gogi/shogi"
)

// A series is a match that was really played, from the testdata of package match.
type series struct {
	Name  string          `json:"name"`
	Plan  json.RawMessage `json:"plan"`
	Pairs [][]byte        `json:"pairs"`
}

func allSeries(t *testing.T) []series {
	t.Helper()
	text := testutil.Must(os.ReadFile(filepath.Join("..", "..", "match", "testdata", "played.json")))(t)
	var list []series
	testutil.OK(t, json.Unmarshal(text, &list))
	return list
}

func (s series) decode(t *testing.T) (*match.Plan, []match.PairResult) {
	t.Helper()
	plan := testutil.Must(match.DecodePlan(s.Plan))(t)
	var pairs []match.PairResult
	for _, text := range s.Pairs {
		r := testutil.Must(match.DecodePair(text, 1<<20))(t)
		pairs = append(pairs, r)
	}
	return plan, pairs
}

// storedRun stores the pairs in a new database, and returns the store and its path.
func storedRun(t *testing.T, plan *match.Plan, pairs []match.PairResult) (*results.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gogi.db")
	s := testutil.Must(results.Open(t.Context(), path))(t)
	t.Cleanup(func() { _ = s.Close() })
	run := testutil.Must(s.Begin(t.Context(), plan))(t)
	for _, p := range pairs {
		added, err := run.Add(t.Context(), p)
		testutil.Require(t, err == nil && added, "%v %v", added, err)
	}
	testutil.OK(t, run.Close())
	return s, path
}

func recount(t *testing.T, s *results.Store, name string) *Found {
	t.Helper()
	info := testutil.Must(s.FindRun(t.Context(), name))(t)
	told := 0
	f, err := Run(t.Context(), s, info, func(done, of int) { told = done; _ = of })
	testutil.OK(t, err)
	testutil.Check(t, told == info.Finished, "progress ended at %d of %d", told, info.Finished)
	return f
}

// TestPlayed: matches that were really played pass the check, and their counts equal the counts from the games.
func TestPlayed(t *testing.T) {
	for _, x := range allSeries(t) {
		plan, pairs := x.decode(t)
		s, _ := storedRun(t, plan, pairs)
		f := recount(t, s, plan.Run)
		testutil.Check(t, f.Same() && f.Pairs == len(pairs) && f.Replayed == len(pairs), "%s: %+v", x.Name, f)
		var wins [2]int
		games, plies, points := 0, 0, 0.0
		for _, p := range pairs {
			for _, g := range p.Games {
				games++
				plies += len(g.Record.Moves)
				points += 1 // a game is worth one point, by these rules
				if winner, ok := g.Outcome.Winner(); ok {
					wins[g.Players[winner]]++
				}
			}
		}
		own, sums := count(t, plan, pairs)
		a, b := sums.Players[0], sums.Players[1]
		if f.Games != games || own != games || f.Plies != plies || sums.Plies != plies || a.all().Wins != wins[0] ||
			b.all().Wins != wins[1] || a.Points+b.Points != points {
			t.Errorf("%s: %+v", x.Name, f)
		}
		var text, object bytes.Buffer
		writeText(&text, i18n.English, f)
		if err := writeJSON(&object, f); err != nil || !strings.Contains(text.String(), "every move replayed") ||
			!strings.Contains(object.String(), `"same": true`) {
			t.Errorf("%s: %v\n%s\n%s", x.Name, err, text.String(), object.String())
		}
	}
}

// TestForged: a pair that was changed before it was stored fails the replay.
func TestForged(t *testing.T) {
	for name, forge := range map[string]func(r, other *match.PairResult){
		"outcome flipped": func(r, _ *match.PairResult) {
			g := &r.Games[0]
			winner, _ := g.Outcome.Winner()
			g.Outcome = match.WinFor(winner.Opponent())
			g.Record.Winner = g.Outcome.String()
		},
		"last move cut": func(r, _ *match.PairResult) {
			g := &r.Games[0]
			g.Record.Moves = g.Record.Moves[:len(g.Record.Moves)-1]
		},
		"early resignation": func(r, _ *match.PairResult) {
			g := &r.Games[0]
			loser := shogi.Colour(len(g.Record.Moves) % 2)
			g.Record.Moves = g.Record.Moves[:len(g.Record.Moves)-2]
			g.Verdict = match.LossFor(loser, match.Resignation, "")
			g.Record.Result, g.Record.Winner = g.Termination.String(), g.Outcome.String()
		},
		"other pair's games": func(r, other *match.PairResult) {
			for leg := range r.Games {
				r.Games[leg] = other.Games[leg]
				r.Games[leg].Pair = r.Pair.ID
			}
		},
		"nodes": func(r, _ *match.PairResult) { r.Games[1].Sides[0].Nodes++ },
	} {
		x := allSeries(t)[0]
		plan, pairs := x.decode(t)
		forge(&pairs[1], &pairs[2])
		s, _ := storedRun(t, plan, pairs)
		f := recount(t, s, plan.Run)
		if len(f.Differences) == 0 || f.Replayed != len(pairs)-1 {
			t.Errorf("%s: %+v", name, f)
			continue
		}
		d := f.Differences[0]
		testutil.Check(t, d.Pair == 1 && strings.Contains(d.What, "leg "), "%s: %v", name, d)
		var text bytes.Buffer
		if writeText(&text, i18n.English, f); !strings.Contains(text.String(), "not as it should be:\n  pair 1: ") ||
			strings.Contains(text.String(), "Nothing differs") {
			t.Errorf("%s:\n%s", name, text.String())
		}
	}
}

// edit changes a database without the store. It removes the checksums, which would show the change.
func edit(t *testing.T, path, statement string) {
	t.Helper()
	db := testutil.Must(sql.Open("sqlite3", path))(t)
	defer func() { _ = db.Close() }()
	done := testutil.Must(db.ExecContext(context.Background(), statement))(t)
	n, _ := done.RowsAffected()
	testutil.Require(t, n != 0, "%s changed nothing", statement)
	for _, table := range []string{"runs", "engines", "settings_log", "openings", "pairs", "games", "records"} {
		testutil.OK(t, testutil.Err(db.ExecContext(context.Background(), "UPDATE "+table+" SET checksum = NULL")))
	}
}

// TestEdited: the check finds each change of a stored value that does not change the moves.
func TestEdited(t *testing.T) {
	one := " WHERE pair = 1"
	for want, statement := range map[string]string{
		"pair 1: leg 0: the points: counted as [1 1]": "UPDATE games SET black_points = 1, white_points = 1" + one +
			" AND leg = 0",
		"pair 1: leg 1: the last position: counted": "UPDATE games SET last_sfen = 'x'" + one + " AND leg = 1",
		"pair 1: its seed ":                         "UPDATE pairs SET seed = seed + 1" + one,
		"it ended by":                               "UPDATE games SET termination = 'declaration'" + one,
		"the digest is not that of the plan":        "UPDATE runs SET digest = 'x'",
		"pair 1: leg 0: the hash of the opening":    "UPDATE openings SET hash = hash + 1 WHERE id = (SELECT opening_id FROM pairs" + one + ")",
		"pair 1: leg 0: the plies of the opening":   "UPDATE openings SET plies = plies + 1 WHERE id = (SELECT opening_id FROM pairs" + one + ")",
		"the sums of ":                              "UPDATE games SET black_nodes = black_nodes + 1" + one,
	} {
		plan, pairs := allSeries(t)[0].decode(t)
		s, path := storedRun(t, plan, pairs)
		edit(t, path, statement)
		f := recount(t, s, plan.Run)
		var all []string
		for _, d := range f.Differences {
			all = append(all, problemText(d).String())
		}
		text := strings.Join(all, "\n")
		testutil.Check(t, strings.Contains(text, want), "no %s in\n%s", want, text)
	}
}

// TestReportHeldAgainst: the check finds each changed figure of a report.
func TestReportHeldAgainst(t *testing.T) {
	plan, pairs := allSeries(t)[0].decode(t)
	s, _ := storedRun(t, plan, pairs)
	info := testutil.Must(s.FindRun(t.Context(), plan.Run))(t)
	for want, change := range map[string]func(r *report.Report){
		"of pairs: 4":                         func(r *report.Report) { r.Pairs++ },
		"of games: 7":                         func(r *report.Report) { r.Games++ },
		"of plies: ":                          func(r *report.Report) { r.Plies.Total-- },
		"the games of A as Black: ":           func(r *report.Report) { r.Players[0].Black.Draws++ },
		"the games of B as White: ":           func(r *report.Report) { r.Players[1].White.Wins++ },
		"the points of B: ":                   func(r *report.Report) { r.Players[1].Points += 0.5 },
		"the games of A: 7":                   func(r *report.Report) { r.Players[0].Games++ },
		"player A: C":                         func(r *report.Report) { r.Players[0].Name = "C" },
		"players: 1":                          func(r *report.Report) { r.Players = r.Players[:1] },
		"of A against B: 1 won, 0 drawn, 6":   func(r *report.Report) { r.Crosstable[0].Losses++ },
		"the score of A against B: ":          func(r *report.Report) { r.Crosstable[0].Score = 0.125 },
		"how the pairs of A against B came o": func(r *report.Report) { r.Pentanomial.WL++ },
		"B against A: 6": func(r *report.Report) {
			c := r.Crosstable[0]
			c.A, c.B = c.B, c.A
			r.Crosstable = append(r.Crosstable, c)
		},
		"stall of A: 3": func(r *report.Report) {
			r.Terminations = append(r.Terminations, report.Ending{Termination: "stall", Loser: "A", Count: 3})
		},
	} {
		games, sums := count(t, plan, pairs)
		f, rep := &counted{games, sums}, reported(t, s, info)
		if list := compare(f, rep); len(list) > 0 {
			t.Fatal(list)
		}
		change(rep)
		list := compare(f, rep)
		text := strings.Join(list, "\n")
		testutil.Check(t, strings.Contains(text, want) && len(list) <= 3, "no %s in\n%s", want, text)
	}
	empty, _ := storedRun(t, plan, nil)
	_, none := count(t, plan, nil)
	if list := compare(&counted{Sums: none},
		reported(t, empty, testutil.Must(empty.FindRun(t.Context(), plan.Run))(t))); len(list) > 0 {
		t.Errorf("nothing was played: %v", list)
	}
}

// reported returns the report of a stored run.
func reported(t *testing.T, s *results.Store, info *results.RunInfo) *report.Report {
	t.Helper()
	g := testutil.Must(report.New(testutil.Must(stored.ReportRun(t.Context(), s, info))(t)))(t)
	testutil.OK(t, s.Pairs(t.Context(), info.ID, results.Filter{}, g.Add))
	return g.Report()
}

// TestDrawn: if results decide the pairings, the stored results must lead to every pair.
func TestDrawn(t *testing.T) {
	plan, pairs := allSeries(t)[0].decode(t)
	plan.Pairs = 1
	plan.Design = match.Design{Kind: match.DesignKnockout, Swap: true, Tournament: match.Tournament{MatchPairs: 1}}
	canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
	s, _ := storedRun(t, plan, nil)
	info, err := s.FindRun(t.Context(), plan.Run)
	testutil.Require(t, err == nil && canonical.Design.ByResults(), "%v", err)
	c, err := newReplayer(info)
	testutil.OK(t, err)
	drawn := c.schedule.Drawn()
	testutil.Require(t, len(drawn) == 1, "%v", drawn)
	p := pairs[0]
	p.Pair = plan.PairOf(drawn[0].Pair, drawn[0].Players, drawn[0].Opening)
	testutil.OK(t, c.place(&p))
	if c, err = newReplayer(info); err != nil {
		t.Fatal(err)
	}
	p.Pair.Players = [2]int{drawn[0].Players[1], drawn[0].Players[0]}
	testutil.Fails(t, c.place(&p), "the results before it lead to")
}

// TestDrawnByPoints: only the winners of a knockout's first matches meet in the next match. The openings and seeds are
// those of the draw.
func TestDrawnByPoints(t *testing.T) {
	plan, pairs := allSeries(t)[0].decode(t)
	for _, name := range []string{"C", "D"} {
		player := plan.Players[0]
		player.Name = name
		plan.Players = append(plan.Players, player)
	}
	plan.Pairs = 3
	plan.Design = match.Design{Kind: match.DesignKnockout, Swap: true, Tournament: match.Tournament{MatchPairs: 1}}
	s, _ := storedRun(t, plan, nil)
	info := testutil.Must(s.FindRun(t.Context(), plan.Run))(t)
	c := testutil.Must(newReplayer(info))(t)
	var second []int
	for _, slot := range c.schedule.Drawn() { // A loses both games of each pair
		p := match.PairResult{Pair: plan.PairOf(slot.Pair, slot.Players, slot.Opening), Games: pairs[0].Games}
		p.Games[0].Outcome, p.Games[1].Outcome = match.WhiteWins, match.BlackWins
		second = append(second, slot.Players[1])
		testutil.OK(t, c.place(&p))
	}
	final, drawn := c.schedule.Slot(2)
	testutil.Require(t, drawn && len(second) == 2 &&
		final.Players == [2]int{min(second[0], second[1]), max(second[0], second[1])},
		"%v won, and the final is %+v", second, final)
	p := match.PairResult{Pair: plan.PairOf(2, final.Players, final.Opening), Games: pairs[0].Games}
	p.Pair.Seed++
	testutil.Fails(t, c.place(&p), "its seed")
}

// TestGamesNotCounted: the check reports a game without a row.
func TestGamesNotCounted(t *testing.T) {
	plan, pairs := allSeries(t)[0].decode(t)
	s, _ := storedRun(t, plan, pairs[:1])
	info := testutil.Must(s.FindRun(t.Context(), plan.Run))(t)
	c, err := newReplayer(info)
	testutil.OK(t, err)
	err = s.Pairs(t.Context(), info.ID, results.Filter{}, func(rows []match.Row) error {
		wrong := c.pair(pairs[0], rows[:1])
		testutil.Check(t, len(wrong) != 0 && strings.Contains(wrong[0].Error(), "1 games are counted, and it has 2"), "%v",
			wrong)
		return nil
	})
	testutil.Check(t, err == nil, "%v", err)
}

// TestTwo: a Two counts pairs of two games by their result, and ignores single games.
func TestTwo(t *testing.T) {
	var two Two
	for _, pair := range []Count{{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {0, 2, 0}, {1, 1, 0}, {2, 0, 0}, {1, 0, 0}, {0, 1, 0}} {
		two.add(pair)
	}
	testutil.Check(t, two == (Two{1, 1, 1, 1, 1, 1}), "%+v", two)
}

// TestWorth: a repetition gives each colour the points in the rules.
func TestWorth(t *testing.T) {
	rules := match.Rules{RepetitionPoints: [2]float64{0.4, 0.6}}
	for _, test := range []struct {
		v    match.Verdict
		want [2]float64
	}{
		{match.Verdict{Outcome: match.BlackWins, Termination: match.Resignation}, [2]float64{1, 0}},
		{match.Verdict{Outcome: match.WhiteWins, Termination: match.PerpetualCheck}, [2]float64{0, 1}},
		{match.Verdict{Outcome: match.Draw, Termination: match.Repetition}, [2]float64{0.4, 0.6}},
		{match.Verdict{Outcome: match.Draw, Termination: match.Impasse}, [2]float64{0.5, 0.5}},
		{match.Verdict{}, [2]float64{}},
	} {
		own, got := worth(&match.Result{Verdict: test.v}, rules), rules.Points(test.v)
		testutil.Check(t, own == test.want && got == test.want, "%+v: %v and %v", test.v, own, got)
	}
}
