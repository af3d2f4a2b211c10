package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"

	"pgregory.net/rapid"
)

func plays(t *testing.T, s *Series, opening string, games uint64, deviations ...int) {
	t.Helper()
	for _, d := range deviations {
		testutil.Must(s.Add(Play{deviationPairs[d], opening, []uint64{games, games}}))(t)
	}
}

// TestCopiesAreNoEvidence repeats two openings at fixed nodes, both won by A. Counted by pairs, the SPRT passes after
// 37 pairs, of which 35 are copies. Counted by openings, it is inconclusive.
func TestCopiesAreNoEvidence(t *testing.T) {
	test := SPRT{Elo0: 0, Elo1: 30, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryRatio}
	gate := testutil.Must(NewPrefix(test, 2000))(t)
	naive, _ := NewPrefix(test, 2000)
	var s Series
	copies := 0
	for id := range 2000 {
		p := Play{deviationPairs[2], strconv.Itoa(id % 2), []uint64{1, 2}}
		if id == 1 {
			p.Pair, p.Games = Pair{p.Pair[1], p.Pair[0]}, []uint64{2, 1} // White's game first
		}
		testutil.OK(t, gate.AddPlay(id, p))
		testutil.OK(t, naive.Add(id, p.Pair))
		repeats, err := s.Add(p)
		testutil.Require(t, err == nil && repeats == (id >= 2), "pair %d: %v, %v", id, repeats, err)
		if repeats {
			copies++
		}
	}
	j := gate.Judgement()
	testutil.Check(t, j.Decision == Inconclusive && j.Units == 2000 && j.Openings == 2 && j.Copies == 1998 &&
		copies == 1998,
		"%+v", j)
	if j := naive.Judgement(); j.Decision != Pass || j.Units > 40 {
		t.Errorf("without openings: %+v", j)
	}
	for alt, want := range map[binomial.Alternative]float64{binomial.Greater: 0.25, binomial.Less: 1,
		binomial.TwoSided: 0.5} {
		if p, err := s.SignFlip(alt); err != nil || math.Abs(p.P-want) > 1e-12 || p.N != 2 ||
			p.Method != "opening_sign_flip" {
			t.Errorf("%s: %+v, %v, want %v", alt, p, err, want)
		}
	}
	if d := s.Dependence(); d.Pairs != 2000 || d.Openings != 2 || d.Reused != 2 || d.Copies != 1998 || *d.ICC != 1 ||
		*d.Effect != 1000 {
		t.Errorf("%+v", d)
	}
}

// TestLeastOpenings requires that a test passes if A wins as many openings as Openings returns, and not with one less.
func TestLeastOpenings(t *testing.T) {
	for _, s := range []SPRT{
		{Elo0: 0, Elo1: 30, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryRatio},
		{Elo0: -20, Elo1: 100, Alpha: 0.01, Beta: 0.1, Model: ModelLogistic, Boundary: BoundaryWald},
	} {
		pass, fail, err := s.Openings()
		testutil.OK(t, err)
		// A win changes the LLR by at most ln(s₁/s₀), a loss by at most ln((1-s₁)/(1-s₀)). Empty cells change this by less
		// than one opening.
		lower, upper := s.Bounds()
		s0, s1 := binomial.Expected(s.Elo0), binomial.Expected(s.Elo1)
		if d := float64(pass) - math.Ceil(upper/math.Log(s1/s0)); math.Abs(d) > 1 {
			t.Errorf("%+v passes with %d", s, pass)
		}
		if d := float64(fail) - math.Ceil(lower/math.Log((1-s1)/(1-s0))); math.Abs(d) > 1 {
			t.Errorf("%+v fails with %d", s, fail)
		}
		for _, openings := range []int{pass - 1, pass} {
			p, _ := NewPrefix(s, 40*openings)
			for id := range 40 * openings {
				testutil.OK(t, p.AddPlay(id, Play{deviationPairs[2], strconv.Itoa(id % openings),
					[]uint64{uint64(id), uint64(id)}}))
			}
			testutil.Equal(t, p.Judgement().Decision == Pass, (openings == pass), "%d openings of %d: %+v", openings, pass,
				p.Judgement())
		}
	}
	if _, _, err := (SPRT{}).Openings(); err == nil {
		t.Error("no design has no openings")
	}
	testutil.Check(t, DistinctPairs(40, 7, true) == 7 && DistinctPairs(5, 7, true) == 5 &&
		DistinctPairs(40, 7, false) == 40,
		"distinct pairs")
}

// TestDependenceByHand has three openings of two pairs, with the deviations 1 and 0, -1 and 0, 0 and 0. The variance
// between openings is 2 (¼ + ¼ + 0)/2 = ½, and within openings it is (½ + ½ + 0)/3 = ⅓. The variance of the sum
// is (1 + 1) 3/2 by openings, and 2 · 6/5 by pairs.
func TestDependenceByHand(t *testing.T) {
	var s Series
	plays(t, &s, "a", 1, 1, 0)
	plays(t, &s, "b", 2, -1, 0)
	plays(t, &s, "c", 3, 0, 0)
	d := s.Dependence()
	if math.Abs(*d.ICC-0.2) > 1e-12 || math.Abs(*d.Effect-1.25) > 1e-12 || d.Copies != 3 {
		t.Errorf("%+v: %v, %v", d, *d.ICC, *d.Effect)
	}
	// F = 1.5 with 2 and 3 degrees of freedom has the tail (1 + 2F/3)^-1.5.
	testutil.Check(t, math.Abs(*d.P-math.Pow(2, -1.5)) < 1e-12 && !d.Shown(), "p = %v", *d.P)
	var unused Series
	plays(t, &unused, "a", 1, 2)
	if d := unused.Dependence(); d.ICC != nil || d.Why == "" {
		t.Errorf("%+v", d)
	}
	plays(t, &unused, "a", 1, 2)
	if d := unused.Dependence(); d.ICC != nil || d.Why == "" || d.Reused != 1 {
		t.Errorf("%+v", d)
	}
}

// TestDependenceIsShown: the openings of independent pairs are called dependent in about 1% of matches, repeated games
// always.
func TestDependenceIsShown(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	const matches = 2000
	shown := 0
	for range matches {
		var independent, repeated Series
		for opening := range 10 {
			points := make([]int, 5)
			for i := range points {
				points[i] = []int{-2, -1, 0, 0, 1, 2}[r.IntN(6)]
			}
			plays(t, &independent, strconv.Itoa(opening), uint64(opening), points...)
			plays(t, &repeated, strconv.Itoa(opening), uint64(opening), points[0], points[0], points[0])
		}
		if independent.Dependence().Shown() {
			shown++
		}
		testutil.Check(t, repeated.Dependence().Shown(), "repeated games seem independent")
	}
	testutil.Check(t, shown >= 7 && shown <= 36, "%d of %d", shown, matches) // 20 expected, standard error 4.5
}

func TestFirsts(t *testing.T) {
	var s Series
	plays(t, &s, "a", 1, 2, -2)
	plays(t, &s, "b", 2, -2, 2, 2)
	firsts := s.Firsts()
	testutil.Check(t, firsts.Penta == (Pentanomial{WW: 1, LL: 1}) && firsts.Pairs() == 2, "%+v", firsts)
}

func TestSeriesRefusesNonsense(t *testing.T) {
	for name, p := range map[string]Play{
		"one leg":    {Pair: Pair{leg(Win, true)}, Opening: "a"},
		"no pair":    {Opening: "a"},
		"one hash":   {Pair: deviationPairs[0], Opening: "a", Games: []uint64{1}},
		"no outcome": {Pair: Pair{{AIsBlack: true}, leg(Win, false)}, Opening: "b"},
	} {
		var s Series
		plays(t, &s, "a", 1, 2)
		_, err := s.Add(p)
		testutil.Check(t, err != nil && s.Pairs() == 1 && s.Openings() == 1, "%s: %v, %+v", name, err, s)
	}
}

// TestOneOpeningThatCancels has one opening with one pair won and one pair lost. Both signs of the opening give a sum
// of 0, which is at least and at most the observed sum.
func TestOneOpeningThatCancels(t *testing.T) {
	var s Series
	for i, d := range []int{2, -2} {
		testutil.Must(s.Add(Play{Pair: deviationPairs[d], Opening: "0", Games: []uint64{uint64(i), uint64(i)}}))(t)
	}
	for _, alt := range []binomial.Alternative{binomial.Greater, binomial.Less, binomial.TwoSided} {
		got, err := s.SignFlip(alt)
		testutil.Check(t, err == nil && got.P == 1, "%s: %+v, %v; want 1", alt, got, err)
	}
}

// TestOpeningFlipsByEnumeration compares SignFlip with all sign patterns of whole openings.
func TestOpeningFlipsByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := pairs(false).Draw(t, "pairs")
		var s Series
		sums := map[int]int{} // tenths, by opening
		for _, p := range all {
			o := rapid.IntRange(0, 3).Draw(t, "opening")
			sums[o] += int(math.Round(10 * (p[0].Points + p[1].Points - 1)))
			testutil.Must(s.Add(Play{Pair: p, Opening: strconv.Itoa(o)}))(t)
		}
		seen, ge, le := 0, 0, 0
		for _, d := range sums {
			seen += d
		}
		for signs := range 1 << 4 {
			total := 0
			for o, d := range sums {
				total += d * (1 - 2*(signs>>o&1))
			}
			if total >= seen {
				ge++
			}
			if total <= seen {
				le++
			}
		}
		for alt, want := range map[binomial.Alternative]float64{binomial.Greater: float64(ge) / 16,
			binomial.Less: float64(le) / 16, binomial.TwoSided: min(1, float64(min(ge, le))/8)} {
			got, err := s.SignFlip(alt)
			testutil.Require(t, err == nil && math.Abs(got.P-want) <= 1e-12, "%s: %+v, %v; want %v", alt, got, err, want)
		}
	})
}

// TestSeriesOfNewOpenings requires that openings and pairs give the same numbers if no opening recurs.
func TestSeriesOfNewOpenings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := pairs(false).Draw(t, "pairs")
		s := design(t)
		byPair := testutil.Must(NewPrefix(s, len(all)+1))(t)
		byOpening, _ := NewPrefix(s, len(all)+1)
		var series Series
		for id, p := range all {
			play := Play{Pair: p, Opening: fmt.Sprint("o", id), Games: []uint64{7, 7}}
			testutil.OK(t, byPair.Add(id, p))
			testutil.OK(t, byOpening.AddPlay(id, play))
			if repeats, err := series.Add(play); err != nil || repeats {
				t.Fatal(repeats, err)
			}
		}
		testutil.Require(t, byPair.Judgement() == byOpening.Judgement(), "%+v, %+v", byPair.Judgement(),
			byOpening.Judgement())
		tally := tallyFrom(t, all)
		want, err := tally.Sample()
		got, err2 := series.Sample()
		testutil.Require(t, got == want && (err == nil) == (err2 == nil), "%+v, %+v", got, want)
	})
}

// TestSingleGamesByOpening requires that Test counts only the first single game of each opening.
func TestSingleGamesByOpening(t *testing.T) {
	var s Series
	for i := range 40 {
		o := map[bool]Outcome{true: Win, false: Loss}[i%4 != 0]
		if i%10 == 9 {
			o = Draw
		}
		testutil.Must(s.Add(Play{Pair: Pair{leg(o, i%2 == 0)}, Opening: strconv.Itoa(i % 10)}))(t)
	}
	want, _ := binomial.Exact(6, 9, 0.5, binomial.Greater) // lost: 0, 4, 8; drawn: 9
	got, err := s.Test(binomial.Greater)
	testutil.Check(t, err == nil && got == want, "%+v, %v, want %+v", got, err, want)
}

// TestEloByOpenings requires that the LLR and the estimate stay the same if each opening is played again with the same
// result.
func TestEloByOpenings(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryRatio}
	var want StoppedElo
	for rounds := 1; rounds <= 5; rounds += 4 {
		p := testutil.Must(NewPrefix(s, 30*rounds))(t)
		for id := range 30 * rounds {
			play := Play{Pair: deviationPairs[[]int{2, 0, -2, 2, 1}[id%5]], Opening: strconv.Itoa(id % 30)}
			testutil.OK(t, p.AddPlay(id, play))
		}
		j := p.Judgement()
		testutil.Require(t, j.Decision == Inconclusive && j.Openings == 30, "%+v", j)
		got := testutil.Must(p.Elo(0.95))(t)
		if rounds == 1 {
			want = got
		}
		testutil.Check(t, math.Abs(got.Elo-want.Elo)+math.Abs(got.Interval.Lo-want.Interval.Lo)+
			math.Abs(got.Interval.Hi-want.Interval.Hi) <= 1e-6,
			"%d rounds: %+v, want %+v", rounds, got, want)
	}
}

// TestNormalizedByOpenings requires nearly the same LLR by openings and by pairs if pairs of reused openings are
// independent. Normalised hypotheses are about pairs, although the means of openings vary less.
func TestNormalizedByOpenings(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 20, Alpha: 0.001, Beta: 0.001, Model: ModelNormalized, Boundary: BoundaryWald}
	r := rand.New(rand.NewPCG(4, 4))
	var byOpening Series
	for id := range 3000 {
		d := evenDeviation(r)
		plays(t, &byOpening, strconv.Itoa(id%300), uint64(id), d)
	}
	got, err := s.llr(byOpening.distribution(), byOpening.tally.Outcomes())
	want, err2 := s.LLR(byOpening.tally.Outcomes())
	testutil.Check(t, err == nil && err2 == nil && math.Abs(want) >= 2 && math.Abs(got/want-1) <= 0.25,
		"%v, %v; by pairs %v, %v", got, err, want, err2)
}

// TestPlayedDiffers: no two of a million pairs with neighbouring or equal hashes, openings or colours are taken for
// each other.
func TestPlayedDiffers(t *testing.T) {
	t.Parallel()
	seen := map[uint64][3]uint64{}
	for opening := range 100 {
		for first := range uint64(100) {
			for second := range uint64(100) {
				games := [2]uint64{first << 57, second} // the highest bits, and the lowest
				key, this := played(opening, games), [3]uint64{uint64(opening), games[0], games[1]}
				if other, ok := seen[key]; ok {
					t.Fatalf("%v and %v have one key", this, other)
				}
				seen[key] = this
			}
		}
	}
	testutil.Check(t, len(seen) == 1_000_000 && played(0, [2]uint64{1, 2}) != played(0, [2]uint64{2, 1}),
		"the order of games counts")
}
