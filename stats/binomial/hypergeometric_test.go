package binomial

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

// Fisher's lady classified all eight cups of tea correctly: 1 of 70 (The Design of Experiments, 1935, chapter 2, where
// the other numbers are 16, 36, 16 and 1). Impossible counts have the probability 0, and the possible counts have the
// total probability 1.
func TestHypergeometric(t *testing.T) {
	for k, of70 := range []float64{1, 16, 36, 16, 1} {
		got := Hypergeometric(8, 4, 4, k)
		testutil.Check(t, math.Abs(got-of70/70) <= 1e-14, "%d cups: %v, want %v/70", k, got, of70)
	}
	for _, c := range [][4]int{{8, 4, 4, 5}, {8, 4, 4, -1}, {8, 6, 5, 2}, {0, 0, 0, 1}} {
		testutil.Equal(t, Hypergeometric(c[0], c[1], c[2], c[3]), 0, "%v", c)
	}
	sum := 0.0
	for k := range 301 {
		sum += Hypergeometric(5000, 300, 1700, k)
	}
	testutil.Check(t, math.Abs(sum-1) <= 1e-9, "all together are %v", sum)
}
