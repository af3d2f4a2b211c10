package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
)

// TestSimulatedStoppedElo plays sequential tests whose true difference is up to many widths of the hypotheses away, and
// counts how often the 95% interval after the stop covers the truth. Both boundaries see the same pairs. "ratio" has
// the bounds that matches use. With -figures it prints the table of docs/research/statistics.md.
func TestSimulatedStoppedElo(t *testing.T) {
	conditions := Conditions{DrawRate: 0.05}
	for _, elo1 := range []float64{2, 5, 30} {
		truths := []float64{-150, -70, 70, 150}
		if testutil.Figures() {
			truths = []float64{-150, -100, -70, -50, -30, -20, -10, 0, elo1 / 2, elo1, 10, 20, 50, 70, 100, 150}
		}
		for _, truth := range truths {
			rates := ratesOf(t, conditions, truth)
			n := simulations(48, 400)
			for _, b := range []Boundary{BoundaryRatio, BoundaryBounded} {
				s := SPRT{Elo0: 0, Elo1: elo1, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: b}
				r := rand.New(rand.NewPCG(4242, uint64(10*truth+100_000)))
				covers, above, infinite := 0, 0, 0
				for range n {
					e := testutil.Must(s.Elo(stopped(t, r, s, rates), 0.95))(t)
					if e.Interval.Lo <= truth && truth <= e.Interval.Hi {
						covers++
					}
					if e.Elo > truth {
						above++
					}
					if math.IsInf(e.Elo, 0) {
						infinite++
					}
				}
				t.Logf("[0,%v] %-7s at %+5v: covers %.3f, above %.3f, infinite %d of %d", elo1, b, truth,
					float64(covers)/float64(n), float64(above)/float64(n), infinite, n)
				testutil.Check(t, !exceeds(n-covers, n, 0.06) && infinite == 0, "[0,%v] %s at %v: covers %d of %d, infinite %d",
					elo1, b, truth, covers, n, infinite)
			}
		}
	}
}
