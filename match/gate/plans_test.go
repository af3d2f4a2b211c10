package gate

import (
	"fmt"
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
	"gogi/stats/binomial"
)

// TestMeetings: two players of a round robin of three meet at most three times in seven pairs. Two of four players of
// an adaptive tournament meet at most four times in ten pairs.
func TestMeetings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind                 match.DesignKind
		players, pairs, want int
	}{{match.DesignRoundRobin, 3, 7, 3}, {match.DesignAdaptive, 4, 10, 4}} {
		plan := &match.Plan{Pairs: c.pairs, Design: match.Design{Kind: c.kind, Swap: true},
			Players: make([]match.Player, c.players)}
		p, err := NewProspect(plan)
		testutil.Check(t, err == nil && p.Pairs == c.want, "%s: %+v, %v; want %d pairs", c.kind, p, err, c.want)
	}
}

// TestLeastOpenings: a plan with exactly the least number of openings passes the check. If no number is enough, the
// error reports it.
func TestLeastOpenings(t *testing.T) {
	t.Parallel()
	design := stats.SPRT{Elo0: 0, Elo1: 20, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	testutil.OK(t, (Prospect{Openings: 54, Pass: 54, Fail: 40, gate: design}).Check())
	for want, p := range map[string]Prospect{
		"at least 54 openings to pass":             {Openings: 53, Pass: 54, Fail: 40, gate: design},
		"more than any number of openings to pass": {Openings: 53, Pass: 0, Fail: 40, gate: design},
	} {
		testutil.Fails(t, p.Check(), want)
	}
}

// TestRemainingOfAnyLength: for single games the estimate is that of the formula. A test beyond its expected length is
// expected to need a tenth more. The estimate starts with 40 games, of which 20 are draws.
func TestRemainingOfAnyLength(t *testing.T) {
	t.Parallel()
	design := stats.SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	g := newGate(t, design, 100_000)
	for id := range 10 {
		add(t, g, id, stats.Play{Pair: stats.Pair{{AIsBlack: true, Outcome: []stats.Outcome{stats.Win, stats.Loss}[id%2],
			Points: float64((id + 1) % 2)}}})
	}
	want, err := design.Expect(0, stats.Conditions{DrawRate: 20. / 50})
	if got := g.Remaining(); err != nil || math.Abs(got-(want.Games-10)) > 1e-6 {
		t.Errorf("%v games, want %v (%v)", got, want.Games-10, err)
	}
	g = newGate(t, design, 100_000)
	pairs := map[byte]stats.Pair{
		'W': won(), 'L': {{AIsBlack: true, Outcome: stats.Loss}, {Outcome: stats.Loss}},
		's': {{AIsBlack: true, Outcome: stats.Win, Points: 1}, {Outcome: stats.Loss}},
	}
	for id := range 1200 { // 12 pairs give 13 points of 24 games, halfway between the hypotheses
		add(t, g, id, stats.Play{Pair: pairs["WLsWLsWsLsWs"[id%12]], Opening: fmt.Sprint(id)})
	}
	testutil.Require(t, !g.State().Decided(), "it was decided: nothing is tested")
	want, err = design.Expect(binomial.Elo((1300+20.)/2440), stats.Conditions{DrawRate: 20. / 2440})
	if got := g.Remaining(); err != nil || want.Games/2 > 1200 || math.Abs(got-want.Games/20) > 1e-6 {
		t.Errorf("%v pairs, want a tenth of %v (%v)", got, want.Games/2, err)
	}
}
