package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/stats/binomial"
)

// version returns a finished run of a version against base at 100 nodes.
func version(name string, change ...func(*Run)) Run {
	r := Run{Name: name, Finished: true, Plan: &match.CanonicalPlan{
		Version: 1, Design: match.DesignMatch, Swap: true, Ponder: match.PonderOff,
		Rules: match.CanonicalRules{MaxPlies: 320},
		Players: []match.CanonicalPlayer{
			{Name: name + "-engine", Identity: map[string]string{"fixed": name}, Limits: "nodes 100"},
			{Name: "base", Identity: map[string]string{"fixed": "base"}, Limits: "nodes 100"},
		},
		Openings: match.CanonicalOpenings{Count: 3, SHA256: "00"},
	}}
	for _, f := range change {
		f(&r)
	}
	return r
}

// reported returns the report of runs with these pairs. A pair has the first player's results, and its index gives the
// opening.
func reported(t *testing.T, runs []Run, pairs ...[]string) *Report {
	t.Helper()
	g := testutil.Must(New(runs, ""))(t)
	addAll(t, g, runs, pairs...)
	return g.Report()
}

// addAll adds the pairs of each run.
func addAll(t *testing.T, g *Gatherer, runs []Run, pairs ...[]string) {
	t.Helper()
	for i, r := range runs {
		fake := matchtest.Run{Players: []string{r.Plan.Players[0].Name, r.Plan.Players[1].Name}, Pairs: pairs[i]}
		for id, rows := range fake.Rows() {
			testutil.OK(t, g.Add(i, match.Opening{Start: "opening " + string(rune('A'+id))}, rows))
		}
	}
}

// TestTwoRuns: six of eight openings changed from even to won, and none changed back. Flipping their signs gives 2/2^6,
// for any results of the other openings.
func TestTwoRuns(t *testing.T) {
	t.Parallel()
	older := []string{"WL", "WL", "WL", "WL", "WL", "WL", "LL", "WW"}
	newer := []string{"WW", "WW", "WW", "WW", "WW", "WW", "LL", "WW"}
	rep := reported(t, []Run{version("older"), version("newer")}, older, newer)
	s := rep.Steps[0]
	if s.Method != "paired_openings" || s.Shared != 8 || s.Test != "paired_sign_flip" || math.Abs(*s.P-2./64) > 1e-12 ||
		*s.Adjusted != *s.P {
		t.Errorf("%+v", s)
	}
	want := binomial.Elo(7./8) - binomial.Elo(4./8)
	testutil.Check(t, math.Abs(*s.Elo-want) <= 1e-9 && *s.Lo < want && want < *s.Hi, "%+v, want %v", s, want)
	testutil.Equal(t, rep.Claim().String(), "newer gained more against base than older did.")
	back := reported(t, []Run{version("older"), version("newer")}, newer, older)
	if got := back.Claim().String(); got != "newer gained less against base than older did." ||
		*back.Steps[0].Elo != -*s.Elo {
		t.Errorf("%s", got)
	}
	same := reported(t, []Run{version("older"), version("newer")}, older, older)
	if got := same.Claim().String(); !strings.Contains(got, "do not show") || *same.Steps[0].P != 1 {
		t.Errorf("%s", got)
	}
	testutil.Equal(t, len(rep.Remarks), 0, "%q", rep.Remarks)
}

// TestOpponentInTheOtherSeat: the engine and the options identify the opponent. It may have another name, and may be
// the first player.
func TestOpponentInTheOtherSeat(t *testing.T) {
	t.Parallel()
	older := []string{"WL", "LL", "WW", "WL"}
	newer := []string{"WW", "WL", "WW", "DW"}
	seated := version("newer", func(r *Run) {
		slices.Reverse(r.Plan.Players)
		r.Plan.Players[0].Name, r.Plan.Players[0].Margin = "master", "2s"
	})
	// The same games from the opponent's side. The opponent has Black first.
	mirrored := []string{"LL", "LW", "LL", "DL"}
	a := reported(t, []Run{version("older"), version("newer")}, older, newer)
	b := reported(t, []Run{version("older"), seated}, older, mirrored)
	if b.Runs[1].Player != "newer-engine" || *a.Runs[1].Score != *b.Runs[1].Score ||
		math.Abs(*a.Steps[0].Elo-*b.Steps[0].Elo) > 1e-9 {
		t.Errorf("%+v\n%+v", a.Runs[1], b.Runs[1])
	}
	testutil.Check(t, len(b.Remarks) == 1 && strings.Contains(b.Remarks[0].String(), `margin`), "%q", b.Remarks)
}

func TestWhatCannotBeCompared(t *testing.T) {
	t.Parallel()
	with := func(f func(*Run)) []Run { return []Run{version("older"), version("newer", f)} }
	for name, c := range map[string]struct {
		runs     []Run
		words    []string
		opponent string
	}{
		"one run": {[]Run{version("older")}, []string{"two runs"}, ""},
		"twice":   {[]Run{version("older"), version("older")}, []string{"named twice"}, ""},
		"three": {with(func(r *Run) { r.Plan.Players = append(r.Plan.Players, r.Plan.Players[0]) }),
			[]string{"newer has 3 players"}, ""},
		"nodes": {with(func(r *Run) { r.Plan.Players[1].Limits = "nodes 200" }),
			[]string{"base", "older", "newer", "limits", "nodes 100", "nodes 200"}, ""},
		"identity": {with(func(r *Run) { r.Plan.Players[1].Identity = map[string]string{"fixed": "other"} }),
			[]string{"identity.fixed", "other"}, ""},
		"options": {with(func(r *Run) { r.Plan.Players[1].Options = []match.Option{{Name: "Hash", Value: "9"}} }),
			[]string{"Hash", "none in older"}, ""},
		"rules":     {with(func(r *Run) { r.Plan.Rules.MaxPlies = 256 }), []string{"rules.max_plies", "320", "256"}, ""},
		"no swap":   {with(func(r *Run) { r.Plan.Swap = false }), []string{"swap"}, ""},
		"pondering": {with(func(r *Run) { r.Plan.Ponder = match.PonderStandard }), []string{"ponder"}, ""},
		"clocks": {with(func(r *Run) { r.Plan.Clocks = map[string]string{"black": "1+1"} }), []string{"clocks.black"},
			""},
		"no such player": {with(func(*Run) {}), []string{"nobody", "older-engine", "base"}, "nobody"},
		// The same version against another base is no newer version against the same one.
		"the base has changed": {with(func(r *Run) {
			r.Plan.Players[0].Identity, r.Plan.Players[1].Identity = map[string]string{"fixed": "older"},
				map[string]string{"fixed": "base2"}
		}), []string{"no opponent in common", "base2"}, ""},
	} {
		_, err := New(c.runs, c.opponent)
		if !fail.IsUsage(err) {
			t.Errorf("%s: %v is no mistake of the caller", name, err)
			continue
		}
		for _, word := range c.words {
			testutil.Check(t, strings.Contains(err.Error(), word), "%s: no %q in %q", name, word, err)
		}
	}
}

func TestRemarks(t *testing.T) {
	t.Parallel()
	pairs := []string{"WL", "WW"}
	for word, f := range map[string]func(*Run){
		"different limits":    func(r *Run) { r.Plan.Players[0].Limits = "nodes 150" },
		"same version":        func(r *Run) { r.Plan.Players[0].Identity = map[string]string{"fixed": "older"} },
		"books of openings":   func(r *Run) { r.Plan.Openings.SHA256 = "11" },
		"adjudication":        func(r *Run) { r.Plan.Adjudication = &match.Adjudication{ResignScore: 1} },
		"slowed":              func(r *Run) { r.Plan.Slowed = match.PolicyVoid },
		"is not finished":     func(r *Run) { r.Finished = false },
		"a sequential test (": func(r *Run) { r.Gate = "SPRT" },
	} {
		rep := reported(t, []Run{version("older"), version("newer", f)}, pairs, pairs)
		if len(rep.Remarks) != 1 || !strings.Contains(rep.Remarks[0].String(), word) ||
			!strings.Contains(rep.Remarks[0].String(), "newer") {
			t.Errorf("%s: %q", word, rep.Remarks)
		}
	}
}

// TestStoppedRuns: if results decide the length of a run, the report has an estimate and no test.
func TestStoppedRuns(t *testing.T) {
	t.Parallel()
	a, b, c := []string{"WL", "WL", "LL", "WW"}, []string{"WW", "WL", "WL", "WW"}, []string{"WW", "WL", "WW", "WW"}
	for name, f := range map[string]func(*Run){
		"gated": func(r *Run) { r.Gate = "SPRT [0, 4]" }, "going on": func(r *Run) { r.Finished = false },
	} {
		rep := reported(t, []Run{version("first", f), version("second"), version("third")}, a, b, c)
		s := rep.Steps[0]
		testutil.Check(t, s.Elo != nil && s.P == nil && s.Lo == nil && s.Adjusted == nil && !s.Why.IsZero(), "%s: %+v", name,
			s)
		later := rep.Steps[1]
		testutil.Check(t, later.P != nil && *later.Adjusted == *later.P, "%s: %+v", name, later)
		testutil.Check(t, rep.Runs[0].Elo != nil && rep.Runs[0].Lo == nil, "%s: %+v", name, rep.Runs[0])
		if two := reported(t, []Run{version("first", f), version("second")}, a, b); !strings.HasPrefix(two.Claim().String(),
			"There is no verdict: ") {
			t.Errorf("%s: %s", name, two.Claim().String())
		}
		var text strings.Builder
		rep.Print(&text, i18n.English)
		testutil.Check(t, strings.Contains(text.String(), "no interval and no test"), "%s:\n%s", name, text.String())
	}
}

// TestOtherOpeningsAndCopies: openings that only one run has are an independent sample. Repeated games add no
// information.
func TestOtherOpeningsAndCopies(t *testing.T) {
	t.Parallel()
	runs := []Run{version("older"), version("newer")}
	g := testutil.Must(New(runs, ""))(t)
	for i, r := range runs {
		fake := matchtest.Run{Players: []string{r.Plan.Players[0].Name, "base"},
			Pairs: slices.Repeat([]string{"WL", "WW", "LL", "WW"}, 3), Repeat: 12}
		for id, rows := range fake.Rows() {
			testutil.OK(t, g.Add(i, match.Opening{Start: string(rune('a' + 10*i + id%4))}, rows))
		}
	}
	rep := g.Report()
	if r := rep.Runs[0]; r.Pairs != 12 || r.Openings != 4 || r.Copies != 8 || *r.Score != 0.625 {
		t.Errorf("%+v", r)
	}
	if s := rep.Steps[0]; s.Method != "independent" || s.Shared != 0 || s.P != nil || s.Lo == nil ||
		!strings.Contains(s.Why.String(), "20 openings") {
		t.Errorf("%+v", s)
	}
	testutil.Check(t, len(rep.Remarks) == 2 && strings.Contains(rep.Remarks[0].String(), "8 of 12 pairs that repeat"),
		"%q", rep.Remarks)
}

// TestChain: with several versions the claim is about the newest, and its p value is adjusted for all tests.
func TestChain(t *testing.T) {
	t.Parallel()
	slower, faster := slices.Repeat([]string{"WL", "LL"}, 20), slices.Repeat([]string{"WL", "WW"}, 20)
	rep := reported(t, []Run{version("v1"), version("v2"), version("v3")}, slower, slower, faster)
	if rep.Claim().String() != "v3 gained more against base than v2 did." || len(rep.Steps) != 2 ||
		*rep.Steps[1].Adjusted != 2**rep.Steps[1].P {
		t.Errorf("%s %+v", rep.Claim().String(), rep.Steps[1])
	}
	if back := reported(t, []Run{version("v1"), version("v2"), version("v3")}, slower, faster,
		slower); back.Claim().String() != "v3 gained less against base than v2 did." {
		t.Errorf("%s", back.Claim().String())
	}
	// A p value of 0.031 is 0.062 after the adjustment for two tests, and so no finding.
	few := slices.Concat(slices.Repeat([]string{"WL"}, 15), slices.Repeat([]string{"WW"}, 6))
	if rep := reported(t, []Run{version("v1"), version("v2"), version("v3")}, slices.Repeat([]string{"WL"}, 21),
		slices.Repeat([]string{"WL"}, 21), few); *rep.Steps[1].P >= 0.05 ||
		rep.Claim().String() != "The games do not show whether v3 gained more against base than v2 did." {
		t.Errorf("%s %v", rep.Claim().String(), *rep.Steps[1].P)
	}
}

func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	rep := reported(t, []Run{version("older"), version("newer")}, nil, []string{"WW"})
	got := rep.Claim().String()
	testutil.Check(t, strings.HasPrefix(got, "There is nothing to compare: "), "%s", got)
	won := reported(t, []Run{version("older"), version("newer")}, []string{"WL", "WW"}, []string{"WW", "WW"})
	testutil.Check(t, won.Steps[0].Elo == nil && !won.Steps[0].Why.IsZero(), "%+v", won.Steps[0])
	var text strings.Builder
	rep.Print(&text, i18n.English)
}

// TestNamedOpponent: an opponent that is the first player is given by its name.
func TestNamedOpponent(t *testing.T) {
	t.Parallel()
	turned := func(r *Run) { slices.Reverse(r.Plan.Players) }
	g := testutil.Must(New([]Run{version("older", turned), version("newer", turned)}, "base"))(t)
	rep := g.Report()
	testutil.Check(t, rep.Opponent == "base" && rep.Runs[1].Player == "newer-engine", "%+v", rep)
}

// TestFewOpenings: independent samples of 20 openings have a test, and of 19 they have none.
func TestFewOpenings(t *testing.T) {
	t.Parallel()
	for n, tested := range map[int]bool{19: false, 20: true} {
		runs := []Run{version("older"), version("newer")}
		g := testutil.Must(New(runs, ""))(t)
		for i, pairs := range [][]string{slices.Repeat([]string{"WL", "LL"}, 10), slices.Repeat([]string{"WW", "WL"}, 10)} {
			fake := matchtest.Run{Players: []string{runs[i].Plan.Players[0].Name, "base"}, Pairs: pairs[:n]}
			for id, rows := range fake.Rows() {
				testutil.OK(t, g.Add(i, match.Opening{Start: string(rune(100*i + id))}, rows))
			}
		}
		s := g.Report().Steps[0]
		testutil.Check(t, (s.P != nil) == tested && s.Lo != nil, "%d openings: %+v", n, s)
	}
}

// TestMargin: a version that wins as often is not worse by a large margin, and undecided for a small one. A version
// that wins less often is worse by more than a small margin. 19 openings decide nothing. With three runs, each step is
// one of two tests in the Holm adjustment.
func TestMargin(t *testing.T) {
	t.Parallel()
	results := func(list ...string) (all []string) {
		for n := range 24 {
			all = append(all, list[n%len(list)])
		}
		return all
	}
	even, other, weak := results("WL", "WW", "LL", "LW"), results("WW", "WL", "LL", "LW"), results("LL", "LL", "WL")
	for _, c := range []struct {
		newer   []string
		margin  float64
		verdict Verdict
		words   string
	}{
		{other, 300, ShownNotWorse, "shown: not worse by 300 Elo or more; the gain is at least -"},
		{other, 3, Undecided, "not shown: not worse by 3 Elo or more; the gain is at least -"},
		{weak, 3, ShownWorse, "shown: worse by more than 3 Elo; the gain is at least -"},
	} {
		for runs := 2; runs <= 3; runs++ {
			list, pairs := []Run{version("older"), version("newer"), version("third")}[:runs],
				[][]string{even, c.newer, c.newer}[:runs]
			g := testutil.Must(New(list, ""))(t)
			g.Margin = c.margin
			addAll(t, g, list, pairs...)
			rep := g.Report()
			var text strings.Builder
			rep.Print(&text, i18n.English)
			s := rep.Steps[0].NotWorse
			if s == nil || s.Verdict != c.verdict || !strings.Contains(text.String(), c.words) || runs == 2 &&
				(*s.Adjusted != *s.P || rep.Verdict() != c.verdict) {
				t.Errorf("%d runs, margin %v: %+v\n%s", runs, c.margin, s, &text)
			}
		}
	}
	plain := reported(t, []Run{version("older"), version("newer")}, even, even)
	testutil.Check(t, plain.Steps[0].NotWorse == nil && plain.Verdict() == Undecided, "%+v", plain.Steps[0])
	few := testutil.Must(New([]Run{version("older"), version("newer")}, ""))(t)
	few.Margin = 300
	addAll(t, few, few.runs, even[:19], even[:19])
	if s := few.Report().Steps[0].NotWorse; s == nil || s.P != nil || s.Verdict != Undecided {
		t.Errorf("19 openings: %+v", s)
	}
}
