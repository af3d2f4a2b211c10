package newton

import (
	"math"
	"slices"
	"testing"

	"gogi/internal/testutil"
)

// TestPercentiles uses values of R: quantile(1:10, c(0.05, 0.95), type = 7) is 1.45 and 9.55. For c(2, 8) at 0.25 and
// 0.75 it is 3.5 and 6.5.
func TestPercentiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sample        []float64
		level, lo, hi float64
	}{
		{[]float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, 0.9, 1.45, 9.55},
		{[]float64{8, 2}, 0.5, 3.5, 6.5},
	} {
		got := Percentiles(slices.Clone(c.sample), c.level)
		testutil.Check(t, math.Abs(got.Lo-c.lo) <= 1e-12 && math.Abs(got.Hi-c.hi) <= 1e-12 && got.Level == c.level,
			"%v at %v: %+v, want %v to %v", c.sample, c.level, got, c.lo, c.hi)
	}
}

func TestCheckSamples(t *testing.T) {
	t.Parallel()
	for samples, fine := range map[int]bool{-1: false, 1: false, 2: true, MaxSamples: true, MaxSamples + 1: false} {
		err := CheckSamples(samples)
		testutil.Check(t, (err == nil) == fine, "%d samples: %v", samples, err)
	}
}
