package tune

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

// TestSmallP: a drift far above its standard deviation has a p value with digits, not 0. The expected value is
// 2·(1−Φ(8.8)) = erfc(8.8/√2) by the C library (Python math.erfc).
func TestSmallP(t *testing.T) {
	_, s, st := afterTune(0)
	st.Each[0].Drift, st.Each[0].DriftSquares = -8.8, 1
	sum := Summarize(&s, &st)
	const want = 1.3682e-18
	raw := *sum.Params[0].P / float64(len(s.Params)) // Holm multiplies the smallest of p values by their number
	testutil.Check(t, math.Abs(raw/want-1) < 0.01, "p = %g, want %g", raw, want)
}

// TestEffectIsStudents: the interval of an effect is Student's for the mean of five products of sign and result. By
// hand, the products 2, 1, 0, -1, 1 have the mean 0.6 and the variance 1.3, and t with 4 degrees of freedom is
// 2.776445.
func TestEffectIsStudents(t *testing.T) {
	_, s, st := afterTune(0)
	st.Each[0].N, st.Each[0].FY, st.Each[0].YY = 5, 3, 7
	got := Summarize(&s, &st).Params[0]
	half := 2.776445 * math.Sqrt(1.3/5)
	testutil.Require(t, got.Sensitivity != nil, "no interval")
	for name, end := range map[string][2]float64{
		"estimate":  {*got.SensitivityElo, 0.6},
		"lower end": {got.Sensitivity.Lo, 0.6 - half},
		"upper end": {got.Sensitivity.Hi, 0.6 + half},
	} {
		testutil.Check(t, math.Abs(end[0]-EloPerPair*end[1]) < 1e-4, "%s: %v, want %v", name, end[0], EloPerPair*end[1])
	}
}
