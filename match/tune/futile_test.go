package tune

import (
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/tune/tunetest"
)

// TestFutile: a tune without any effect is found futile, but not before half of its budget. A tune whose
// parameters have an effect is not.
func TestFutile(t *testing.T) {
	for _, c := range []struct {
		elo     float64
		useless int
		futile  bool
	}{{0, 3, true}, {60, 0, false}} {
		random := rand.New(rand.NewPCG(5, 6))
		truth := tunetest.New(random, tunetest.Plain, 3, c.useless, c.elo)
		s := landscapeSettings(SPSA, tunetest.Plain, 3, 12000, 0.2, random)
		first := 0
		each(&s, truth, random, func(st *State) {
			if IsFutile(&s, st) != nil && first == 0 {
				first = st.Pairs
			}
		})
		testutil.Check(t, (first > 0) == c.futile && (first <= 0 || first >= s.Pairs/2),
			"%g Elo to be gained: futile after %d of %d pairs", c.elo, first, s.Pairs)
	}
}

// TestSlopesOfNothingStayFlat: with a flat strength, the 99% confidence sequence excludes 0 for at most 1% of the
// parameters, however often gogi looks. More than 9 of 300 parameters occur in 1 of 1,000 cases.
func TestSlopesOfNothingStayFlat(t *testing.T) {
	left, random := 0, rand.New(rand.NewPCG(9, 9))
	for range 300 {
		e, out := ParamSums{}, false
		for range 2000 {
			y := tunetest.Pair(random, 0)
			e.N++
			e.FY += y * flip(random)
			e.YY += y * y
			out = out || e.N > 50 && e.isSteep(1000)
		}
		if out {
			left++
		}
	}
	testutil.Check(t, left <= 9, "%d of 300 leave", left)
	steep := ParamSums{N: 2000, FY: 200, YY: 800} // 0.1 ± 0.014
	flat := ParamSums{N: 2000, FY: 20, YY: 800}
	testutil.Check(t, steep.isSteep(1000) && !flat.isSteep(1000),
		"a slope of seven standard errors is flat, or one of less than one is not")
}

// TestCoupled: Correlation finds the two parameters that interact, and is near 0 for parameters that do not.
func TestCoupled(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var c Coupled
	for range 3000 {
		flips := []float64{flip(random), flip(random), flip(random)}
		y := tunetest.Pair(random, 60*flips[0]*flips[2])
		c.add(flips, y)
	}
	r := c.Correlation(0, 2, 3)
	testutil.Check(t, r >= 0.15, "coupled: %v", r)
	if a, b := c.Correlation(0, 1, 3), c.Correlation(1, 2, 3); max(a, b, -a, -b) > 0.08 { // 4 standard errors
		t.Errorf("not coupled: %v, %v", a, b)
	}
}
