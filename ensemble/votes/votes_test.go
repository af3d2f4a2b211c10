package votes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/ensemble/ensembletest"
	"gogi/ensemble/voting"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// logged returns the games of a log with these records.
func logged(t *testing.T, records [][]byte) (games []*Game) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "votes.log")
	testutil.OK(t, os.WriteFile(path, append(bytes.Join(records, []byte("\n")), '\n'), 0o600))
	testutil.OK(t, ReadLog(path, func(*Game) bool { return true }, func(g *Game) error {
		games = append(games, g)
		return nil
	}))
	return games
}

// voted returns the report of a log of one council.
func voted(t *testing.T, records [][]byte) *Council {
	t.Helper()
	r := Report{}
	for _, g := range logged(t, records) {
		r.Add(g)
	}
	r.Finish()
	testutil.Require(t, len(r.Councils) == 1, "%d councils", len(r.Councils))
	return r.Councils[0]
}

// replayed replays the votes of a log.
func replayed(t *testing.T, records [][]byte, rules []string) *Replay {
	t.Helper()
	r := testutil.Must(NewReplay("votes.log", rules, ""))(t)
	for _, g := range logged(t, records) {
		testutil.OK(t, r.Add(g))
	}
	r.Finish()
	return r
}

// TestVotesReport compares the report with numbers calculated by hand from the worked example, played twice. P1 leads
// once the weights differ, before the third and fourth decisions. The votes 4:1, 3:2 and 2:2:1 have 0.7219, 0.9710 and
// 1.5219 bits.
func TestVotesReport(t *testing.T) {
	c := voted(t, ensembletest.Records(t, "adoption", ensembletest.FiveMembers, ensembletest.FiveMembers))
	if c.Council != "C" || c.Rule != "adoption" || c.Games != 2 || c.Decisions != 8 || c.Voted != 8 || c.Nodes != 4000 ||
		c.Plies != nil {
		t.Errorf("%+v", c)
	}
	testutil.Equal(t, fmt.Sprint(c.By), "[{rule 8 1}]", "decided")
	var splits []string
	for _, s := range c.Splits {
		splits = append(splits, fmt.Sprintf("%s %d %v", s.Split, s.Count, *s.OfDecisions))
	}
	testutil.Equal(t, strings.Join(splits, ", "), "5 2 0.25, 4:1 2 0.25, 3:2 2 0.25, 2:2:1 2 0.25", "splits")
	testutil.Check(t, c.Unanimous.Count == 2 && c.TopTies.Count == 0 && c.Differs.Count == 0,
		"unanimous %d, ties %d, differs %d", c.Unanimous.Count, c.TopTies.Count, c.Differs.Count)
	if want := (0.7219 + 0.9710 + 1.5219) / 4; math.Abs(*c.Entropy.Mean-want) > 1e-4 {
		t.Errorf("entropy %v, want %v", *c.Entropy.Mean, want)
	}
	l := c.Leaders
	testutil.Check(t, l.Games == 2 && l.OneThroughout == 2 && *l.PerGame == 1 && *l.MeanTenure == 2 &&
		*l.LongestTenure == 2,
		"leaders %+v", l)
	testutil.Check(t, c.Dictators.Games == 0 && c.Dictators.Why != "", "dictators %+v", c.Dictators)
	for i, want := range []string{"8 6 4", "8 6 0", "8 6 0", "8 6 0", "8 4 0"} {
		m := c.Members[i]
		got := fmt.Sprint(m.Votes, m.Adopted, m.Led)
		testutil.Check(t, got == want && m.Nodes == 800, "%s: votes, adopted, led %s, want %s; nodes %d", m.Name, got, want,
			m.Nodes)
	}
	if a := c.Agreements[0]; a.A != "P1" || a.B != "P2" || a.Both != 8 || a.Same != 4 || len(c.Agreements) != 10 {
		t.Errorf("agreement %+v, %d pairs", a, len(c.Agreements))
	}
	testutil.Equal(t, fmt.Sprint(c.Shadows), "[{majority 8 0 0}]", "shadows")
}

// TestVotesTiesAndDictators plays votes in which P1 has the highest score and gains each time. With weights of 3, 1 and
// 1 it outweighs the others before its third decision.
func TestVotesTiesAndDictators(t *testing.T) {
	c := voted(t, ensembletest.Records(t, "evaluation", "A50 B0 C0|A50 B0 C0|A50 B0 B0|r r A"))
	testutil.Equal(t, fmt.Sprint(c.TopTies.Count, c.TopTies.Levels), "1 [{score 1}]", "ties")
	if c.Differs.Count != 1 { // in the third decision, in which B has two of three votes
		t.Errorf("differs %d", c.Differs.Count)
	}
	testutil.Check(t, c.Dictators.Games == 1 && *c.Dictators.Earliest == 3 && *c.Dictators.MedianOnset == 3,
		"dictators %+v", c.Dictators)
	testutil.Equal(t, fmt.Sprint(c.By), "[{rule 3 0.75} {resignation 1 0.25}]", "decided")
	testutil.Equal(t, c.Members[0].others().In(i18n.English), "resigned 1", "other ballots")
	testutil.Equal(t, fmt.Sprint(c.Shadows), "[{majority 4 1 0.25}]", "shadows")
}

// TestVotesTakenBack requires that a decision that was taken back does not count, but is replayed.
func TestVotesTakenBack(t *testing.T) {
	records := ensembletest.Records(t, "adoption", "A A B|A B B|A A A")
	again := ensembletest.Records(t, "adoption", "A A B|A A A|A A A")
	records = append(records, again[1:]...)
	c := voted(t, records)
	testutil.Check(t, c.Decisions == 3 && c.TakenBack == 2 && c.Games == 1 && c.Unanimous.Count == 2,
		"%d decisions, %d taken back, %d games, %d unanimous", c.Decisions, c.TakenBack, c.Games, c.Unanimous.Count)
	if r := replayed(t, records, nil); r.Verdict() != nil || r.Councils[0].Replays[0].Decisions != 5 {
		t.Errorf("%+v: %v", r.Councils[0].Replays[0], r.Verdict())
	}
}

// TestVotesAgainFromJSON requires that the output of --game --json is enough to replay the votes. A changed ballot
// changes the decision.
func TestVotesAgainFromJSON(t *testing.T) {
	records := ensembletest.Records(t, "evaluation:decay=0.9", "A50 B0 C0|A50 B0 C0|A50 B0 B0|r A B")
	text := testutil.Must(json.Marshal(NewGame(logged(t, records)[0])))(t)
	lower := bytes.Replace(text, []byte(`"mv":"5i4h","cp":50`), []byte(`"mv":"5i4h","cp":-50`), 1)
	for i, form := range [][]byte{text, lower} {
		var printed struct {
			Councils []struct {
				Decisions []struct {
					Record json.RawMessage `json:"record"`
				} `json:"decisions"`
			} `json:"councils"`
		}
		testutil.OK(t, json.Unmarshal(form, &printed))
		var alone [][]byte
		for _, d := range printed.Councils[0].Decisions {
			alone = append(alone, d.Record)
		}
		x := replayed(t, alone, nil).Councils[0].Replays[0]
		testutil.Check(t, x.Decisions == 4 && (x.Differs == 0) == (i == 0),
			"form %d: %d of %d decisions differ: %+v", i, x.Differs, x.Decisions, x.Where)
	}
}

// TestHeaviest requires that weights that differ by rounding are equal.
func TestHeaviest(t *testing.T) {
	for _, x := range []struct {
		weights   []float64
		leader    int
		outweighs bool
	}{
		{[]float64{1, 1, 1}, -1, false}, {[]float64{0.3, 0.1 + 0.2}, -1, false}, {[]float64{0.1, 0.3, 0.1 + 0.2}, 1, false},
		{[]float64{0.1 + 0.2, 0.1, 0.2}, 0, false}, {[]float64{1, 3, 1}, 1, true}, {[]float64{2, 1, 1}, 0, false},
		{[]float64{5}, -1, false},
	} {
		if leader, outweighs := heaviest(x.weights); leader != x.leader || outweighs != x.outweighs {
			t.Errorf("%v: %d, %v", x.weights, leader, outweighs)
		}
	}
}

// played returns a game in which council C, as Black, makes these decisions.
func played(t *testing.T, winner string, records [][]byte) *Game {
	t.Helper()
	record := kifu.Record{Black: "C", White: "B", Start: "startpos", Winner: winner}
	p := shogi.StartPos()
	for i := range 2 * len(records) {
		m := kifu.Move{Move: p.LegalMoves(nil)[0]}
		if i%2 == 0 {
			m.Detail = records[i/2]
		}
		record.Moves = append(record.Moves, m)
		p.Apply(m.Move)
	}
	return testutil.Must(OfGame("0.0", len(record.Moves), &record, ""))(t)
}

// scoreOf reads the result of a game as a record names it.
func TestScoreOf(t *testing.T) {
	for winner, want := range map[string][2]float64{"black": {1, 0}, "white": {0, 1}, "draw": {0.5, 0.5}} {
		b, w := scoreOf(winner, shogi.Black), scoreOf(winner, shogi.White)
		testutil.Check(t, b == want[0] && w == want[1], "%s: %v and %v", winner, b, w)
	}
	s := scoreOf("", shogi.Black)
	testutil.Check(t, math.IsNaN(s), "without a result: %v", s)
}

// TestFit compares the fit with numbers calculated by hand. With a score of +X the council wins three of four games,
// with -X one of four. The log odds at ±X are ±log 3, so the slope is log(3)/X. For the member whose scores are cut to
// the clamp, X is the clamp. The errors are White's robust errors, with each game's score as a cluster. In standardised
// x the squared scores add up to 8·3/16 and their mean second derivative is 3/16. The error is
// sqrt(8·3/16)/(8·3/16)·sqrt(8/7)/X.
func TestFit(t *testing.T) {
	up, down := ensembletest.Records(t, "majority", "A100 A9000 A100"),
		ensembletest.Records(t, "majority", "A-100 A-9000 r")
	f := NewFit()
	for i, winner := range strings.Fields("black black black white white white white black") {
		records := up
		if i >= 4 {
			records = down
		}
		testutil.OK(t, f.Add(played(t, winner, records)))
	}
	if err := f.Add(played(t, "", up)); err != nil { // a game without a result adds nothing
		t.Fatal(err)
	}
	f.Finish()
	c := f.Councils[0]
	testutil.Require(t, f.Games == 8 && len(f.Councils) == 1 && len(c.Members) == 3, "%+v", f)
	variance := 8.0 * 3 / 16
	for i, x := range []float64{100, voting.DefaultClamp} {
		m := c.Members[i]
		testutil.Require(t, m.Why == "" && m.Games == 8 && m.Scores == 8, "%+v", m)
		if want := math.Log(3) / x; math.Abs(*m.Slope-want) > 1e-12 || math.Abs(*m.Intercept) > 1e-9 {
			t.Errorf("%s: slope %v, want %v, intercept %v", m.Name, *m.Slope, want, *m.Intercept)
		}
		if want := math.Sqrt(1/variance*8/7) / x; math.Abs(*m.SlopeSE-want) > 1e-9 {
			t.Errorf("%s: error %v, want %v", m.Name, *m.SlopeSE, want)
		}
		testutil.Check(t, slices.Contains(m.Warnings, fewGames) && slices.Contains(m.Warnings, uncertain) &&
			!slices.Contains(m.Warnings, backwards),
			"%s: %v", m.Name, m.Warnings)
	}
	if m := c.Members[2]; m.Slope != nil || m.Why == "" || m.Games != 4 {
		t.Errorf("a member whose score never varies: %+v", m)
	}
	var out strings.Builder
	f.Print(&out, i18n.English)
	for _, want := range []string{"name = \"P1\"\nscale = {slope = 0.01099, intercept = ", "\nscale = {slope = 0.000549",
		"P3: no scale: x does not vary", "fewer than 50 games"} {
		testutil.Check(t, strings.Contains(out.String(), want), "there is no %q in\n%s", want, &out)
	}
}

// TestFitWarns covers a slope with the wrong sign, which is no scale, and scores that separate the results.
func TestFitWarns(t *testing.T) {
	up, down := ensembletest.Records(t, "majority", "A100"), ensembletest.Records(t, "majority", "A-100")
	fit := func(winners string) *memberFit {
		f := NewFit()
		for i, winner := range strings.Fields(winners) {
			records := up
			if i%2 == 1 {
				records = down
			}
			testutil.OK(t, f.Add(played(t, winner, records)))
		}
		f.Finish()
		return f.Councils[0].Members[0]
	}
	if m := fit("white black white black black white"); !slices.Contains(m.Warnings, backwards) || m.toml() != "" {
		t.Errorf("%+v", m)
	}
	if m := fit("black white black white"); m.Slope != nil || !strings.Contains(m.Why, "separates the outcomes") {
		t.Errorf("%+v", m)
	}
	if m := fit("draw draw draw draw"); m.Slope == nil || math.Abs(*m.Slope) > 1e-12 {
		t.Errorf("%+v", m)
	}
}

// TestFitLeavesOut requires that mates, bounds, book moves and late ballots do not count as scores.
func TestFitLeavesOut(t *testing.T) {
	five := 5
	m := &memberFit{}
	score, bound := voting.ScoreRecord{CP: &five}, voting.ScoreRecord{CP: &five, Bound: "lower"}
	for _, b := range []voting.BallotRecord{
		{Kind: voting.KindMove, ScoreRecord: score}, {Kind: voting.KindResign, ScoreRecord: score},
		{Kind: voting.KindMove, ScoreRecord: voting.ScoreRecord{Mate: "3"}}, {Kind: voting.KindMove, ScoreRecord: bound},
		{Kind: voting.KindMove}, {Kind: voting.KindLate, ScoreRecord: score},
		{Kind: voting.KindMove, ScoreRecord: score, Source: voting.SourceBook},
	} {
		m.add(&b, 1000, 1, 0)
	}
	testutil.Check(t, len(m.scores) == 2 && m.LeftOut == 2 && m.Games == 1,
		"%d scores, %d left out, %d games", len(m.scores), m.LeftOut, m.Games)
}

// TestBothSidesHaveTheirScore requires that two councils in one game have opposite scores.
func TestBothSidesHaveTheirScore(t *testing.T) {
	detail := ensembletest.Records(t, "majority", "A10")[0]
	record := kifu.Record{Black: "C", White: "D", Start: "startpos", Winner: "white"}
	p := shogi.StartPos()
	for range 2 {
		m := p.LegalMoves(nil)[0]
		record.Moves = append(record.Moves, kifu.Move{Move: m, Detail: detail})
		p.Apply(m)
	}
	g, err := OfGame("0.0", 2, &record, "")
	testutil.Check(t, err == nil && len(g.Votes) == 2 && g.Votes[0].score == 0 && g.Votes[1].score == 1 &&
		g.Votes[1].Council == "D",
		"%+v (%v)", g, err)
}

// TestFirstAnswers counts the decisions that the first 2, 3 and 4 members make alone. FiveMembers has the votes AAAAA,
// AAAAB, BAABA and ABCAB, and 500 nodes per decision.
func TestFirstAnswers(t *testing.T) {
	c := voted(t, ensembletest.Records(t, "majority", ensembletest.FiveMembers, "A A B B B"))
	want := []earlyReport{{2, 5, 3, 1, 900, 2500}, {3, 5, 2, 0, 400, 2500}, {4, 5, 2, 0, 200, 2500}}
	testutil.Same(t, c.Firsts, want)
	if c := voted(t, ensembletest.Records(t, "majority", "A A r", "A B w")); c.Firsts != nil {
		t.Errorf("not every member voted: %+v", c.Firsts)
	}
}
