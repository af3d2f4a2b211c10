package stats_test

import (
	"math"
	"testing"

	"gogi/stats"
)

// TestTrend uses the example of R's prop.trend.test (smokers among patients, Fleiss 1981). Its documentation prints
// X-squared = 8.2249 and p = 0.004132. For the scores 0, 0, 0, 1 it prints 12.173 and 0.0004848.
func TestTrend(t *testing.T) {
	for _, x := range []struct {
		doses   [4]float64
		squared float64
		p       float64
	}{{[4]float64{1, 2, 3, 4}, 8.2249, 0.004132}, {[4]float64{0, 0, 0, 1}, 12.173, 0.0004848},
		{[4]float64{40, 30, 20, 10}, 8.2249, 0.004132}} {
		groups := []stats.TrendPoint{{83, 86, x.doses[0]}, {90, 93, x.doses[1]}, {129, 136, x.doses[2]}, {70, 82, x.doses[3]}}
		z, p, err := stats.DoseTrend(groups)
		if err != nil || math.Abs(z*z-x.squared) > 1e-3 || math.Abs(p/x.p-1) > 1e-3 || (z < 0) != (x.doses[3] >= x.doses[0]) {
			t.Errorf("%v: z² = %v, p = %v, want %v and %v (%v)", x.doses, z*z, p, x.squared, x.p, err)
		}
	}
	for name, groups := range map[string][]stats.TrendPoint{
		"one group": {{1, 2, 1}}, "no group": nil, "one dose": {{1, 2, 1}, {2, 3, 1}}, "all won": {{2, 2, 1}, {3, 3, 2}},
		"no games": {{0, 0, 1}, {1, 2, 2}},
	} {
		if z, _, err := stats.DoseTrend(groups); err == nil {
			t.Errorf("%s: z = %v", name, z)
		}
	}
}
