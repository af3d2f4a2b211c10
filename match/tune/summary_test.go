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
