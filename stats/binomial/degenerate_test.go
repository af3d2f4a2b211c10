package binomial

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

func TestImpossibleInputsAreErrors(t *testing.T) {
	all := map[string]intervalFunc{
		"cp": ClopperPearson, "cp lower": ClopperPearsonLower, "cp upper": ClopperPearsonUpper,
		"blaker": MethodBlaker.Interval, "mid-p": MethodMidP.Interval, "wilson": MethodWilson.Interval,
		"wilson continuity": MethodWilsonContinuity.Interval, "jeffreys": MethodJeffreys.Interval,
		"wald": MethodWald.Interval, "lfics": MethodLFICS.Interval,
	}
	bad := []struct {
		k, n  int
		level float64
	}{
		{0, 0, 0.95},
		{-1, 10, 0.95},
		{11, 10, 0.95},
		{0, -1, 0.95},
		{5, 10, 0},
		{5, 10, 1},
		{5, 10, -1},
		{5, 10, 95},
		{5, 10, math.NaN()},
		{5, 10, math.Inf(1)},
	}
	for name, f := range all {
		for _, b := range bad {
			if i, err := f(b.k, b.n, b.level); err == nil || i != (Interval{}) {
				t.Errorf("%s%+v = %+v, %v", name, b, i, err)
			}
		}
	}
	for _, b := range bad[:4] {
		testutil.Fails(t, testutil.Err(Exact(b.k, b.n, 0.5, TwoSided)), "", "Exact(%d, %d)", b.k, b.n)
		testutil.Fails(t, testutil.Err(StandardError(b.k, b.n)), "", "StandardError(%d, %d)", b.k, b.n)
	}
	testutil.Fails(t, testutil.Err(StandardError(5, 5)), "", "five of five: standard error")
	for _, p0 := range []float64{0, 1, -0.1, math.NaN()} {
		testutil.Fails(t, testutil.Err(Exact(5, 10, p0, TwoSided)), "", "p0 = %v", p0)
	}
	testutil.Fails(t, testutil.Err(Exact(5, 10, 0.5, "both")), "", "an unknown alternative passed")
	for _, b := range bad[4:] {
		if k, ok := CriticalWins(10, b.level, Greater); ok {
			t.Errorf("alpha %v: %d", b.level, k)
		}
	}
	if _, ok := CriticalWins(0, 0.05, Greater); ok {
		t.Error("no games are significant")
	}
	testutil.Fails(t, testutil.Err(EloError(1, 0.1)), "", "the error of an infinite Elo")
	testutil.Fails(t, testutil.Err(EloError(0.5, math.NaN())), "", "the error of an unknown error")
}

// TestCleanSweeps compares with the closed form if one side won all games: p^n = α/2.
func TestCleanSweeps(t *testing.T) {
	for _, n := range []int{1, 2, 5, 100, 1_000_000} {
		want := math.Exp(math.Log(0.025) / float64(n))
		i, err := ClopperPearson(n, n, 0.95)
		testutil.Check(t, err == nil && i.Hi == 1 && agree(i.Lo, want, 1e-9), "%d of %d: %+v, %v; want %v", n, n, i, err,
			want)
		i, err = ClopperPearson(0, n, 0.95)
		testutil.Check(t, err == nil && i.Lo == 0 && agree(i.Hi, -math.Expm1(math.Log(0.025)/float64(n)), 1e-9),
			"0 of %d: %+v, %v", n, i, err)
		elo := EloInterval(i)
		testutil.Check(t, math.IsInf(elo.Lo, -1) && elo.Method == i.Method && elo.Level == i.Level, "Elo of %+v is %+v", i,
			elo)
	}
	p := pOf(t, 1_000_000, 1_000_000, 0.5, TwoSided)
	testutil.Check(t, p == 0, "2^-999999 = %v", p)
	for _, n := range []int{1, 4} { // 2^-4 is more than a one-sided 5 %
		if k, ok := CriticalWins(n, 0.05, Greater); ok {
			t.Errorf("%d of %d is significant", k, n)
		}
	}
	// Five wins are exactly at the bound 2^-5.
	if k, ok := CriticalWins(5, 1./32, Greater); !ok || k != 5 {
		t.Errorf("%d, %v", k, ok)
	}
}

// TestPublishedThresholds compares the exact test with the lengths and counts that papers print.
func TestPublishedThresholds(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		alt   Alternative
		want  int
	}{{0.05, TwoSided, 532}, {0.05, Greater, 527}, {0.01, Greater, 538}} {
		k, ok := CriticalWins(1000, c.alpha, c.alt)
		testutil.Check(t, ok && k == c.want, "%v %s: %d, %v; want %d", c.alpha, c.alt, k, ok, c.want)
	}
	for alpha, want := range map[float64]int{0.05: 527, 0.01: 537} { // often quoted; the exact number at 1 % is 538
		if k, ok := NormalCriticalWins(1000, alpha, Greater); !ok || k != want {
			t.Errorf("normal, %v: %d, %v; want %d", alpha, k, ok, want)
		}
	}
	if p := pOf(t, 531, 1000, 0.5, TwoSided); math.Abs(p-0.0537) > 5e-5 {
		t.Errorf("531 of 1000: %v", p)
	}
	if p := pOf(t, 521, 990, 0.5, Greater); math.Abs(p-0.0525) > 5e-5 {
		t.Errorf("521-469: %v", p)
	}
}

func TestExtremeLevels(t *testing.T) {
	for _, f := range []intervalFunc{ClopperPearson, MethodBlaker.Interval, MethodMidP.Interval, MethodWilson.Interval,
		MethodWilsonContinuity.Interval, MethodJeffreys.Interval, MethodWald.Interval} {
		for _, level := range []float64{1e-6, 1 - 1e-10, 1 - 1e-15} {
			for _, n := range []int{1, 2, 7, 1_000_000} {
				for _, k := range []int{0, 1, n / 2, n} {
					i, err := f(k, n, level)
					testutil.Check(t, err == nil && 0 <= i.Lo && i.Lo <= i.Hi && i.Hi <= 1, "%d of %d at %v: %+v, %v", k, n, level, i,
						err)
				}
			}
		}
	}
}

// TestSignificantToARounding: a p value that differs from alpha only in the last digit counts as alpha. Here it is 1/32
// for five won games.
func TestSignificantToARounding(t *testing.T) {
	for p, want := range map[float64]bool{1. / 32: true, math.Nextafter(1./32, 1): true, 1./32 + 1e-9: false} {
		testutil.Equal(t, (Test{P: p}).Significant(1./32), want, "%v", p)
	}
}

// TestNormalCriticalWinsOfFewGames: if nearly every result is significant, the number of critical wins is 0, and not
// negative.
func TestNormalCriticalWinsOfFewGames(t *testing.T) {
	if k, ok := NormalCriticalWins(1, 0.999, Greater); k != 0 || !ok { // ½ - 3.09/2
		t.Errorf("%d, %v", k, ok)
	}
}
