package stats

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// TestDecisionsAtTheBounds: a test passes at its upper bound, fails at its lower bound, and continues just inside the
// bounds.
func TestDecisionsAtTheBounds(t *testing.T) {
	lower, upper := gateDesign.Bounds()
	for llr, want := range map[float64]Decision{
		upper: Pass, math.Nextafter(upper, 0): Continue, lower: Fail, math.Nextafter(lower, 0): Continue,
	} {
		testutil.Equal(t, gateDesign.decide(llr, 0, 1).Decision, want, "%v is judged", llr)
	}
}

// TestBoundsMeet: the bounds of a bounded test meet at the height (u-l)/2. From there on, every value reaches one of
// them.
func TestBoundsMeet(t *testing.T) {
	bounds := triangle{u: 3, l: 2}
	for _, information := range []float64{25, 25.1, 40} { // the bounds meet at 5(u+l)
		if lower, upper := bounds.at(information); math.Abs(upper-0.5) > 1e-9 || !(lower < upper) || upper-lower > 1e-9 {
			t.Errorf("at %v: %v and %v", information, lower, upper)
		}
	}
	if lower, upper := bounds.at(24); math.Abs(upper-0.6)+math.Abs(lower-0.4) > 1e-9 {
		t.Errorf("before: %v and %v", lower, upper)
	}
}

// TestInformation calculates the information by its definition, one score at a time, with one additional score of 0 and
// one of 1.
func TestInformation(t *testing.T) {
	j, err := gateDesign.Judge(WDL{Wins: 7, Draws: 2, Losses: 3})
	scores := []float64{1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0, 0, 0, 0, 1}
	mean, variance := 0.0, 0.0
	for _, x := range scores {
		mean += x / 14
	}
	for _, x := range scores {
		variance += (x - mean) * (x - mean) / 14
	}
	width := binomial.Expected(60) - binomial.Expected(0)
	want := 12 * width * width / variance
	testutil.Check(t, err == nil && agree(j.Information, want, 1e-9), "%+v, %v; want %v", j, err, want)
}

func TestImpossibleTests(t *testing.T) {
	for name, spoil := range map[string]func(*SPRT){
		"a coin":      func(s *SPRT) { s.Alpha = 0.5 },
		"no power":    func(s *SPRT) { s.Beta = 0.5 },
		"far below":   func(s *SPRT) { s.Elo0 = -1001 },
		"far above":   func(s *SPRT) { s.Elo1 = 1001 },
		"upside down": func(s *SPRT) { s.Elo0 = 61 },
	} {
		s := gateDesign
		if spoil(&s); s.Check() == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestPairsOfAPrefix: a pair with an existing number and other moves is rejected as a different pair. Without a pair,
// the prefix is like one that never had it.
func TestPairsOfAPrefix(t *testing.T) {
	play := func(d int, moves uint64) Play {
		return Play{Pair: deviationPairs[d], Games: []uint64{moves, moves + 1}}
	}
	whole, err := NewPrefix(gateDesign, 9)
	never, err2 := NewPrefix(gateDesign, 9)
	testutil.Require(t, err == nil && err2 == nil, "%v %v", err, err2)
	for id, d := range []int{2, 0, 2, 1, -2} {
		testutil.OK(t, whole.AddPlay(id, play(d, 10)))
		testutil.Require(t, id == 2 || never.AddPlay(id, play(d, 10)) == nil, "a pair is refused")
	}
	testutil.Fails(t, whole.AddPlay(1, play(0, 20)), "", "a pair came again with other moves")
	without, err := whole.Without([]int{2})
	if err != nil || without.Judgement() != never.Judgement() || without.Judgement().Units != 2 ||
		whole.Judgement().Units != 5 {
		t.Errorf("%+v, %v; want %+v", without.Judgement(), err, never.Judgement())
	}
}

// TestLegsOfAPrefix: the pairs that remain after a void still determine the number of games of a pair.
func TestLegsOfAPrefix(t *testing.T) {
	whole := testutil.Must(NewPrefix(gateDesign, 9))(t)
	two, one := Play{Pair: deviationPairs[0]}, Play{Pair: deviationPairs[0][:1]}
	for id := range 3 {
		testutil.OK(t, whole.AddPlay(id, two))
	}
	without := testutil.Must(whole.Without([]int{1}))(t)
	testutil.Is(t, without.AddPlay(1, one), ErrMixed, "a pair of one game among pairs of two")
	testutil.OK(t, without.AddPlay(1, two), "a pair of two games")
}

// TestWhatIsAffordable: a calculation that would need gigabytes does not start, either because of many sums or because
// of many coins.
func TestWhatIsAffordable(t *testing.T) {
	for _, all := range [][]coins{{{size: 1 << 19, n: 1 << 10}}, {{size: 1, n: 1 << 15}, {size: 1, n: 1 << 15}}} {
		testutil.Check(t, !affordable(all), "%v", all)
	}
	testutil.Check(t, affordable([]coins{{size: 1 << 10, n: 1 << 10}}), "a megabyte is too much")
}

// TestLengthsAreLeast: a negative difference needs the same number of pairs as a positive one, and one pair less has
// too little power.
func TestLengthsAreLeast(t *testing.T) {
	design := PairDesign{0.05, 0.8, binomial.Greater, ordinary}
	up, err := design.Detectable(200)
	design.Alternative = binomial.Less
	down, err2 := design.Detectable(200)
	testutil.Check(t, err == nil && err2 == nil && up > 0 && down == -up, "%v, %v, %v, %v", up, err, down, err2)
	for _, elo := range []float64{-40, -60, -90, -150} {
		l, err := design.Length(elo)
		testutil.Require(t, err == nil && l.Method == "exact", "%+v, %v", l, err)
		if rates := ratesOf(t, ordinary, -elo); rates.exactMiss(l.Pairs-1, 0.05, 1e-6) <= 0.2 ||
			rates.exactMiss(l.Pairs, 0.05, 1e-6) > 0.2 {
			t.Errorf("%v Elo: %+v is not the least", elo, l)
		}
	}
}

// TestLimitOfResiduals: for a table of four cells, the limit is the normal quantile of 0.05/8. Two of the cells have
// the expected number 10·9/20 = 4.5, which is less than five.
func TestLimitOfResiduals(t *testing.T) {
	h, err := SameEverywhere([]Outcomes{WDL{Wins: 4, Losses: 6}, WDL{Wins: 5, Losses: 5}}, 0.05)
	testutil.Check(t, err == nil && math.Abs(h.Limit-2.4977) <= 1e-4 && h.Sparse == 2, "%+v, %v", h, err)
}

// TestTestOfPairs: the test of pairs flips the signs of their deviations. The samples are five pairs that A swept, and
// a sweep with three pairs won or lost by half a point (16 signs by enumeration).
func TestTestOfPairs(t *testing.T) {
	test, err := seriesOf(t, 0, 2, 2, 2, 2, 2).Test(binomial.TwoSided)
	testutil.Check(t, err == nil && test.Method == "pair_sign_flip" && agree(test.P, 2./32, 1e-12) && test.N == 5,
		"%+v, %v", test, err)
	test, err = seriesOf(t, 0, 2, 1, 1, -1).Test(binomial.Greater) // a sum of 3 or more
	want := 4. / 16
	testutil.Check(t, err == nil && agree(test.P, want, 1e-12), "%+v, %v, want %v", test, err, want)
}

// FuzzCounts: for any counts, a calculation returns a number or an error, but no NaN.
func FuzzCounts(f *testing.F) {
	f.Add(5, 0, 0, 0.95)
	f.Add(0, 3, 0, 0.5)
	f.Add(521, 10, 469, 0.99)
	f.Add(-1, 2, 3, 2.0)
	f.Fuzz(func(t *testing.T, wins, draws, losses int, level float64) {
		if max(wins, draws, losses) > 100_000 {
			t.Skip("slow, and no different")
		}
		w := WDL{Wins: wins, Draws: draws, Losses: losses}
		if i, err := w.GameScores().AnytimeInterval(level); err == nil && (math.IsNaN(i.Lo) || math.IsNaN(i.Hi)) {
			t.Errorf("anytime of %+v at %v: %+v", w, level, i)
		}
		test := SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.1, Model: ModelLogistic, Boundary: BoundaryWald}
		if llr, err := test.LLR(w); err == nil && math.IsNaN(llr) {
			t.Errorf("LLR of %+v is not a number", w)
		}
	})
}
