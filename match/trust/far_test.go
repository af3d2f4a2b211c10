package trust

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// TestLawsOfEvidence: whatever the pairs of a block, the mean of the e-values over all assignments of the pairs to the
// workers is 1. A block whose pairs are all equal gives no evidence.
func TestLawsOfEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-3, 3), 2, 6).Draw(t, "values")
		bet := rapid.SampledFrom([]float64{-20, -1, 0.01, 0.7, 20}).Draw(t, "bet")
		most := rapid.IntRange(1, len(x)).Draw(t, "pairs")
		sum, choices := 0.0, 0.0
		for set := range 1 << len(x) {
			var places []int
			for i := range x {
				if set>>i&1 == 1 {
					places = append(places, i)
				}
			}
			if len(places) != most {
				continue
			}
			w := &worker{log: [kinds][]float64{Score: {0}}}
			place(Score, 0, bet, x, []hand{{w, places}})
			sum += math.Exp(w.log[Score][0])
			choices++
		}
		testutil.Check(t, math.Abs(sum/choices-1) <= 1e-9, "the mean of %v e-values is %v", choices, sum/choices)
	})
}

// TestLawsOfResiduals: each e-value is a number, also of workers with the most unequal pairs. Other names of the
// workers have the same e-values.
func TestLawsOfResiduals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r, renamed Residuals
		n := blockPairs * rapid.IntRange(1, 6).Draw(t, "blocks")
		for range n {
			name := rapid.IntRange(0, 5).Draw(t, "worker")
			p := Pair{
				Points:  float64(rapid.IntRange(0, 1+name).Draw(t, "points")%5) / 2,
				OnTime:  rapid.IntRange(0, name).Draw(t, "on time"),
				Crashes: rapid.IntRange(0, name/3).Draw(t, "crashes"), Slowed: name > 4,
				Ratio: rapid.SampledFrom([]float64{0, 1e-6, 1, 1.2, 1e6}).Draw(t, "ratio"),
			}
			p.Worker = strconv.Itoa(name)
			testutil.OK(t, r.Add(p))
			p.Worker = strconv.Itoa(9 - name)
			testutil.OK(t, renamed.Add(p))
		}
		list, other := r.Evidence(), renamed.Evidence()
		testutil.Require(t, len(list) == len(other), "%d workers, %d with other names", len(list), len(other))
		for i, e := range list {
			o := other[len(other)-1-i]
			for k, log := range e.Of {
				testutil.Check(t, !math.IsNaN(log) && !math.IsInf(log, 0), "%s: %+v", Kind(k), e)
				testutil.Check(t, math.Abs(log-o.Of[k]) <= 1e-9*(1+math.Abs(log)), "%s: %v, with other names %v", Kind(k), log,
					o.Of[k])
			}
			testutil.Check(t, e.LogE <= max(e.Of[Score], e.Of[OnTime], e.Of[Crashes])+1e-9, "%+v", e)
		}
	})
}
