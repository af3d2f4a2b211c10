package match_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
)

// TestEventsPage requires that docs/events.md lists every termination.
func TestEventsPage(t *testing.T) {
	page := string(testutil.Must(os.ReadFile("../docs/events.md"))(t))
	_, list, found := strings.Cut(page, "\nTerminations: ")
	list, _, ended := strings.Cut(list, "\n\n")
	testutil.Require(t, found && ended, "the page has no list of terminations")
	for _, e := range match.Terminations() {
		testutil.Check(t, strings.Contains(list, "`"+e.String()+"`"), "the page does not list %s", e)
	}
}

// ends returns all terminations with their documented words.
func ends() []end {
	return []end{
		{match.Checkmate, "checkmate", false},
		{match.Resignation, "resignation", false},
		{match.TimeForfeit, "time_forfeit", true},
		{match.Stall, "stall", true},
		{match.IllegalMove, "illegal_move", true},
		{match.Repetition, "repetition", false},
		{match.PerpetualCheck, "perpetual_check", false},
		{match.Declaration, "declaration", false},
		{match.FalseDeclaration, "false_declaration", true},
		{match.MaxPlies, "max_plies", false},
		{match.Impasse, "impasse", false},
		{match.ScoreAdjudication, "score_adjudication", false},
		{match.MateAdjudication, "mate_adjudication", false},
		{match.Crash, "crash", true},
		{match.NotStarted, "not_started", true},
		{match.UnknownReason, "unknown", false},
	}
}

type end struct {
	termination match.Termination
	word        string
	fault       bool
}

func TestTerminations(t *testing.T) {
	for _, e := range ends() {
		testutil.Equal(t, e.termination.String(), e.word)
		if got, err := match.ParseTermination(e.word); got != e.termination || err != nil {
			t.Errorf("%q reads as %v, %v", e.word, got, err)
		}
		testutil.Equal(t, e.termination.IsFault(), e.fault, "%s: fault", e.word)
	}
	testutil.Check(t, match.NotEnded == "" && !match.NotEnded.IsFault() && match.NotEnded.String() == "not_ended" &&
		!match.NotEnded.Known(),
		"not ended: %q", match.NotEnded)
	for _, text := range []string{"", "Checkmate", "checkmate ", "adjourned"} {
		_, err := match.ParseTermination(text)
		want := `match: unknown termination "` + text + `"`
		testutil.Check(t, err != nil && err.Error() == want, "%q: %v, want %s", text, err, want)
	}
}

// TestTerminationsAreListed: every word of package kifu is in Terminations, because a store accepts only these, and in
// the table above.
func TestTerminationsAreListed(t *testing.T) {
	file := testutil.Must(parser.ParseFile(token.NewFileSet(), "../shogi/kifu/ends.go", nil, 0))(t)
	var words []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			word, isText := spec.Values[0].(*ast.BasicLit)
			testutil.Require(t, isText, "%s is no text", spec.Names[0])
			words = append(words, word.Value)
		}
		return true
	})

	var known []string
	for _, of := range match.Terminations() {
		known = append(known, strconv.Quote(of.String()))
	}
	slices.Sort(words)
	slices.Sort(known)
	testutil.Check(t, slices.Equal(words, known), "the words are %v, Terminations says %v", words, known)
	testutil.Equal(t, len(ends()), len(known), "the test knows")
}

// TestUnknownTermination: a word of a newer gogi stays unchanged and never counts as a known word.
func TestUnknownTermination(t *testing.T) {
	var v match.Termination
	if err := v.UnmarshalText([]byte("adjourned")); err != nil || v.Known() || v.IsFault() || v.String() != "adjourned" {
		t.Errorf("%v %q", err, v)
	}
	for _, e := range append(ends(), end{match.NotEnded, "not_ended", false}) {
		text, err := json.Marshal(e.termination)
		testutil.Check(t, err == nil && string(text) == strconv.Quote(e.word), "%s: %s, %v", e.word, text, err)
		if err := json.Unmarshal(text, &v); err != nil || v != e.termination {
			t.Errorf("%s: %q, %v", e.word, v, err)
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		outcome match.Outcome
		text    string
		winner  shogi.Colour
		decided bool
	}{
		{match.Unfinished, "unfinished", 0, false},
		{match.BlackWins, "black", shogi.Black, true},
		{match.WhiteWins, "white", shogi.White, true},
		{match.Draw, "draw", 0, false},
	} {
		winner, decided := test.outcome.Winner()
		testutil.Check(t, test.outcome.String() == test.text && winner == test.winner && decided == test.decided,
			"%v: winner %v, %t", test.outcome, winner, decided)
		var back match.Outcome
		if text, err := json.Marshal(test.outcome); err != nil || json.Unmarshal(text, &back) != nil ||
			back != test.outcome || string(text) != `"`+test.text+`"` {
			t.Errorf("%v: %s, %v", test.outcome, text, err)
		}
		if decided && match.WinFor(winner) != test.outcome {
			t.Errorf("%v: WinFor(%v) is %v", test.outcome, winner, match.WinFor(winner))
		}
		if v := (match.Verdict{Outcome: test.outcome}); v.Over() != (test.outcome != match.Unfinished) {
			t.Errorf("%v: over %t", test.outcome, v.Over())
		}
	}
	var o match.Outcome
	if _, err := json.Marshal(match.Outcome(4)); err == nil || match.Outcome(4).String() != "outcome(4)" {
		t.Errorf("an outcome that there is not: %v", err)
	}
	testutil.Fails(t, json.Unmarshal([]byte(`"none"`), &o), `unknown outcome "none"`, "an unknown word")
	if got := match.LossFor(shogi.Black, match.Crash, "why"); got !=
		(match.Verdict{Outcome: match.WhiteWins, Termination: match.Crash, Note: "why"}) {
		t.Errorf("a crash of Black is %v", got)
	}
}

// TestTerminationsAreKnownToRecords: every termination has an end that CSA readers know, for a winner that it can have.
// For five terminations it is %CHUDAN.
func TestTerminationsAreKnownToRecords(t *testing.T) {
	for _, e := range ends() {
		interrupted, csa := true, ""
		for _, winner := range []string{"black", "white", "draw"} {
			record := kifu.Record{Start: startSFEN, Result: e.word, Winner: winner}
			csa += string(testutil.Must(text.AppendCSA3(nil, &record))(t))
			interrupted = interrupted && strings.HasSuffix(csa, "\n%CHUDAN\n")
		}
		unknown := e.termination == match.ScoreAdjudication || e.termination == match.MateAdjudication ||
			e.termination == match.Crash || e.termination == match.UnknownReason || e.termination == match.NotStarted
		testutil.Equal(t, interrupted, unknown, "%s ends as %q", e.word, csa)
	}
}

func TestSideAdd(t *testing.T) {
	var s match.Side
	s.Add(kifu.Move{Nodes: 100, Time: 2 * time.Second, Depth: 10}, 0)
	s.Add(kifu.Move{Nodes: 50, Time: time.Second}, 30*ms)
	s.Add(kifu.Move{Depth: 5}, 20*ms)
	want := match.Side{Plies: 3, Nodes: 150, Time: 3 * time.Second, DepthSum: 15, DepthPlies: 2, WorstOverrun: 30 * ms}
	testutil.Equal(t, s, want)
}

func TestRulesPoints(t *testing.T) {
	half := [2]float64{0.5, 0.5}
	for _, name := range []string{"default", "wcsc", "floodgate", "denryu"} {
		rules, repetition := match.RulesProfiles()[name], half
		if name == "denryu" {
			repetition = [2]float64{0.4, 0.6}
		}
		for _, test := range []struct {
			verdict match.Verdict
			want    [2]float64
		}{
			{match.Verdict{}, [2]float64{}},
			{match.Verdict{Outcome: match.BlackWins, Termination: match.Resignation}, [2]float64{1, 0}},
			{match.Verdict{Outcome: match.WhiteWins, Termination: match.PerpetualCheck}, [2]float64{0, 1}},
			{match.Verdict{Outcome: match.Draw, Termination: match.MaxPlies}, half},
			{match.Verdict{Outcome: match.Draw, Termination: match.Impasse}, half},
			{match.Verdict{Outcome: match.Draw, Termination: match.ScoreAdjudication}, half},
			{match.Verdict{Outcome: match.Draw, Termination: match.Repetition}, repetition},
		} {
			testutil.Equal(t, rules.Points(test.verdict), test.want, "%s: %v is worth", name, test.verdict)
		}
	}
}

func TestRulesByName(t *testing.T) {
	for name, rules := range match.RulesProfiles() {
		if got, err := match.RulesByName(name); err != nil || got != rules || got.Name != name {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	_, err := match.RulesByName("chess")
	want := `no rules are named "chess"; there are default, denryu, floodgate, wcsc`
	testutil.Check(t, err != nil && err.Error() == want, "%v, want %s", err, want)
}

// TestSumsOfNodesDoNotWrap: node counts from other programs may be up to 2^64−1, and a database stores at most
// 2^63−1.
func TestSumsOfNodesDoNotWrap(t *testing.T) {
	const most = math.MaxInt64
	for _, test := range [][3]uint64{
		{1, 2, 3}, {most - 1, 1, most}, {most, 1, most}, {most, 0, most}, {0, math.MaxUint64, most},
		{math.MaxUint64, math.MaxUint64, most},
	} {
		testutil.Equal(t, match.SumNodes(test[0], test[1]), test[2], "%d and %d", test[0], test[1])
	}
	var side match.Side
	var effort match.Effort
	for range 40 {
		side.Add(kifu.Move{Nodes: math.MaxUint64}, 0)
		effort.Add(match.Effort{Nodes: math.MaxUint64})
	}
	testutil.Check(t, side.Nodes == most && effort.Nodes == most,
		"40 moves of 2^64−1 nodes are %d and %d, want 2^63−1", side.Nodes, effort.Nodes)
}

// TestResultCheck: the data of a game from another program have upper bounds.
func TestResultCheck(t *testing.T) {
	good := func() match.Result {
		return match.Result{Slot: 1 << 20, Sides: [2]match.Side{{Plies: 2, PonderHits: 2}, {Plies: 1, Incomplete: 1}},
			Verdict: match.Verdict{Note: strings.Repeat("x", match.MaxWords)}}
	}
	if r := good(); r.Check() != nil {
		t.Error(r.Check())
	}
	for name, change := range map[string]func(r *match.Result){
		"no slot":      func(r *match.Result) { r.Slot = -1 },
		"a slot":       func(r *match.Result) { r.Slot++ },
		"words":        func(r *match.Result) { r.Note += "x" },
		"no UTF-8":     func(r *match.Result) { r.Note = "\xff" },
		"hits":         func(r *match.Result) { r.Sides[0].PonderHits++ },
		"misses":       func(r *match.Result) { r.Sides[1].PonderMisses = -1 },
		"incomplete":   func(r *match.Result) { r.Sides[1].Incomplete++ },
		"before limit": func(r *match.Result) { r.Sides[0].WorstOverrun = -1 },
	} {
		r := good()
		if change(&r); r.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
