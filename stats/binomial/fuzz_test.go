package binomial

import (
	"math"
	"testing"
)

// FuzzWins: for any counts, a figure is a number or an error.
func FuzzWins(f *testing.F) {
	f.Add(5, 5, 0.95)
	f.Add(0, 3, 0.5)
	f.Add(521, 990, 0.99)
	f.Add(-1, 2, 2.0)
	f.Fuzz(func(t *testing.T, k, n int, level float64) {
		if max(k, n) > 200_000 {
			t.Skip("slow, and no different")
		}
		for _, m := range IntervalMethods() {
			if i, err := m.Interval(k, n, level); err == nil && (math.IsNaN(i.Lo) || math.IsNaN(i.Hi) || i.Lo > i.Hi+1e-9) {
				t.Errorf("%s of %d/%d at %v: %+v", m, k, n, level, i)
			}
		}
		if test, err := Exact(k, n, 0.5, TwoSided); err == nil && !(test.P >= 0 && test.P <= 1) {
			t.Errorf("p of %d/%d: %v", k, n, test.P)
		}
	})
}
