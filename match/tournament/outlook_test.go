package tournament

import (
	"math"
	"slices"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestOutlook checks the text of a dry run about each design.
func TestOutlook(t *testing.T) {
	spec := func(kind match.DesignKind, x match.Tournament, players, pairs int) Spec {
		return Spec{Design: match.Design{Kind: kind, Swap: true, Tournament: x}, Players: names(players), Pairs: pairs,
			Legs: 2}
	}
	anchored := spec(match.DesignAdaptive, match.Tournament{Block: 4}, 3, 8)
	anchored.Anchor = "p2"
	for _, test := range []struct {
		spec Spec
		want []string
	}{
		{spec(match.DesignSwiss, match.Tournament{MatchPairs: 2}, 5, 12), []string{
			"3 rounds of 2 matches of 2 pairs, and a bye", "start numbers: p0, p1, p2, p3, p4",
			"begins with p0–p2, p1–p3, p4 has the bye",
		}},
		{spec(match.DesignKnockout, match.Tournament{MatchPairs: 1, Tiebreaks: 2}, 3, 6), []string{
			"2 matches of 1 pair, and up to 2 more while tied", "start numbers: p0, p1, p2", "begins with p1–p2",
		}},
		{spec(match.DesignSwiss, match.Tournament{MatchPairs: 1}, 20, 10), []string{
			"1 round of 10 matches of 1 pair",
			"start numbers: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15 and 4 more",
			"begins with p0–p10, p1–p11, p2–p12, p3–p13, p4–p14, p5–p15, p6–p16, p7–p17, p8–p18, p9–p19",
		}},
		{anchored, []string{"blocks of 4 pairs, each drawn from the results of all but the block before it",
			"question: which players are above p2"}},
	} {
		if got, err := Outlook(test.spec); err != nil || !slices.Equal(i18n.Each(i18n.English, got), test.want) {
			t.Errorf("%q, %v, want %q", got, err, test.want)
		}
	}
	testutil.Fails(t, testutil.Err(Outlook(spec(match.DesignMatch, match.Tournament{}, 2, 1))), "",
		"a match has an outlook by results")
}

// TestAdaptiveAsks: a pairing has more value if its players are nearer in strength or less known. With an anchor only
// pairings with the anchor have value.
func TestAdaptiveAsks(t *testing.T) {
	x := func(a, b int, points float64) Outcome {
		return Outcome{Players: [2]int{a, b}, Points: [2]float64{points, 40 - points}}
	}
	s := begun(t, adaptiveSpec(4, 0))
	// Player 0 is far stronger than 1, and 1 than 2. Players 2 and 3 seem equal, so they play.
	w := testutil.Must(newSight(s, []Outcome{x(0, 1, 38), x(1, 2, 38), x(2, 3, 20)}))(t)
	testutil.Equal(t, w.best(), [2]int{2, 3}, "play, where 2 and 3 alone seem equal")
	before := w.value([2]int{2, 3})
	for range 50 {
		w.expect([2]int{2, 3})
	}
	after := w.value([2]int{2, 3})
	testutil.Check(t, after <= before/2, "the 51st pair is worth %v, the first %v", after, before)
	spec := adaptiveSpec(4, 12)
	spec.Anchor = "p1"
	anchored := begun(t, spec)
	playAll(t, anchored, dice(3))
	for _, slot := range anchored.Drawn() {
		testutil.Check(t, slot.Players[0] == 1 || slot.Players[1] == 1, "%+v is not of the anchor", slot)
	}
}

func adaptiveSpec(players, pairs int) Spec {
	return Spec{
		Design:  match.Design{Kind: match.DesignAdaptive, Swap: true, Tournament: match.Tournament{Block: 4}},
		Players: names(players), Pairs: pairs, Legs: 2,
	}
}

// TestPosteriorByHand: two players have w wins in n games and a prior of log strengths. The mode solves n(w/n -
// 1/(1+e^-d)) = d/(2σ²) for their difference d. Its variance is 1/(n p q + 1/(2σ²)).
func TestPosteriorByHand(t *testing.T) {
	results := tally([]Outcome{{Players: [2]int{0, 1}, Points: [2]float64{30, 10}}})
	p, _, err := posteriorWithin(results, 2, 200)
	testutil.OK(t, err)
	d, variance := p.Difference(0, 1)
	// With σ = 200/173.7178 = 1.151293, bisection gives d = 1.046642. With n p q = 7.693512 and 1/(2σ²) = 0.377223, the
	// variance is 1/8.070735.
	testutil.Check(t, math.Abs(d-1.046642) <= 1e-5 && math.Abs(variance-0.123904) <= 1e-5,
		"the difference is %v with variance %v", d, variance)
}
