package binomial

import (
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// TestLFICSByDefinition follows the rule of the method: begin with [0, n] and repeatedly drop the less probable end.
func TestLFICSByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 400).Draw(t, "n")
		k := rapid.OneOf(rapid.IntRange(1, n-1), rapid.Just(n/2)).Draw(t, "k")
		alpha := rapid.OneOf(rapid.Float64Range(1e-6, 0.9), rapid.SampledFrom([]float64{0.001, 0.05})).Draw(t, "alpha")
		b := NewBinomial(n, float64(k)/float64(n))
		lo, hi, dropped := 0, n, 0.0
		for {
			left, right := b.At(lo), b.At(hi)
			lower := left < right*(1-1e-12)
			if left < right*(1+1e-12) && !lower {
				lower = b.roundsDown(lo, hi)
			}
			dropped += min(left, right)
			if dropped >= alpha {
				break
			}
			if lower {
				lo++
			} else {
				hi--
			}
		}
		i, err := MethodLFICS.Interval(k, n, 1-alpha)
		testutil.Require(t, err == nil && i.Lo == float64(lo)/float64(n) && i.Hi == float64(hi)/float64(n),
			"%d of %d at %v: %+v, %v; want %d to %d", k, n, alpha, i, err, lo, hi)
	})
}

// TestLFICSTies has values that the original calculator prints for a tie.
func TestLFICSTies(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{{50, 100, 0.41, 0.60}, {500, 1000, 0.469, 0.530}} {
		i, err := MethodLFICS.Interval(c.k, c.n, 0.95)
		testutil.Check(t, err == nil && i.Lo == c.lo && i.Hi == c.hi, "%d of %d: %+v, %v", c.k, c.n, i, err)
	}
}
