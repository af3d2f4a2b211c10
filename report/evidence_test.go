package report

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/stats"
)

// judged returns the report of a run with an SPRT.
func judged(t *testing.T, o matchtest.Run, gate Registration, starts ...Start) *Report {
	t.Helper()
	run := runOf(o)
	run.Gate, run.Starts = gate, starts
	g := testutil.Must(New(run))(t)
	for _, rows := range o.Rows() {
		testutil.OK(t, g.Add(rows))
	}
	return g.Report()
}

// retarget returns a start that changed the number of pairs.
func retarget(late bool) Start {
	return Start{At: time.Unix(0, 0).UTC(), Late: late, Changes: []match.Difference{{Path: []string{"pairs"}}}}
}

// TestEloIsOfTheScore: 45 wins, 75 draws and no loss are a score of 68.75%, and so 400·log₁₀(.6875/.3125) = +136.97
// Elo. The difference from decisive games alone is infinite and has its own field.
func TestEloIsOfTheScore(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"},
		Pairs: append(slices.Repeat([]string{"WD"}, 45), slices.Repeat([]string{"DD"}, 15)...)}
	r := reportOf(t, o)
	testutil.Require(t, r.Elo.Estimate != nil && math.Abs(*r.Elo.Estimate-136.97) <= 0.01, "%+v", r.Elo)
	if math.Abs(*r.Elo.Lo-98) > 0.5 || math.Abs(*r.Elo.Hi-164) > 0.5 { // docs/statistics.md
		t.Errorf("[%v, %v]", *r.Elo.Lo, *r.Elo.Hi)
	}
	score := r.Interval("score")
	for _, end := range [][2]*float64{{score.Lo, r.Elo.Lo}, {score.Hi, r.Elo.Hi}} {
		if want := -400 * math.Log10(1 / *end[0] - 1); math.Abs(want-*end[1]) > 1e-9 {
			t.Errorf("the score's %v is %v Elo, not %v", *end[0], want, *end[1])
		}
	}
	if e := r.EloDecisive; e.Estimate != nil || e.Hi != nil || e.Lo == nil || *e.Lo < 400 || e.Why.IsZero() {
		t.Errorf("of decisive games: %+v", e)
	}
	if r.Intervals[0].Of != "score" || r.Intervals[0].Assumes != "" || r.Intervals[1].Assumes == "" ||
		r.Tests[0].Assumes != "" || r.Tests[1].Assumes == "" {
		t.Errorf("what goes by pairs does not lead: %+v, %+v", r.Intervals, r.Tests)
	}
}

// TestGateAndReportAgree: 400 pairs from two openings, all won, are two observations. The SPRT does not pass, and the
// test of a report without an SPRT finds no difference.
func TestGateAndReportAgree(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 400), Repeat: 200}
	r := judged(t, o, gated(0, 100))
	if g := r.Gate; g.Verdict != Inconclusive || g.Openings != 2 || g.Copies != 398 {
		t.Errorf("%+v", g)
	}
	v := r.Verdict()
	testutil.Check(t, v.Kind == "open", "%+v", v)
	plain := reportOf(t, o)
	test, _ := plain.Deciding()
	// (½)² twice
	if test == nil || *test.P != 0.5 || test.N != 2 || plain.Dependence.Copies != 398 || plain.Distinct.Pairs != 2 ||
		plain.Distinct.P != nil {
		t.Errorf("%+v, %+v", test, plain.Distinct)
	}
	apart := o
	apart.Repeat = 0
	if i, b := plain.Interval("win_rate_decisive"), plain.Tests[1]; i.Lo != nil || i.Why.IsZero() || b.P != nil ||
		b.Critical != nil || plain.EloDecisive.Lo != nil || plain.BlackAdvantage.Lo != nil {
		t.Errorf("copies are counted as independent games: %+v, %+v, %+v, %+v", i, b, plain.EloDecisive, plain.BlackAdvantage)
	}
	if g := judged(t, apart, gated(0, 100)).Gate; g.Verdict != Passed || g.Copies != 0 {
		t.Errorf("from openings of their own: %+v", g)
	}
}

// TestGateIsWithheld: an SPRT without a valid decision is inconclusive and gives the reason.
func TestGateIsWithheld(t *testing.T) {
	two := []string{"x", "y"}
	won, lost := slices.Repeat([]string{"WW"}, 60), slices.Repeat([]string{"LL"}, 60)
	late, changed := gated(0, 100), gated(0, 100)
	late.Registered = false
	changed.Changes = []i18n.Message{i18n.Of("the test was changed")}
	for name, c := range map[string]struct {
		run           matchtest.Run
		gate          Registration
		verdict, with string
	}{
		"pass":      {matchtest.Run{Players: two, Pairs: won}, gated(0, 100), Passed, ""},
		"fail":      {matchtest.Run{Players: two, Pairs: lost}, gated(0, 100), Failed, ""},
		"late pass": {matchtest.Run{Players: two, Pairs: won}, late, Inconclusive, "given after the games"},
		"late fail": {matchtest.Run{Players: two, Pairs: lost}, late, Inconclusive, "given after the games"},
		"changed":   {matchtest.Run{Players: two, Pairs: won}, changed, Inconclusive, "the test was changed"},
		"slowed": {matchtest.Run{Players: two, Pairs: won, Slowed: 60}, gated(0, 100), Inconclusive,
			"the machine slowed"},
		"fail, slowed": {matchtest.Run{Players: two, Pairs: lost, Slowed: 60}, gated(0, 100), Inconclusive,
			"the machine slowed"},
		"a few slowed":   {matchtest.Run{Players: two, Pairs: won, Slowed: 3}, gated(0, 100), Passed, ""},
		"nothing played": {matchtest.Run{Players: two, Planned: 60}, gated(0, 100), Inconclusive, "not finished"},
		"between bounds": {matchtest.Run{Players: two, Pairs: slices.Repeat([]string{"WL"}, 4)}, gated(0, 100), Inconclusive,
			"the maximum of games was reached"},
		"lost by crashes": {matchtest.Run{Players: two, Pairs: lost, Fault: true}, gated(0, 100), Failed, ""},
	} {
		g := judged(t, c.run, c.gate).Gate
		if because := strings.Join(i18n.Each(i18n.English, g.Because), " "); g.Verdict != c.verdict ||
			!strings.Contains(because, c.with) || c.with == "" && because != "" {
			t.Errorf("%s: %s because %q", name, g.Verdict, because)
		}
	}
}

// TestGateSentence: a pass claims only a value above the null hypothesis, and a fail only a value below the
// alternative.
func TestGateSentence(t *testing.T) {
	won, lost := slices.Repeat([]string{"WW"}, 60), slices.Repeat([]string{"LL"}, 60)
	for _, c := range []struct {
		pairs       []string
		elo0, elo1  float64
		kind, claim string
	}{
		{won, 0, 100, "shown", "The SPRT passed: x is stronger than y."},
		{won, 5, 100, "shown", "The SPRT passed: x is stronger than y by more than 5 Elo."},
		{won, -100, 0, "shown", "The SPRT passed: x is not weaker than y by 100 Elo or more."},
		{lost, 0, 100, "open", "The SPRT failed: x is not stronger than y by 100 Elo or more."},
		{lost, -100, 0, "shown", "The SPRT failed: x is weaker than y."},
		{lost, -100, -10, "shown", "The SPRT failed: x is weaker than y by more than 10 Elo."},
	} {
		v := judged(t, matchtest.Run{Players: []string{"x", "y"}, Pairs: c.pairs}, gated(c.elo0, c.elo1)).Verdict()
		testutil.Check(t, v.Kind == c.kind && v.Claim.String() == c.claim, "[%v, %v]: %s: %q", c.elo0, c.elo1, v.Kind,
			v.Claim)
	}
	normalized := gated(5, 100)
	normalized.Design.Model = stats.ModelNormalized
	v := judged(t, matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW", "WW", "WL"}, 60)},
		normalized).Verdict()
	testutil.Equal(t, v.Claim.String(), "The SPRT passed: x is stronger than y by more than 5 nElo.",
		"the unit of the hypotheses")
}

// TestLooks: if a test stopped a run, or could stop it, the report has no figure for a fixed length. It has the
// always-valid interval and that of the SPRT.
func TestLooks(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: append([]string{"WL"}, slices.Repeat([]string{"WW"}, 59)...)}
	late, changed := gated(0, 100), gated(0, 100)
	late.Registered, changed.Changes = false, []i18n.Message{i18n.Of("the test was changed")}
	for name, c := range map[string]struct {
		report  *Report
		want    OptionalStopping
		remarks []string
	}{
		"none": {judged(t, o, Registration{}), OptionalStopping{FixedLength: true}, nil},
		"changed before": {judged(t, o, Registration{}, Start{}, retarget(false)), OptionalStopping{FixedLength: true},
			nil},
		"changed after": {judged(t, o, Registration{}, Start{}, retarget(true), retarget(true)),
			OptionalStopping{FixedLength: true, TargetChanges: 2}, []string{"target changed 2 times"}},
		"stopped": {judged(t, o, gated(0, 100)), OptionalStopping{Sequential: true, Stopped: true},
			[]string{"stopped by the SPRT"}},
		"late and stopped": {judged(t, o, late), OptionalStopping{Sequential: true, Stopped: true, LateDesign: true},
			[]string{"stopped by the SPRT", "it decides nothing"}},
		"changed design": {judged(t, o, changed), OptionalStopping{Sequential: true, Stopped: true, LateDesign: true},
			[]string{"stopped by the SPRT", "it decides nothing"}},
		"not stopped": {judged(t, matchtest.Run{Players: o.Players, Pairs: slices.Repeat([]string{"WL"}, 6)}, gated(0, 100)),
			OptionalStopping{Sequential: true},
			[]string{"a test looked"}},
	} {
		got := c.report.Looks
		for i, remark := range c.remarks {
			testutil.Check(t, i < len(got.Remarks) && strings.Contains(got.Remarks[i].String(), remark),
				"%s: no word of %q in %q", name, remark, got.Remarks)
		}
		testutil.Equal(t, len(got.Remarks), len(c.remarks), "%s: %q", name, got.Remarks)
		got.Remarks, got.Changes = nil, nil
		if got.TargetChanges != c.want.TargetChanges || got.Sequential != c.want.Sequential ||
			got.Stopped != c.want.Stopped ||
			got.LateDesign != c.want.LateDesign || got.FixedLength != c.want.FixedLength {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		checkWithheld(t, name, c.report)
	}
}

// checkWithheld checks that each figure for a fixed length is present if it is valid, and otherwise null with a reason.
func checkWithheld(t *testing.T, name string, r *Report) {
	t.Helper()
	fixed := r.Looks.FixedLength
	for _, i := range r.Intervals {
		testutil.Check(t, i.Method == "anytime" || (i.Lo != nil) == fixed, "%s: %+v", name, i)
	}
	for _, test := range r.Tests {
		testutil.Check(t, (test.P != nil) == fixed && (fixed || !test.Why.IsZero()), "%s: %+v", name, test)
	}
	if (r.Elo.Estimate != nil) != fixed || (r.EloDecisive.Lo != nil) != fixed || (r.Elo.Lo != nil) != fixed ||
		(r.BlackAdvantage.Lo != nil) != fixed || (r.anytime() != nil) == fixed {
		t.Errorf("%s: %+v, %+v", name, r.Elo, r.BlackAdvantage)
	}
	if r.Gate != nil && (r.Gate.Elo.Lo == nil && r.Gate.Elo.Estimate == nil) {
		t.Errorf("%s: no Elo, corrected: %+v", name, r.Gate.Elo)
	}
}

// TestFewOpeningsHaveNoElo: after a stop, openings that are too few to show a difference have no interval of Elo.
func TestFewOpeningsHaveNoElo(t *testing.T) {
	for openings, known := range map[int]bool{2: false, 4: false, 5: true} {
		o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, openings)}
		if g := judged(t, o, gated(0, 10)).Gate; (g.Elo.Estimate != nil || g.Elo.Lo != nil) != known ||
			known == (!g.Elo.Why.IsZero() && g.Elo.Lo == nil) {
			t.Errorf("%d openings: %+v", openings, g.Elo)
		}
	}
}

// TestAnytimeGoesByOpenings: the anytime interval uses the first pair of each opening, and no copies.
func TestAnytimeGoesByOpenings(t *testing.T) {
	few := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 5), Planned: 500}
	many := few
	many.Pairs, many.Repeat = slices.Repeat([]string{"WW"}, 100), 20
	a, b := reportOf(t, few).anytime(), reportOf(t, many).anytime()
	testutil.Check(t, a != nil && b != nil && *a.Lo == *b.Lo && a.Unit == "pair" && b.Unit == "opening" && b.N == 5,
		"five pairs %+v, a hundred from five openings %+v", a, b)
}

// altered returns the report of 60 pairs that A won, with an SPRT that stops long before their end. Before that, change
// alters the rows of each pair.
func altered(t *testing.T, o matchtest.Run, change func(rows []match.Row)) *Report {
	t.Helper()
	o.Players, o.Pairs = []string{"x", "y"}, slices.Repeat([]string{"WW"}, 60)
	run := runOf(o)
	run.Gate = gated(0, 100)
	g := testutil.Must(New(run))(t)
	for _, rows := range o.Rows() {
		change(rows)
		testutil.OK(t, g.Add(rows))
	}
	return g.Report()
}

// TestFaultsDoNotPass: before an SPRT passes, it counts games that B lost by faults as even. Other figures keep their
// results.
func TestFaultsDoNotPass(t *testing.T) {
	r := altered(t, matchtest.Run{Slowed: 1}, func(rows []match.Row) {
		for i := range rows {
			rows[i].Termination = match.Crash
		}
	})
	if g := r.Gate; g.Decision != stats.Pass || g.Verdict != Inconclusive ||
		!strings.Contains(g.Because[0].String(), "faults alone") {
		t.Errorf("%+v", g)
	}
	u := r.Unmarked
	testutil.Check(t, u.Wins == 118 && u.Draws == 0, "%+v", u)
}

// TestSlowedBeyondTheStop: moves that the machine delayed after the decision do not change the decision.
func TestSlowedBeyondTheStop(t *testing.T) {
	r := altered(t, matchtest.Run{}, func(rows []match.Row) { rows[0].Marked = rows[0].Pair >= 25 })
	g := r.Gate
	testutil.Check(t, g.Verdict == Passed && g.Slowed == 0 && g.Pairs < 25 && r.Unmarked.Marked == 35, "%+v", g)
}

// TestSlowedIsSaidOnce: the SPRT's warning covers the pairs up to its decision, and the report does not repeat it for
// all pairs. It prints the warning about later pairs.
func TestSlowedIsSaidOnce(t *testing.T) {
	won := slices.Repeat([]string{"WW"}, 60)
	unfinished := matchtest.Run{Players: []string{"x", "y"}, Planned: 100, Pairs: won[:10], Slowed: 10}
	for name, c := range map[string]struct {
		report *Report
		claim  string
	}{
		"all": {judged(t, matchtest.Run{Players: []string{"x", "y"}, Pairs: won, Slowed: 60}, gated(0, 100)),
			"The SPRT is inconclusive: the machine slowed"},
		"beyond the stop": {altered(t, matchtest.Run{}, func(rows []match.Row) { rows[0].Marked = rows[0].Pair >= 25 }),
			"stronger than y, but the machine slowed 35 of 60 pairs"},
		"unfinished": {judged(t, unfinished, gated(0, 1)), "pairs are played, but the machine slowed 10 of 10 pairs"},
	} {
		if claim := c.report.Verdict().Claim.String(); !strings.Contains(claim, c.claim) ||
			strings.Count(claim, "the machine slowed") != 1 {
			t.Errorf("%s: %s", name, claim)
		}
	}
}

// TestSlotsThatShareOpenings: slots that share openings are not compared, because copies in one slot look like a
// different slot.
func TestSlotsThatShareOpenings(t *testing.T) {
	slots := func(rows []match.Row) {
		for i := range rows {
			rows[i].Slot = rows[0].Pair % 2
		}
	}
	h := altered(t, matchtest.Run{Repeat: 2}, slots).Gate.slots
	testutil.Check(t, h.P == nil && strings.Contains(h.Why.String(), "one opening"), "%+v", h)
}

// TestMaximumChangesNoVerdict: 60 won pairs pass the SPRT, whatever the maximum was. The report has the change as a
// remark.
func TestMaximumChangesNoVerdict(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 60)}
	longer := gated(0, 100)
	longer.Maxima = []i18n.Message{i18n.Of("the maximum was changed")}
	r := judged(t, o, longer, Start{}, retarget(true))
	testutil.Equal(t, r.Gate.Verdict, Passed)
	testutil.Check(t, !r.Looks.LateDesign, "a maximum counts as a design")
	testutil.Equal(t, len(r.Gate.Because), 0, "%q", r.Gate.Because)
	testutil.Require(t, len(r.Gate.Notes) == 1, "%q", r.Gate.Notes)
	testutil.Equal(t, r.Gate.Notes[0].String(), "the maximum was changed")
	testutil.Equal(t, len(r.Looks.Warnings()), 0, "%q", r.Looks.Warnings())
	testutil.Check(t, r.Gate.Elo.Estimate != nil, "a stop at a bound has no Elo: %s", r.Gate.Elo.Why)
}

// TestChangedMaximumHasNoElo: if a user raised the maximum after looking, and no bound was reached, the correction for
// early stopping does not hold. The verdict names the maximum in force, and the change is no reason of the verdict.
func TestChangedMaximumHasNoElo(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW", "LL", "WL"}, 20)}
	fixed, longer, redesigned, late := gated(0, 10), gated(0, 10), gated(0, 10), gated(0, 10)
	late.Registered = false
	fixed.Pairs, longer.Pairs, longer.Longest = 60, 50, 60
	longer.Maxima = []i18n.Message{i18n.Of("the maximum was changed")}
	redesigned.Changes = []i18n.Message{i18n.Of("the test was changed")}
	for name, c := range map[string]struct {
		registration Registration
		elo          bool
	}{"fixed": {fixed, true}, "longer": {longer, false}, "another design": {redesigned, false}, "late": {late, false}} {
		r := judged(t, o, c.registration)
		g := r.Gate
		testutil.Equal(t, g.Decision, stats.Inconclusive, name)
		testutil.Equal(t, g.Elo.Estimate != nil, c.elo, "%s: %s", name, g.Elo.Why)
		testutil.Equal(t, r.GateVerdict(c.registration).MaxPairs, 60, name)
	}
	g := judged(t, o, longer).Gate
	testutil.Check(t, len(g.Because) == 1 && len(g.Notes) == 1, "because %q, notes %q", g.Because, g.Notes)
}

// TestLowerMaximum: stored pairs beyond a lower maximum stay in the test, so that the run can still be reported.
func TestLowerMaximum(t *testing.T) {
	run := runOf(matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 60)})
	run.Gate = gated(0, 100)
	run.Gate.Longest, run.Pairs = 60, 2
	j := testutil.Must(newJudge(run))(t)
	play := stats.Play{Pair: stats.Pair{{Outcome: stats.Win, Points: 1, AIsBlack: true}, {Outcome: stats.Win, Points: 1}}}
	testutil.OK(t, j.test.Add(59, play))
	testutil.Check(t, j.test.Add(60, play) != nil, "a pair beyond all maxima")
}
