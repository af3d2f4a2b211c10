package stats

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

func TestSeriesThatShowNothing(t *testing.T) {
	level := tallyOf(t, 0, 0, 3, 4, 0, 0)
	singles := singlesOf(t, WDL{Wins: 3})
	mixed := level
	mixed.Merge(singles)
	for name, tally := range map[string]Tally{"singles": singles, "mixed": mixed} {
		testutil.Fails(t, testutil.Err(tally.SignFlip(binomial.TwoSided)), "", "%s", name)
	}
	if test, err := level.SignFlip(binomial.TwoSided); err != nil || test.P != 1 {
		t.Errorf("all level: %+v, %v", test, err)
	}
	testutil.Fails(t, testutil.Err(level.SignFlip("both")), "", "an unknown alternative passed")
	testutil.Fails(t, testutil.Err((Tally{}).Score()), "", "an empty tally has a score")
	testutil.Fails(t, testutil.Err((Tally{}).Sample()), "", "an empty tally has a sample")
	testutil.Fails(t, testutil.Err(tallyOf(t, 0, 0, 0, 4, 0, 0).BlackAdvantage(0.95)), "", "draws show an advantage")
}

// TestUnequalDrawPoints: if a repetition gives 0.4 to Black and 0.6 to White, such a pair deviates by 0.4 or 0.6.
func TestUnequalDrawPoints(t *testing.T) {
	var tally Tally
	add(t, &tally, 2, Pair{{Draw, true, 0.4}, leg(Win, false)})
	add(t, &tally, 1, Pair{leg(Loss, true), {Draw, false, 0.6}})
	add(t, &tally, 1, Pair{{Draw, true, 0.4}, {Draw, false, 0.6}})
	testutil.Check(t, tally.Points() == 4.4 && tally.Penta == (Pentanomial{LD: 1, DD: 1, WD: 2}), "%v points, %+v",
		tally.Points(), tally.Penta)
	// The deviations are 0.4, 0.4, -0.4 and 0, and half of the eight sign patterns reach the sum 0.4.
	test, err := tally.SignFlip(binomial.Greater)
	testutil.Check(t, err == nil && agree(test.P, 0.5, 1e-15) && test.N == 4, "%+v, %v", test, err)
}

// TestSignFlipBeyondConvolution: if the exact sign flips would take too long, SignFlip uses the normal approximation.
// By hand: the deviations are 1, 500, 777 and 1000, a million of each. In the first case all are positive.
func TestSignFlipBeyondConvolution(t *testing.T) {
	tally := Tally{Penta: Pentanomial{WD: 4e6}, paired: scores{{1001, 1e6}, {1500, 1e6}, {1777, 1e6}, {2000, 1e6}}}
	if test, err := tally.SignFlip(binomial.TwoSided); err != nil || test.Method != "pair_sign_flip_normal" ||
		test.P != 0 {
		t.Errorf("%+v, %v", test, err)
	}
	// In the second case half of the deviations are positive, plus 1000 more of each size. The sum is 2000 ×
	// (1+500+777+1000), its variance is 1e6 × (1² + 500² + 777² + 1000²).
	odd := scores{{0, 499e3}, {223, 499e3}, {500, 499e3}, {999, 499e3}, {1001, 501e3}, {1500, 501e3}, {1777, 501e3},
		{2000, 501e3}}
	tally = Tally{Penta: Pentanomial{WD: 2004e3, LD: 1996e3}, paired: odd}
	z := (2000*(1+500+777+1000) - 1) / math.Sqrt(1e6*(1+500*500+777*777+1000*1000))
	for alt, want := range map[binomial.Alternative]float64{binomial.Greater: math.Erfc(z/math.Sqrt2) / 2,
		binomial.TwoSided: math.Erfc(z / math.Sqrt2)} {
		if test, err := tally.SignFlip(alt); err != nil || math.Abs(test.P-want) > 1e-12 {
			t.Errorf("%s: %+v, %v, want %v", alt, test, err, want)
		}
	}
}

// TestNormalSignFlipIsNearTheExactOne: if both can be calculated, the normal approximation is near the exact test.
func TestNormalSignFlipIsNearTheExactOne(t *testing.T) {
	for _, s := range []scores{{{0, 90}, {500, 40}, {1500, 45}, {2000, 111}}, {{0, 300}, {2000, 340}},
		{{400, 99}, {900, 80}, {1100, 90}, {1600, 111}}} {
		total, heads := 0, 0
		for _, c := range s.coins() {
			total += c.size * c.n
			heads += c.size * c.heads
		}
		exact := testutil.Must(exactFlips(s.coins()))(t)
		for _, weight := range []int{heads, total - heads} {
			got, want := normalFlips(s.coins(), total)(weight), exact(weight)
			testutil.Check(t, math.Abs(got-want) <= 0.002, "%v at %d: %v for %v", s, weight, got, want)
		}
	}
}

func TestLongSeries(t *testing.T) {
	tally := Tally{
		Penta:  Pentanomial{LL: 200_000, LD: 1000, WL: 500_000, DD: 500, WD: 1100, WW: 201_000},
		paired: scores{{0, 200_000}, {500, 1000}, {1000, 500_500}, {1500, 1100}, {2000, 201_000}},
	}
	test := testutil.Must(tally.SignFlip(binomial.Greater))(t)
	// The sum is T = 100 + 2·1000 half points with the variance 2100 + 4·401000. The normal tail with a continuity
	// correction of half a step is accurate to a few in 1e5.
	z := (2100 - 0.5) / math.Sqrt(2100+4*401_000)
	want := math.Erfc(z/math.Sqrt2) / 2
	testutil.Check(t, agree(test.P, want, 1e-3), "p = %v, the normal approximation %v", test.P, want)
}
