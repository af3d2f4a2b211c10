package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
	"gogi/stats/binomial"
)

// TestGateUnderTheNull plays 3,000 tests between equal players and looks at the state after every pair. The number of
// passes must be plausible for a probability of α: its binomial tail is at least 0.0001.
func TestGateUnderTheNull(t *testing.T) {
	t.Parallel()
	const series, pairs = 3000, 120
	design := stats.SPRT{Elo0: 0, Elo1: 60, Alpha: match.DefaultAlpha, Beta: match.DefaultBeta, Model: stats.ModelLogistic}
	r := rand.New(rand.NewPCG(1, 2))
	passes, stops := 0, 0
	for range series {
		g := testutil.Must(New(design, pairs))(t)
		for id := range pairs {
			testutil.OK(t, g.Add(id, stats.Play{Pair: evenPair(r)}))
			if g.State().Decided() {
				break
			}
		}
		switch g.State().Judgement.Decision {
		case stats.Pass:
			passes++
			stops++
		case stats.Fail:
			stops++
		case stats.Continue, stats.Inconclusive:
		}
	}
	if p := binomial.NewBinomial(series, design.Alpha).AtLeast(passes); p < 0.0001 {
		t.Errorf("%d of %d series between equals passed: p = %.2g where each passes with probability %v", passes, series, p,
			design.Alpha)
	}
	testutil.Check(t, stops >= series/2 && passes != 0,
		"%d series stopped and %d passed: the simulation does not test the gate", stops, passes)
}

// evenPair returns a random pair of equal players. Black wins 53% of the decided games, and one game in 25 is a draw.
func evenPair(r *rand.Rand) stats.Pair {
	var pair stats.Pair
	for leg := range 2 {
		l := stats.Leg{AIsBlack: leg == 0, Outcome: stats.Loss}
		switch u := r.Float64(); {
		case u < 0.04:
			l.Outcome, l.Points = stats.Draw, 0.5
		case (u < 0.04+0.96*0.53) == l.AIsBlack:
			l.Outcome, l.Points = stats.Win, 1
		}
		pair = append(pair, l)
	}
	return pair
}

// TestGateIgnoresTheOrderOfArrival: the order in which pairs arrive does not change the decision.
func TestGateIgnoresTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	design := stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		played := make([]stats.Pair, 60)
		for id := range played {
			played[id] = evenPair(r)
		}
		forward, shuffled := judgeIn(t, design, played, identity(len(played))),
			judgeIn(t, design, played, r.Perm(len(played)))
		testutil.Require(t, forward.Judgement == shuffled.Judgement && forward.Tally.Penta == shuffled.Tally.Penta,
			"in order %+v, shuffled %+v", forward, shuffled)
	}
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func judgeIn(t *testing.T, design stats.SPRT, played []stats.Pair, order []int) State {
	t.Helper()
	g := testutil.Must(New(design, len(played)))(t)
	for _, id := range order {
		for range 2 { // a redelivery counts once
			testutil.OK(t, g.Add(id, stats.Play{Pair: played[id]}))
		}
	}
	return g.State()
}

// TestGateRefusesAnotherResult: Add returns an error if a known pair comes again with another result, and the state
// does not change.
func TestGateRefusesAnotherResult(t *testing.T) {
	t.Parallel()
	g := testutil.Must(New(stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}, 10))(t)
	won := stats.Pair{{AIsBlack: true, Outcome: stats.Win, Points: 1}, {Outcome: stats.Win, Points: 1}}
	lost := stats.Pair{{AIsBlack: true, Outcome: stats.Loss}, {Outcome: stats.Loss}}
	for _, id := range []int{0, 5} {
		testutil.OK(t, g.Add(id, stats.Play{Pair: won}))
		before := g.State()
		testutil.Fails(t, g.Add(id, stats.Play{Pair: lost}), "", "pair %d came again as a loss, and that was no error", id)
		if after := g.State(); after.Judgement != before.Judgement {
			t.Errorf("pair %d came again and changed %+v to %+v", id, before.Judgement, after.Judgement)
		}
	}
}

// TestVoid: after Void the gate has the state of a gate that never had the pairs, even if it had decided. It accepts
// the pairs when they are replayed.
func TestVoid(t *testing.T) {
	t.Parallel()
	design := stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	r := rand.New(rand.NewPCG(5, 6))
	won := stats.Pair{{AIsBlack: true, Outcome: stats.Win, Points: 1}, {Outcome: stats.Win, Points: 1}}
	undone := 0
	for range 50 {
		played := make([]stats.Pair, 60)
		for id := range played {
			if played[id] = evenPair(r); r.IntN(4) == 0 {
				played[id] = won
			}
		}
		g := gateOf(t, design, played, nil)
		before := g.State()
		ids := r.Perm(60)[:1+r.IntN(5)]
		testutil.OK(t, g.Void(ids))
		never := gateOf(t, design, played, ids)
		if got, want := g.State(), never.State(); got.Judgement != want.Judgement || got.Tally.Penta != want.Tally.Penta {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if before.Decided() && !g.State().Decided() {
			undone++
		}
		for _, id := range ids {
			testutil.OK(t, g.Add(id, stats.Play{Pair: won}))
			played[id] = won
		}
		if got, want := g.State(), judgeIn(t, design, played, identity(60)); got.Judgement != want.Judgement {
			t.Fatalf("played again: %+v, want %+v", got, want)
		}
	}
	testutil.Check(t, undone != 0, "no decision was undone: nothing was tested")
}

// gateOf returns a gate with all pairs except those in but.
func gateOf(t *testing.T, design stats.SPRT, played []stats.Pair, but []int) *Gate {
	t.Helper()
	g := testutil.Must(New(design, len(played)))(t)
	for id, pair := range played {
		if !slices.Contains(but, id) {
			testutil.OK(t, g.Add(id, stats.Play{Pair: pair}))
		}
	}
	return g
}

// String returns Said in English.
func (p Prospect) String() string { return p.Said().String() }

// TestEveryBitOfAnOpening: openings whose hashes differ in one bit are two openings.
func TestEveryBitOfAnOpening(t *testing.T) {
	names := map[string]bool{}
	for bit := range 64 {
		p := OfRows([]match.Row{{OpeningHash: 1 << bit}})
		testutil.Check(t, len(p.Opening) == 16 && !names[p.Opening], "bit %d: %q", bit, p.Opening)
		names[p.Opening] = true
	}
}

// TestRemaining: at first Remaining is the expected length between equal players. It falls while pairs are added, and
// is never larger than the rest of the plan. A bounded SPRT has no formula, so Remaining is the rest of the plan.
func TestRemaining(t *testing.T) {
	t.Parallel()
	design := stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	g := newGate(t, design, 100_000)
	want := testutil.Must(design.Expect(0, stats.Conditions{DrawRate: 0.5}))(t)
	if got := g.Remaining(); math.Abs(got-want.Games/2) > 1 || got < 500 {
		t.Errorf("%v pairs at the beginning, expected %v", got, want.Games/2)
	}
	even := stats.Pair{{AIsBlack: true, Outcome: stats.Win, Points: 1}, {Outcome: stats.Loss}}
	before := g.Remaining()
	for id := range 2 {
		add(t, g, id, stats.Play{Pair: even, Opening: fmt.Sprint(id)})
	}
	for id := 2; id < 40; id++ {
		add(t, g, id, stats.Play{Pair: won(), Opening: fmt.Sprint(id)})
	}
	if got := g.Remaining(); got >= before/4 || got <= 0 {
		t.Errorf("%v pairs after forty of which nearly all were won, %v before", got, before)
	}
	testutil.Equal(t, newGate(t, design, 50).Remaining(), 50, "pairs of a plan")
	design.Boundary = stats.BoundaryBounded
	testutil.Equal(t, newGate(t, design, 5000).Remaining(), 5000, "pairs without a formula")
}
