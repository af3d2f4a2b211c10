package stats

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// leg returns a game whose draws are worth a half.
func leg(o Outcome, aIsBlack bool) Leg {
	return Leg{Outcome: o, AIsBlack: aIsBlack, Points: map[Outcome]float64{Win: 1, Draw: 0.5}[o]}
}

func add(t *testing.T, tally *Tally, times int, p Pair) {
	t.Helper()
	for range times {
		testutil.OK(t, tally.Add(p))
	}
}

func tallyOf(t *testing.T, ll, ld, wl, dd, wd, ww int) Tally {
	t.Helper()
	var tally Tally
	add(t, &tally, ll, Pair{leg(Loss, true), leg(Loss, false)})
	add(t, &tally, ld, Pair{leg(Loss, true), leg(Draw, false)})
	add(t, &tally, wl, Pair{leg(Loss, true), leg(Win, false)})
	add(t, &tally, dd, Pair{leg(Draw, true), leg(Draw, false)})
	add(t, &tally, wd, Pair{leg(Draw, true), leg(Win, false)})
	add(t, &tally, ww, Pair{leg(Win, true), leg(Win, false)})
	return tally
}

func singlesOf(t *testing.T, games WDL) Tally {
	t.Helper()
	var tally Tally
	add(t, &tally, games.Wins, Pair{leg(Win, true)})
	add(t, &tally, games.Draws, Pair{leg(Draw, true)})
	add(t, &tally, games.Losses, Pair{leg(Loss, true)})
	return tally
}

// pairs generates finished pairs of one leg or two. A draw has the points of a rule profile: a half, or 0.4 for Black.
func pairs(single bool) *rapid.Generator[[]Pair] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pair {
		game := func(aIsBlack bool) Leg {
			l := leg(rapid.SampledFrom([]Outcome{Win, Draw, Loss}).Draw(t, "outcome"), aIsBlack)
			if l.Outcome == Draw && rapid.Bool().Draw(t, "repetition") {
				l.Points = map[bool]float64{true: 0.4, false: 0.6}[aIsBlack]
			}
			return l
		}
		first := rapid.Bool().Draw(t, "A is Black first")
		if single && rapid.Bool().Draw(t, "one leg") {
			return Pair{game(first)}
		}
		return Pair{game(first), game(!first)}
	}), 0, 12)
}

func tallyFrom(t *rapid.T, all []Pair) Tally {
	var tally Tally
	for _, p := range all {
		testutil.OK(t, tally.Add(p))
	}
	return tally
}

func same(a, b Tally) bool { return cmp.Equal(a, b, cmp.AllowUnexported(Tally{}, scoreCount{})) }

func TestTallyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := pairs(true).Draw(t, "x"), pairs(true).Draw(t, "y"), pairs(true).Draw(t, "z")
		a, b, c := tallyFrom(t, x), tallyFrom(t, y), tallyFrom(t, z)

		left := a
		left.Merge(b)
		left.Merge(c)
		right := b
		right.Merge(c)
		flipped := right
		flipped.Merge(a)
		first := a
		first.Merge(right)
		testutil.Require(t, same(left, first) && same(left, flipped), "Merge is not associative and commutative")
		testutil.Require(t, same(a, tallyFrom(t, x)) && same(b, tallyFrom(t, y)), "merging a copy changed the original")
		testutil.Require(t, same(left, tallyFrom(t, slices.Concat(x, y, z))), "merged is not added")
		testutil.Require(t, left.Pairs() == len(x)+len(y)+len(z) && left.Total().Games() == 2*left.Penta.Pairs()+left.Singles,
			"miscounted: %+v", left)
	})
}

func TestExchangingTheEnginesMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := pairs(true).Draw(t, "pairs")
		var exchanged []Pair
		for _, p := range all {
			var q Pair
			for _, l := range p {
				q = append(q, Leg{Win + Loss - l.Outcome, !l.AIsBlack, 1 - l.Points})
			}
			exchanged = append(exchanged, q)
		}
		a, b := tallyFrom(t, all), tallyFrom(t, exchanged)
		testutil.Require(t, same(a.Mirror(), b) && same(a, b.Mirror()), "%+v\n%+v", a.Mirror(), b)
		testutil.Require(t, a.BlackSide() == b.BlackSide(), "Black's results depend on who is A")
		p, err := a.SignFlip(binomial.Greater)
		q, err2 := b.SignFlip(binomial.Less)
		testutil.Require(t, (err == nil) == (err2 == nil) && p.P == q.P, "%v %v %v %v", p, err, q, err2)
		s, err := a.Sample()
		r, err2 := b.Sample()
		testutil.Require(t, (err == nil) == (err2 == nil) &&
			(err != nil || math.Abs(s.Mean+r.Mean-1)+math.Abs(s.Variance-r.Variance) <= 1e-12),
			"%v %v %v %v", s, err, r, err2)
	})
}

// TestSignFlipByEnumeration compares SignFlip with all sign patterns, with the deviations in tenths.
func TestSignFlipByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := pairs(false).Draw(t, "pairs")
		var deviations []int
		seen := 0
		for _, p := range all {
			d := int(math.Round(10 * (p[0].Points + p[1].Points - 1)))
			deviations = append(deviations, d)
			seen += d
		}
		ge, le := 0, 0
		patterns := 1 << len(deviations)
		for signs := range patterns {
			total := 0
			for i, d := range deviations {
				if signs>>i&1 == 0 {
					d = -d
				}
				total += d
			}
			if total >= seen {
				ge++
			}
			if total <= seen {
				le++
			}
		}
		want := map[binomial.Alternative]int{binomial.Greater: ge, binomial.Less: le,
			binomial.TwoSided: min(patterns, 2*min(ge, le))}
		for alt, count := range want {
			got, err := tallyFrom(t, all).SignFlip(alt)
			testutil.Require(t, err == nil && math.Abs(got.P-float64(count)/float64(patterns)) <= 1e-12,
				"%s: %v, %v; want %d of %d", alt, got.P, err, count, patterns)
		}
	})
}

func TestTallyCounts(t *testing.T) {
	tally := tallyOf(t, 1, 2, 3, 4, 5, 6)
	add(t, &tally, 7, Pair{leg(Win, false)})
	if want := (Pentanomial{1, 2, 3, 4, 5, 6}); tally.Penta != want || tally.Singles != 7 {
		t.Errorf("%+v", tally)
	}
	// Calculated by hand: as Black losses 1+2+3, draws 4+5, wins 6; as White losses 1, draws 2+4, wins 3+5+6 and the seven
	// single games.
	testutil.Check(t, tally.Black == (WDL{6, 9, 6}) && tally.White == (WDL{21, 6, 1}) && tally.Total() == (WDL{27, 15, 7}),
		"%+v", tally)
	if tally.BlackSide() != (WDL{7, 15, 27}) || tally.Points() != 34.5 || tally.Pairs() != 28 {
		t.Errorf("%+v, %v points", tally.BlackSide(), tally.Points())
	}
	testutil.Fails(t, testutil.Err(tally.Sample()), "", "a mixture of pairs and single games has a sample")
	i, err := tally.BlackAdvantage(0.95)
	want, _ := binomial.ClopperPearson(7, 34, 0.95)
	testutil.Check(t, err == nil && i == want, "%+v, %v; want %+v", i, err, want)
}

func TestTallyRefusesNonsense(t *testing.T) {
	for name, p := range map[string]Pair{
		"no game":          {},
		"three games":      {leg(Win, true), leg(Win, false), leg(Win, true)},
		"same colours":     {leg(Win, true), leg(Win, true)},
		"no outcome":       {{AIsBlack: true, Points: 0.5}},
		"win without":      {{Outcome: Win}},
		"loss with":        {{Outcome: Loss, Points: 0.5}},
		"draw beyond":      {{Outcome: Draw, Points: 1.5}},
		"draw below":       {{Outcome: Draw, Points: -0.5}},
		"not a number":     {{Outcome: Draw, Points: math.NaN()}},
		"infinite":         {{Outcome: Draw, Points: math.Inf(1)}},
		"too fine":         {{Outcome: Draw, Points: 1. / 3}},
		"second is broken": {leg(Win, true), {Outcome: Win, Points: 0.5}},
	} {
		var tally Tally
		err := tally.Add(p)
		testutil.Check(t, err != nil && same(tally, Tally{}), "%s: %v, %+v", name, err, tally)
	}
}

// TestWithout: the counts of all pairs without some of them are the counts of the others.
func TestWithout(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all, some, others Tally
		for i, d := range rapid.SliceOfN(rapid.IntRange(-2, 2), 0, 20).Draw(t, "pairs") {
			pair := deviationPairs[d]
			if i%7 == 6 {
				pair = Pair{{Outcome: Win, AIsBlack: true, Points: 1}}
			}
			testutil.OK(t, all.Add(pair))
			if i%3 == 0 {
				testutil.OK(t, some.Add(pair))
			} else {
				testutil.OK(t, others.Add(pair))
			}
		}
		before := all.clone()
		left := all.Without(some)
		testutil.Check(t, left.Points() == others.Points() && left.Pairs() == others.Pairs() &&
			left.Black == others.Black && left.White == others.White && left.Penta == others.Penta &&
			left.Singles == others.Singles && slices.Equal(left.paired, others.paired) &&
			slices.Equal(left.single, others.single),
			"%+v instead of %+v", left, others)
		testutil.Check(t, reflect.DeepEqual(all, before), "Without changed the tally")
	})
}

// TestTallyOfSeries: later pairs do not change a tally that a series has returned.
func TestTallyOfSeries(t *testing.T) {
	t.Parallel()
	var s Series
	plays(t, &s, "1", 1, 2, 1)
	tally, firsts := s.Tally(), s.Firsts()
	want := tally.Points()
	plays(t, &s, "2", 2, 2)
	testutil.Check(t, tally.Points() == want && firsts.Points() == 2 && s.Tally().Points() == want+2, "%+v, %+v, then %+v",
		tally, firsts, s.Tally())
}
