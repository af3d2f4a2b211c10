package gate

import (
	"fmt"
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
)

// TestRemaining: at first Remaining is the expected length between equal players. It falls while pairs are added, and
// is never larger than the rest of the plan. The test uses no formula.
func TestRemaining(t *testing.T) {
	t.Parallel()
	design := match.Gate{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.1, Model: match.GateLogistic}
	g := newGate(t, design, 100_000)
	want := testutil.Must(Test(design).Expect(0, stats.Conditions{DrawRate: 0.5}))(t)
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
	design.Boundary = match.GateBounded
	testutil.Equal(t, newGate(t, design, 5000).Remaining(), 5000, "pairs without a formula")
}
