package stats

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// The tests of this file draw truths and counts from far outside ordinary matches. They check laws that need no
// expected value.

// farCounts returns a generator of a list of counts, of which some are 0 and some may be large.
func farCounts(length, most int) *rapid.Generator[[]int] {
	return rapid.Custom(func(t *rapid.T) []int {
		limit := rapid.SampledFrom([]int{1, 4, 300, most}).Draw(t, "limit")
		return rapid.SliceOfN(rapid.IntRange(0, limit), length, length).Draw(t, "counts")
	})
}

func pairsOf(n []int) Pentanomial {
	return Pentanomial{LL: n[0], LD: n[1], WL: n[2], WD: n[3], WW: n[4]}
}

func reversed(n []int) []int {
	r := slices.Clone(n)
	slices.Reverse(r)
	return r
}

// farOutcomes returns outcomes that fit the model, and the same outcomes for exchanged players.
func farOutcomes(t *rapid.T, model EloModel, most int) (o, mirrored Outcomes, n []int) {
	if model == ModelBayesElo {
		n = farCounts(3, most).Draw(t, "games")
		return WDL{Losses: n[0], Draws: n[1], Wins: n[2]}, WDL{Losses: n[2], Draws: n[1], Wins: n[0]}, n
	}
	n = farCounts(5, most).Draw(t, "pairs")
	return pairsOf(n), pairsOf(reversed(n)), n
}

// TestLawsOfRatios: exchanged players have the negative ratio, and the ratios of neighbouring hypotheses add up. With
// the logistic model, a win in place of a loss raises the ratio.
func TestLawsOfRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		model := rapid.SampledFrom([]EloModel{ModelLogistic, ModelNormalized, ModelBayesElo}).Draw(t, "model")
		o, mirrored, n := farOutcomes(t, model, 100_000_000)
		elo0 := number("elo0", -900, 600)
		elo1 := elo0 + math.Pow(10, number("width", -2, 2.2))
		elo2 := elo1 + math.Pow(10, number("next", -2, 2.2))
		ratio := func(from, to float64, o Outcomes) float64 {
			return testutil.Must(SPRT{Elo0: from, Elo1: to, Alpha: 0.05, Beta: 0.05, Model: model,
				Boundary: BoundaryWald}.LLR(o))(t)
		}
		llr, next, both := ratio(elo0, elo1, o), ratio(elo1, elo2, o), ratio(elo0, elo2, o)
		size := 1e-6 * (1 + math.Abs(llr) + math.Abs(next))
		testutil.Check(t, math.Abs(llr+next-both) <= size, "%v and %v do not add up to %v", llr, next, both)
		opposite := ratio(-elo1, -elo0, mirrored)
		testutil.Check(t, math.Abs(llr+opposite) <= size, "%v, mirrored %v", llr, opposite)
		if model == ModelLogistic && n[0] > 0 {
			n[0], n[4] = n[0]-1, n[4]+1
			better := ratio(elo0, elo1, pairsOf(n))
			testutil.Check(t, better > llr-size, "%v, with one more win %v", llr, better)
		}
	})
}

// TestLawsOfStoppedElo: the estimate is within its interval. Exchanged players have the negative estimate.
func TestLawsOfStoppedElo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		model := rapid.SampledFrom([]EloModel{ModelLogistic, ModelNormalized, ModelBayesElo}).Draw(t, "model")
		o, mirrored, _ := farOutcomes(t, model, 1_000_000)
		if !Vary(o) {
			return
		}
		rate := rapid.SampledFrom([]float64{0.001, 0.05, 0.29}) // the bounds of other rates take long
		s := SPRT{
			Elo0: number("elo0", -300, 300), Alpha: rate.Draw(t, "alpha"), Beta: rate.Draw(t, "beta"),
			Model: model, Boundary: rapid.SampledFrom(symmetric).Draw(t, "boundary"),
		}
		s.Elo1 = s.Elo0 + math.Pow(10, number("width", -1, 2.2))
		other := s
		other.Elo0, other.Elo1, other.Alpha, other.Beta = -s.Elo1, -s.Elo0, s.Beta, s.Alpha
		got, err := s.Elo(o, 0.95)
		m, err2 := other.Elo(mirrored, 0.95)
		testutil.Check(t, (err == nil) == (err2 == nil), "%v, mirrored %v", err, err2)
		if err != nil {
			return
		}
		testutil.Check(t, got.Interval.Lo <= got.Elo && got.Elo <= got.Interval.Hi, "%+v", got)
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 0.01*(1+got.Interval.Hi-got.Interval.Lo) }
		testutil.Check(t, near(got.Elo, -m.Elo) && near(got.Interval.Lo, -m.Interval.Hi), "%+v, mirrored %+v", got, m)
	})
}

// threeScores returns the probability that the weighted mean of scores of 0, ½ and 1 is at most x. The weights of the
// three scores have a Dirichlet distribution with the given parameters. For each weight of ½, the share of the scores
// of 1 in the rest has a beta distribution.
func threeScores(n [3]float64, x float64) float64 {
	half := distuv.Beta{Alpha: n[1], Beta: n[0] + n[2]}
	ends := []float64{0, min(1, 2*x), min(1, max(0, 2-2*x)), 1} // the share is 0 or 1 beyond
	for i := 1; i < 30; i++ {
		ends = append(ends, half.Quantile(float64(i)/30))
	}
	for rare := 0.01; rare > 1e-14; rare /= 10 {
		// gonum's inverse misses rare tails, so the nodes would not be where the weight is.
		ends = append(ends, binomial.BetaQuantile(half.Alpha, half.Beta, rare),
			1-binomial.BetaQuantile(half.Beta, half.Alpha, rare))
	}
	slices.Sort(ends)
	sum := 0.0
	for i, end := range ends[1:] {
		sum += quad.Fixed(func(w float64) float64 {
			share := min(1, max(0, (x-w/2)/(1-w)))
			return half.Prob(w) * mathext.RegIncBeta(n[2], n[0], share)
		}, ends[i], end, 20, nil, 0)
	}
	return sum
}

// TestLawsOfGaffke: the interval contains the mean, is mirrored for exchanged players and grows with the level.
func TestLawsOfGaffke(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := farCounts(5, testutil.ByLength(300, 30_000)).Draw(t, "pairs")
		if slices.Max(n) == 0 {
			return
		}
		level := rapid.SampledFrom([]float64{0.01, 0.5, 0.95, 0.999999}).Draw(t, "level")
		scores := pairsOf(n).PairScores()
		i := testutil.Must(scores.Interval(level))(t)
		mean := scores.Mean()
		testutil.Check(t, 0 <= i.Lo && i.Lo <= mean+1e-12 && mean <= i.Hi+1e-12 && i.Hi <= 1, "%v has %+v", mean, i)
		m := testutil.Must(scores.Mirror().Interval(level))(t)
		testutil.Check(t, math.Abs(i.Lo+m.Hi-1)+math.Abs(i.Hi+m.Lo-1) <= 1e-9, "%+v, mirrored %+v", i, m)
		wider := testutil.Must(scores.Interval(1 - (1-level)/2))(t)
		testutil.Check(t, wider.Lo <= i.Lo && wider.Hi >= i.Hi, "%+v, at a higher level %+v", i, wider)
	})
}

// TestTailsOfThreeScores compares the lower end for scores of 0, ½ and 1 with a double integral.
func TestTailsOfThreeScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) int { return int(math.Pow(10, rapid.Float64Range(0, 4.3).Draw(t, name))) }
		n := [3]int{count("losses") - 1, count("even"), count("wins")}
		level := rapid.SampledFrom([]float64{0.5, 0.95, 0.999, 0.999999}).Draw(t, "level")
		i := testutil.Must(Pentanomial{LL: n[0], WL: n[1], WW: n[2]}.PairScores().Interval(level))(t)
		tail := (1 - level) / 2
		at := threeScores([3]float64{float64(n[0] + 1), float64(n[1]), float64(n[2])}, i.Lo)
		testutil.Check(t, math.Abs(at-tail) <= 0.01*tail, "%v has the tail %v, want %v", i, at, tail)
	})
}

// TestLawsOfSignFlips: the p values of the two sides are mirrored, a win in place of a loss makes the p value smaller,
// and deviations of one size are the exact binomial test.
func TestLawsOfSignFlips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := farCounts(5, 30_000).Draw(t, "pairs")
		flip := func(n []int, alt binomial.Alternative) float64 {
			var s scores
			for i, count := range n {
				if count > 0 {
					s = append(s, scoreCount{i * milli / 2, count})
				}
			}
			return signFlip("", s, alt).P
		}
		greater, less, both := flip(n, binomial.Greater), flip(n, binomial.Less), flip(n, binomial.TwoSided)
		testutil.Check(t, greater >= 0 && greater <= 1 && greater+less >= 1-1e-9, "%v, less %v", greater, less)
		testutil.Check(t, both == min(1, 2*min(greater, less)), "%v of %v and %v", both, greater, less)
		mirrored := flip(reversed(n), binomial.Less)
		testutil.Check(t, math.Abs(mirrored-greater) <= 1e-12, "%v, mirrored %v", greater, mirrored)
		if n[1]+n[3] == 0 && n[0]+n[4] > 0 {
			want := testutil.Must(binomial.Exact(n[4], n[0]+n[4], 0.5, binomial.Greater))(t).P
			testutil.Check(t, math.Abs(greater-want) <= 1e-9*want, "%v, want %v", greater, want)
		}
		if n[0] > 0 {
			better := slices.Clone(n)
			better[0], better[4] = n[0]-1, n[4]+1
			testutil.Check(t, flip(better, binomial.Greater) <= greater+1e-12, "%v, with one more win %v", greater,
				flip(better, binomial.Greater))
		}
	})
}

// farSeries draws a series with one pair for each opening. The openings have the names of a list, from first on.
func farSeries(t *rapid.T, name string, first int) (s, mirrored *Series) {
	s, mirrored = new(Series), new(Series)
	bias := rapid.SampledFrom([]int{1, 2, 30}).Draw(t, name+" bias")
	for i, result := range rapid.SliceOfN(rapid.IntRange(0, 3*bias), 1, 20).Draw(t, name) {
		outcomes := [][2]Outcome{{Win, Win}, {Win, Loss}, {Draw, Loss}, {Loss, Loss}}[result/bias%4]
		p := Play{Opening: string(rune('A' + first + i))}
		for leg, o := range outcomes {
			p.Pair = append(p.Pair, Leg{Outcome: o, AIsBlack: leg == 0, Points: map[Outcome]float64{Win: 1, Draw: 0.5}[o]})
		}
		testutil.Must(s.Add(p))(t)
		testutil.Must(mirrored.Add(p.Mirror()))(t)
	}
	return s, mirrored
}

// TestLawsOfComparisons: exchanged series have the negative difference, and so have exchanged players. The interval
// contains the difference.
func TestLawsOfComparisons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, otherA := farSeries(t, "first", 0)
		b, otherB := farSeries(t, "second", rapid.IntRange(0, 21).Draw(t, "apart"))
		c, err := Compare(a, b, 0.95)
		swapped, err2 := Compare(b, a, 0.95)
		mirrored, err3 := Compare(otherA, otherB, 0.95)
		testutil.Check(t, (err == nil) == (err2 == nil) && (err == nil) == (err3 == nil), "%v, swapped %v, mirrored %v", err,
			err2, err3)
		if err != nil {
			return
		}
		testutil.Check(t, c.Interval.Lo <= c.Elo && c.Elo <= c.Interval.Hi && c.Test.P >= 0 && c.Test.P <= 1, "%+v", c)
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-6*(1+math.Abs(a)) }
		for _, m := range []Comparison{swapped, mirrored} {
			testutil.Check(t, near(c.Elo, -m.Elo) && near(c.Interval.Lo, -m.Interval.Hi) && near(c.Interval.Hi, -m.Interval.Lo),
				"%+v, opposite %+v", c, m)
			testutil.Check(t, near(c.Test.P, m.Test.P) && c.Method == m.Method, "%+v, opposite %+v", c, m)
		}
	})
}

// TestLawsOfHomogeneity: the test does not depend on the order of the sources and of the outcomes. Sources with
// proportional counts have a chi-square of 0, and k times the games have k times the chi-square.
func TestLawsOfHomogeneity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(farCounts(5, 100_000_000), 2, 6).Draw(t, "rows")
		test := func(of func(row []int) []int) (Homogeneity, error) {
			var sources []Outcomes
			for _, row := range rows {
				sources = append(sources, pairsOf(of(row)))
			}
			return SameEverywhere(sources, 0.05)
		}
		h, err := test(slices.Clone)
		mirrored, err2 := test(reversed)
		testutil.Check(t, (err == nil) == (err2 == nil), "%v, mirrored %v", err, err2)
		if err != nil {
			return
		}
		k := rapid.IntRange(2, 1000).Draw(t, "times")
		times, err := test(func(row []int) (all []int) {
			for _, n := range row {
				all = append(all, k*n)
			}
			return all
		})
		testutil.OK(t, err)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)) }
		testutil.Check(t, h.P >= 0 && h.P <= 1 && near(h.ChiSquare, mirrored.ChiSquare) && near(h.P, mirrored.P),
			"%+v, mirrored %+v", h, mirrored)
		testutil.Check(t, near(float64(k)*h.ChiSquare, times.ChiSquare) && times.P <= h.P+1e-9, "%+v, %d times %+v", h, k,
			times)
		total := 0.0
		for _, row := range rows {
			for _, n := range row {
				total += float64(n)
			}
		}
		testutil.Check(t, h.ChiSquare <= total*float64(min(len(rows), 5)-1)*(1+1e-9), "%v of %v games", h.ChiSquare, total)
		slices.Reverse(rows)
		back := testutil.Must(test(slices.Clone))(t)
		testutil.Check(t, near(h.ChiSquare, back.ChiSquare) && len(h.Outliers) == len(back.Outliers),
			"%+v, in another order %+v", h, back)
	})
}

// TestLawsOfMatchForecasts: the three chances add up to 1, exchanged players exchange them, and a win in place of a
// loss raises the chance to win. One game is won with the mean of the Dirichlet distribution.
func TestLawsOfMatchForecasts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := farCounts(3, 10_000_000).Draw(t, "games")
		w := WDL{Losses: counts[0], Draws: counts[1], Wins: counts[2]}
		n := rapid.SampledFrom([]int{1, 2, 7, 150}).Draw(t, "match")
		f, err := w.Forecast(n, 0.95)
		if err != nil {
			testutil.Check(t, w.Wins+w.Losses == 0, "%v", err)
			return
		}
		m := testutil.Must(WDL{Wins: w.Losses, Draws: w.Draws, Losses: w.Wins}.Forecast(n, 0.95))(t)
		testutil.Check(t, min(f.Win, f.Draw, f.Loss) >= 0 && math.Abs(f.Win+f.Draw+f.Loss-1) <= 1e-6, "%+v", f)
		testutil.Check(t, math.Abs(f.Win-m.Loss)+math.Abs(f.Draw-m.Draw) <= 1e-6, "%+v, mirrored %+v", f, m)
		testutil.Check(t, 0 <= f.Interval.Lo && f.Interval.Lo <= f.Interval.Hi && f.Interval.Hi <= 1, "%+v", f)
		if n == 1 {
			want := (float64(w.Wins) + 0.5) / (float64(w.Games()) + 1.5)
			testutil.Check(t, math.Abs(f.Win-want) <= 1e-6, "%v, want %v", f.Win, want)
		}
		if w.Losses > 0 {
			better := testutil.Must(WDL{Wins: w.Wins + 1, Draws: w.Draws, Losses: w.Losses - 1}.Forecast(n, 0.95))(t)
			testutil.Check(t, better.Win >= f.Win-1e-6 && better.Interval.Lo >= f.Interval.Lo-1e-9, "%+v, with one more win %+v",
				f, better)
		}
	})
}
