package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
)

// TestBoundedTest: the bounded test has its nominal error rates and the expected lengths. The forecast uses small steps
// and another recursion than the calculation of the bounds.
func TestBoundedTest(t *testing.T) {
	for _, rates := range [][2]float64{{0.05, 0.05}, {0.01, 0.1}} {
		wald := SPRT{Elo0: 0, Elo1: 5, Alpha: rates[0], Beta: rates[1], Model: ModelLogistic, Boundary: BoundaryWald}
		bounded := wald
		bounded.Boundary = BoundaryBounded
		course := func(s SPRT, elo float64) SPRTForecast {
			c := testutil.Must(s.Forecast(ratesOf(t, ordinary, elo), 0))(t)
			return c
		}
		null, full := course(bounded, 0), course(bounded, 5)
		testutil.Check(t, math.Abs(null.Pass/rates[0]-1) <= 0.015 && math.Abs(full.Fail/rates[1]-1) <= 0.015,
			"%v: passes %v, fails %v", rates, null.Pass, full.Fail)
		if rates[0] != rates[1] {
			continue
		}
		for elo, c := range map[float64]SPRTForecast{0: null, 5: full} {
			longer := c.Pairs / course(wald, elo).Pairs
			testutil.Check(t, longer >= 1 && longer <= 1.04, "%v at %v: %v times as long", rates, elo, longer)
		}
		half, open := course(bounded, 2.5), course(wald, 2.5)
		t.Logf("%v halfway: %.0f pairs for %.0f, 95%% within %d for %d", rates, half.Pairs, open.Pairs, half.P95, open.P95)
		testutil.Check(t, math.Abs(half.Pairs/open.Pairs-0.896) <= 0.01 &&
			math.Abs(float64(half.P95)/float64(open.P95)-0.71) <= 0.01,
			"%v: %+v, %+v", rates, half, open)
	}
}

// TestBoundedTestEnds: no test continues after the information of end, for any results.
func TestBoundedTestEnds(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
	end := boundedBy(s.Alpha, s.Beta).end()
	lower, upper := s.BoundsAt(end * 1.5)
	testutil.Check(t, math.Abs(lower-upper) <= 1e-12 && lower < upper && math.Abs(upper) <= 1e-9,
		"after the end: %v, %v", lower, upper)
	r := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		p := testutil.Must(NewPrefix(s, 2000))(t)
		for id := range 2000 {
			testutil.OK(t, p.Add(id, deviationPairs[2*r.IntN(3)-2]))
			j := p.Judgement()
			if j.Decision != Continue {
				break
			}
			testutil.Require(t, j.Information <= end, "goes on: %+v", j)
		}
		j := p.Judgement()
		testutil.Require(t, j.Decision == Pass || j.Decision == Fail, "%+v", j)
		e, err := p.Elo(0.95)
		testutil.Check(t, err == nil && e.Interval.Lo < e.Elo && e.Elo < e.Interval.Hi, "%+v, %v", e, err)
	}
}

// TestBoundedTestNeedsVariance: a few pairs with equal scores do not end a bounded test. From their own variance alone,
// the first pair would have all the information.
func TestBoundedTestNeedsVariance(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
	for n := 1; n <= 15; n++ {
		j, err := s.Judge(Pentanomial{WL: n})
		testutil.Check(t, err == nil && j.Decision == Continue, "%d even pairs: %+v, %v", n, j, err)
	}
}

// TestBoundedTestsHaveALargestErrorRate: above a sum of the error rates of 0.6, the bounds are rejected, because their
// calculation may not converge.
func TestBoundedTestsHaveALargestErrorRate(t *testing.T) {
	s := SPRT{Elo1: 5, Model: ModelLogistic, Boundary: BoundaryBounded}
	for _, rates := range [][2]float64{{0.11, 0.49}, {0.3, 0.3}, {0.2, 0.4}, {0.49, 0.11}, {0.375, 0.4375}, {0.3, 0.31}} {
		s.Alpha, s.Beta = rates[0], rates[1]
		j, err := s.Judge(WDL{Wins: 1})
		testutil.Check(t, (err == nil) == (s.Alpha+s.Beta < 0.6001) && !math.IsNaN(j.Upper), "%v: %+v, %v", rates, j, err)
	}
}

// TestSimulatedBoundedRates simulates the bounded SPRT with its estimated variance, and compares the error rates with
// 5%.
func TestSimulatedBoundedRates(t *testing.T) {
	n := simulations(300, 100_000)
	for _, elo1 := range []float64{30, 60}[simulations(1, 0):] {
		s := SPRT{Elo0: 0, Elo1: elo1, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
		for _, elo := range []float64{0, elo1} {
			rates := ratesOf(t, ordinary, elo)
			r := rand.New(rand.NewPCG(21, uint64(elo)))
			wrong := 0
			for range n {
				if j, err := s.Judge(stopped(t, r, s, rates)); err == nil && (j.Decision == Pass) == (elo == 0) {
					wrong++
				}
			}
			t.Logf("[0,%v] at %v: %.4f wrong, s.e. %.4f", elo1, elo, float64(wrong)/float64(n), math.Sqrt(0.05*0.95/float64(n)))
			testutil.Check(t, !exceeds(wrong, n, 0.05), "[0,%v] at %v: %d of %d wrong", elo1, elo, wrong, n)
		}
	}
}

// TestSimulatedBoundedElo: the estimate after a bounded test is median-unbiased: in half of the simulations it is above
// the true Elo, in half below. Its interval holds with its level.
func TestSimulatedBoundedElo(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
	n := simulations(30, 2000)
	for _, elo := range []float64{0, 20}[:simulations(1, 2)] {
		rates := ratesOf(t, ordinary, elo)
		r := rand.New(rand.NewPCG(8, uint64(elo)))
		above, held := 0, 0
		for range n {
			p := stopped(t, r, s, rates)
			e := testutil.Must(s.Elo(p, 0.9))(t)
			if e.Elo > elo {
				above++
			}
			if e.Interval.Lo <= elo && elo <= e.Interval.Hi {
				held++
			}
		}
		t.Logf("at %v: %d of %d above, %d held by 90 %%", elo, above, n, held)
		testutil.Check(t, !exceeds(above, n, 0.53) && !exceeds(n-above, n, 0.53) && !exceeds(n-held, n, 0.12),
			"at %v: %d of %d above, %d held", elo, above, n, held)
	}
}

// TestRatioBounds: BoundaryRatio accepts H1 at -ln α and H0 at ln(0.1/(1-0.05·0.9)), calculated by hand. Stored runs
// stopped at these bounds.
func TestRatioBounds(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.1, Model: ModelLogistic, Boundary: BoundaryRatio}
	lower, upper := s.BoundsAt(3)
	testutil.Check(t, math.Abs(lower+2.256541) <= 1e-6 && math.Abs(upper-math.Log(20)) <= 1e-12, "%v, %v", lower, upper)
	for name, change := range map[string]func(*SPRT){
		"unknown":   func(s *SPRT) { s.Boundary = "other" },
		"too small": func(s *SPRT) { s.Boundary, s.Alpha = BoundaryBounded, 1e-6 },
	} {
		bad := s
		change(&bad)
		testutil.Check(t, bad.Check() != nil, "%s: no error", name)
	}
	bounded := s
	bounded.Boundary = BoundaryBounded
	x, err := bounded.Expect(0, ordinary)
	testutil.Check(t, err != nil, "%+v", x)
}
