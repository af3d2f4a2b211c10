package series

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

// TestMostRatio compares the bound with the exact ratio for a normalised Elo of 0, which is a mean of ½: the most
// likely distribution divides the probability of the score v by 1 + x (v − ½). The bound is at most a tenth larger.
func TestMostRatio(t *testing.T) {
	for _, counts := range [][5]int{{1, 1, 5, 8, 20}, {30, 2, 60, 1, 90}, {1, 40, 1, 60, 1}} {
		p := shares(counts)
		lo, hi := 0.0, 2.0
		for range 100 {
			x, sum := (lo+hi)/2, 0.0
			for i, q := range p {
				v := float64(i)/4 - 0.5
				sum += q * v / (1 + x*v)
			}
			if sum > 0 {
				lo = x
			} else {
				hi = x
			}
		}
		exact := 0.0
		for i, n := range counts {
			exact += float64(n) * math.Log(1+lo*(float64(i)/4-0.5))
		}
		bound := mostRatio(counts, 0)
		testutil.Check(t, bound >= exact-1e-9 && bound <= 1.1*exact, "%v: the bound is %v, the ratio %v", counts, bound,
			exact)
	}
	// By hand: half WL and half WW has the mean ¾ and the variance 1/16.
	testutil.Check(t, math.Abs(normalizedOf([5]float64{0, 0, 0.5, 0, 0.5})-0.25/math.Sqrt(0.125)*800/math.Ln10) < 1e-9,
		"%v", normalizedOf([5]float64{0, 0, 0.5, 0, 0.5}))
}
