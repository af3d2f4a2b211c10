package binomial

import (
	"math/big"
	"testing"

	"gogi/internal/testutil"
)

// TestTwoSidedTies: two counts on either side of the mean may have equal probabilities. For 9 trials at 1/7, 0 and 2
// successes both have 6⁹/7⁹. The p value must not depend on which of them rounding makes larger. The test calculates it
// in whole numbers, by the definition.
func TestTwoSidedTies(t *testing.T) {
	for _, c := range []struct{ n, a, b, k, tied int }{
		{9, 1, 7, 2, 0}, {9, 1, 7, 0, 2}, {9, 6, 7, 7, 9}, {9, 6, 7, 9, 7},
	} {
		weights, all := weightsOf(c.n, c.a, c.b)
		testutil.Require(t, weights[c.k].Cmp(weights[c.tied]) == 0, "%+v is no tie", c)
		sum := new(big.Int)
		for _, w := range weights {
			if w.Cmp(weights[c.k]) <= 0 {
				sum.Add(sum, w)
			}
		}
		want, _ := new(big.Rat).SetFrac(sum, all).Float64()
		got := pOf(t, c.k, c.n, float64(c.a)/float64(c.b), TwoSided)
		testutil.Check(t, agree(got, want, 1e-12), "%d of %d at %d/%d: %v, want %v", c.k, c.n, c.a, c.b, got, want)
	}
}

// weightsOf returns the probabilities of 0 … n successes at a/b as whole numbers, and their sum.
func weightsOf(n, a, b int) (weights []*big.Int, all *big.Int) {
	power := func(x, y int) *big.Int { return new(big.Int).Exp(big.NewInt(int64(x)), big.NewInt(int64(y)), nil) }
	for k := range n + 1 {
		w := new(big.Int).Binomial(int64(n), int64(k))
		weights = append(weights, w.Mul(w, power(a, k)).Mul(w, power(b-a, n-k)))
	}
	return weights, power(b, n)
}

// TestTwoSidedTieIsR: counts are tied by the same tolerance as in R (binom.test in stats of R 4: relErr <- 1 + 1e-07).
// At 1/(7+d), 0 of 9 successes are (1 + d/6)² times as probable as 2.
func TestTwoSidedTieIsR(t *testing.T) {
	for _, c := range []struct {
		d    float64
		tied bool
	}{{-1e-6, true}, {2.4e-7, true}, {3.6e-7, false}, {1e-3, false}} {
		p0 := 1 / (7 + c.d)
		b := NewBinomial(9, p0)
		want := b.AtLeast(2)
		if c.tied {
			want += b.At(0)
		}
		got := pOf(t, 2, 9, p0, TwoSided)
		testutil.Check(t, agree(got, want, 1e-12), "at 1/(7%+g): %v, want %v", c.d, got, want)
	}
}
