package stats

import (
	"math"
	"testing"
)

func TestImpossibleInputsAreErrors(t *testing.T) {
	all := map[string]intervalFunc{
		"cp": ClopperPearson, "cp lower": ClopperPearsonLower, "cp upper": ClopperPearsonUpper,
		"blaker": Blaker, "mid-p": MidP, "wilson": Wilson, "wilson continuity": WilsonContinuity, "jeffreys": Jeffreys, "wald": Wald, "lfics": LFICS,
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
		if test, err := BinomialTest(b.k, b.n, 0.5, TwoSided); err == nil {
			t.Errorf("BinomialTest(%d, %d) = %+v", b.k, b.n, test)
		}
		if s, err := StandardError(b.k, b.n); err == nil {
			t.Errorf("StandardError(%d, %d) = %v", b.k, b.n, s)
		}
	}
	for _, p0 := range []float64{0, 1, -0.1, math.NaN()} {
		if test, err := BinomialTest(5, 10, p0, TwoSided); err == nil {
			t.Errorf("p0 = %v: %+v", p0, test)
		}
	}
	if _, err := BinomialTest(5, 10, 0.5, "both"); err == nil {
		t.Error("an unknown alternative passed")
	}
	if _, err := (Tally{}).SignFlip("both"); err == nil {
		t.Error("an unknown alternative passed")
	}
	for _, b := range bad[4:] {
		if k, ok := CriticalWins(10, b.level, Greater); ok {
			t.Errorf("alpha %v: %d", b.level, k)
		}
	}
	if _, ok := CriticalWins(0, 0.05, Greater); ok {
		t.Error("no games are significant")
	}
	if _, err := EloError(1, 0.1); err == nil {
		t.Error("the error of an infinite Elo")
	}
	if _, err := EloError(0.5, math.NaN()); err == nil {
		t.Error("the error of an unknown error")
	}
}

func TestSeriesThatShowNothing(t *testing.T) {
	one := tallyOf(t, 0, 0, 0, 0, 1, 0)
	level := tallyOf(t, 0, 0, 3, 4, 0, 0)
	singles := singlesOf(t, WDL{Wins: 3})
	mixed := level
	mixed.Merge(singles)
	for name, tally := range map[string]Tally{"one pair": one, "all level": level, "all won": singles} {
		s, err := tally.Sample()
		if err != nil {
			t.Fatal(name, err)
		}
		if i, err := s.Interval(0.95); err == nil {
			t.Errorf("%s: %+v", name, i)
		}
	}
	for name, tally := range map[string]Tally{"singles": singles, "mixed": mixed} {
		if test, err := tally.SignFlip(TwoSided); err == nil {
			t.Errorf("%s: %+v", name, test)
		}
	}
	if test, err := level.SignFlip(TwoSided); err != nil || test.P != 1 {
		t.Errorf("all level: %+v, %v", test, err)
	}
	if _, err := (Tally{}).Score(); err == nil {
		t.Error("an empty tally has a score")
	}
	if _, err := (Tally{}).Sample(); err == nil {
		t.Error("an empty tally has a sample")
	}
	if _, err := tallyOf(t, 0, 0, 0, 4, 0, 0).BlackAdvantage(0.95); err == nil {
		t.Error("draws show an advantage")
	}
	if s, err := StandardError(5, 5); err == nil {
		t.Errorf("five of five: standard error %v", s)
	}
}

// Closed forms where one side won all: p^n = α/2.
func TestCleanSweeps(t *testing.T) {
	for _, n := range []int{1, 2, 5, 100, 1_000_000} {
		want := math.Exp(math.Log(0.025) / float64(n))
		i, err := ClopperPearson(n, n, 0.95)
		if err != nil || i.Hi != 1 || !agree(i.Lo, want, 1e-9) {
			t.Errorf("%d of %d: %+v, %v; want %v", n, n, i, err, want)
		}
		i, err = ClopperPearson(0, n, 0.95)
		if err != nil || i.Lo != 0 || !agree(i.Hi, -math.Expm1(math.Log(0.025)/float64(n)), 1e-9) {
			t.Errorf("0 of %d: %+v, %v", n, i, err)
		}
		elo := EloInterval(i)
		if !math.IsInf(elo.Lo, -1) || elo.Method != i.Method || elo.Level != i.Level {
			t.Errorf("Elo of %+v is %+v", i, elo)
		}
	}
	if p := pOf(t, 1_000_000, 1_000_000, 0.5, TwoSided); p != 0 {
		t.Errorf("2^-999999 = %v", p)
	}
	for _, n := range []int{1, 4} { // 2^-4 is more than a one-sided 5 %
		if k, ok := CriticalWins(n, 0.05, Greater); ok {
			t.Errorf("%d of %d is significant", k, n)
		}
	}
	// Exactly at the boundary: 2^-5.
	if k, ok := CriticalWins(5, 1./32, Greater); !ok || k != 5 {
		t.Errorf("%d, %v", k, ok)
	}
}

// The lengths and counts that the papers print, against exact enumeration.
func TestPublishedThresholds(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		alt   Alternative
		want  int
	}{{0.05, TwoSided, 532}, {0.05, Greater, 527}, {0.01, Greater, 538}} {
		k, ok := CriticalWins(1000, c.alpha, c.alt)
		if !ok || k != c.want {
			t.Errorf("%v %s: %d, %v; want %d", c.alpha, c.alt, k, ok, c.want)
		}
	}
	for alpha, want := range map[float64]int{0.05: 527, 0.01: 537} { // often quoted; exact at 1 % is 538
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

// Black 0.4 and White 0.6 for a repetition: such a pair deviates by 0.4 or 0.6.
func TestUnequalDrawPoints(t *testing.T) {
	var tally Tally
	add(t, &tally, 2, Pair{{Draw, true, 0.4}, leg(Win, false)})
	add(t, &tally, 1, Pair{leg(Loss, true), {Draw, false, 0.6}})
	add(t, &tally, 1, Pair{{Draw, true, 0.4}, {Draw, false, 0.6}})
	if tally.Points() != 4.4 || tally.Penta != (Pentanomial{LD: 1, DD: 1, WD: 2}) {
		t.Errorf("%v points, %+v", tally.Points(), tally.Penta)
	}
	// Deviations 0.4, 0.4, -0.4 and 0: half of the eight patterns reach 0.4.
	if test, err := tally.SignFlip(Greater); err != nil || !agree(test.P, 0.5, 1e-15) || test.N != 4 {
		t.Errorf("%+v, %v", test, err)
	}
}

// Where convolution would take too long, the sum of the coins is taken for
// normal. By hand: the deviations are 1, 500, 777 and 1000, a million of each,
// all of them heads.
func TestSignFlipBeyondConvolution(t *testing.T) {
	tally := Tally{Penta: Pentanomial{WD: 4e6}, paired: scores{{1001, 1e6}, {1500, 1e6}, {1777, 1e6}, {2000, 1e6}}}
	if test, err := tally.SignFlip(TwoSided); err != nil || test.Method != "pair_sign_flip_normal" || test.P != 0 {
		t.Errorf("%+v, %v", test, err)
	}
	// One pair in two heads but for 2000: the sum is 2000 × (1+500+777+1000), its
	// variance 1e6 × (1² + 500² + 777² + 1000²).
	odd := scores{{0, 499e3}, {223, 499e3}, {500, 499e3}, {999, 499e3}, {1001, 501e3}, {1500, 501e3}, {1777, 501e3}, {2000, 501e3}}
	tally = Tally{Penta: Pentanomial{WD: 2004e3, LD: 1996e3}, paired: odd}
	z := (2000*(1+500+777+1000) - 1) / math.Sqrt(1e6*(1+500*500+777*777+1000*1000))
	for alt, want := range map[Alternative]float64{Greater: math.Erfc(z/math.Sqrt2) / 2, TwoSided: math.Erfc(z / math.Sqrt2)} {
		if test, err := tally.SignFlip(alt); err != nil || math.Abs(test.P-want) > 1e-12 {
			t.Errorf("%s: %+v, %v, want %v", alt, test, err, want)
		}
	}
}

// Where both are possible, the normal approximation is near the exact test.
func TestNormalSignFlipIsNearTheExactOne(t *testing.T) {
	for _, s := range []scores{{{0, 90}, {500, 40}, {1500, 45}, {2000, 111}}, {{0, 300}, {2000, 340}}, {{400, 99}, {900, 80}, {1100, 90}, {1600, 111}}} {
		for _, alt := range []Alternative{Greater, Less, TwoSided} {
			exact, err := flipTest(s.coins(), alt)
			if got := normalFlipTest(s.coins(), alt); err != nil || math.Abs(got-exact) > 0.002 {
				t.Errorf("%v %s: %v for %v, %v", s, alt, got, exact, err)
			}
		}
	}
}

func TestLongSeries(t *testing.T) {
	tally := Tally{
		Penta:  Pentanomial{LL: 200_000, LD: 1000, WL: 500_000, DD: 500, WD: 1100, WW: 201_000},
		paired: scores{{0, 200_000}, {500, 1000}, {1000, 500_500}, {1500, 1100}, {2000, 201_000}},
	}
	test, err := tally.SignFlip(Greater)
	if err != nil {
		t.Fatal(err)
	}
	// T = 100 + 2·1000 half points with variance 2100 + 4·401000: the normal
	// tail with half a step of continuity correction is good to a few in 1e5.
	z := (2100 - 0.5) / math.Sqrt(2100+4*401_000)
	if want := math.Erfc(z/math.Sqrt2) / 2; !agree(test.P, want, 1e-3) {
		t.Errorf("p = %v, the normal approximation %v", test.P, want)
	}
}

func TestExtremeLevels(t *testing.T) {
	for _, f := range []intervalFunc{ClopperPearson, Blaker, MidP, Wilson, WilsonContinuity, Jeffreys, Wald} {
		for _, level := range []float64{1e-6, 1 - 1e-10, 1 - 1e-15} {
			for _, n := range []int{1, 2, 7, 1_000_000} {
				for _, k := range []int{0, 1, n / 2, n} {
					i, err := f(k, n, level)
					if err != nil || !(0 <= i.Lo && i.Lo <= i.Hi && i.Hi <= 1) {
						t.Errorf("%d of %d at %v: %+v, %v", k, n, level, i, err)
					}
				}
			}
		}
	}
}
