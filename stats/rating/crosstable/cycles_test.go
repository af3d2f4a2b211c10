package crosstable

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
)

func TestCycles(t *testing.T) {
	counts := []Count{
		{Black: "rock", White: "scissors", BlackWins: 18, WhiteWins: 2},
		{Black: "scissors", White: "paper", BlackWins: 17, WhiteWins: 3},
		{Black: "paper", White: "rock", BlackWins: 16, WhiteWins: 4},
		{Black: "well", White: "rock", BlackWins: 12, WhiteWins: 8},
	}
	cycles := testutil.Must(testutil.Must(New(counts))(t).Cycles(5))(t)
	if len(cycles) != 1 || cycles[0].Players != [3]string{"paper", "rock", "scissors"} ||
		cycles[0].Scores != [3]float64{0.8, 0.9, 0.85} {
		t.Errorf("%+v", cycles)
	}
	if want := 0.005908966064453125; math.Abs(cycles[0].P-want) > 1e-12 { // P(X >= 16) in 20 fair games
		t.Errorf("p = %v", cycles[0].P)
	}
}

// TestFalseCycles: among thirty equal players, one of thousands of triples often has a cycle at 5 %. After the
// adjustment for all triples, at most about 5 % of the tournaments have one.
func TestFalseCycles(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	naive, adjusted := 0, 0
	const runs = 15
	for range runs {
		var counts []Count
		for a := range 30 {
			for b := range a {
				won := 0
				for range 40 {
					won += random.IntN(2)
				}
				counts = append(counts, Count{Black: fmt.Sprint(a), White: fmt.Sprint(b), BlackWins: won, WhiteWins: 40 - won})
			}
		}
		cycles := testutil.Must(testutil.Must(New(counts))(t).Cycles(1))(t)
		naive += btoi(cycles[0].P <= 0.05)
		adjusted += btoi(cycles[0].PHolm <= 0.05)
	}
	t.Logf("cycles in %d of %d tournaments of equals, adjusted in %d", naive, runs, adjusted)
	if naive < 3 || adjusted > 4 { // 5 of 15 at 5 % have a probability below 0.1 %
		t.Errorf("cycles in %d of %d tournaments of equals, adjusted in %d", naive, runs, adjusted)
	}
}

// TestCyclesAdjusted: a real cycle is found in spite of the adjustment.
func TestCyclesAdjusted(t *testing.T) {
	c := testutil.Must(testutil.Must(New([]Count{
		{Black: "rock", White: "scissors", BlackWins: 18, WhiteWins: 2},
		{Black: "scissors", White: "paper", BlackWins: 17, WhiteWins: 3},
		{Black: "paper", White: "rock", BlackWins: 16, WhiteWins: 4},
		{Black: "well", White: "rock", BlackWins: 12, WhiteWins: 8},
		{Black: "well", White: "paper", BlackWins: 10, WhiteWins: 10},
	}))(t).Cycles(5))(t)
	// Two triples have met, so four cycles are possible.
	testutil.Check(t, len(c) == 1 && math.Abs(c[0].PHolm-4*c[0].P) <= 1e-12, "%+v", c)
	// If each pair was won by one player, 18 games are 9 independent observations.
	counts := []Count{{Black: "b", White: "c", BlackWins: 30}, {Black: "c", White: "a", BlackWins: 30}}
	for pair := range 9 {
		counts = append(counts,
			Count{Black: "a", White: "b", BlackWins: 1, Cluster: pair + 1},
			Count{Black: "b", White: "a", WhiteWins: 1, Cluster: pair + 1})
	}
	d := testutil.Must(testutil.Must(New(counts))(t).Cycles(1))(t)
	testutil.Check(t, len(d) == 1 && math.Abs(d[0].P-math.Pow(0.5, 9)) <= 1e-12, "%+v", d)
}
