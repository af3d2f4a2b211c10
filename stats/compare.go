package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// A Comparison is the difference between the Elo of two players, measured against a common opponent. For
// example, the players are a newer and an older patch, and the opponent is their base.
type Comparison struct {
	Method   string            `json:"method"`   // paired_openings, partly_paired or independent.
	Shared   int               `json:"shared"`   // openings that both series played
	First    int               `json:"first"`    // openings of the first series
	Second   int               `json:"second"`   // openings of the second series
	Elo      float64           `json:"elo"`      // Elo of the first minus Elo of the second
	Interval binomial.Interval `json:"interval"` // in Elo. Its method is mover_gaffke.
	Test     binomial.Test     `json:"test"`     // two-sided test of no difference
}

// Compare returns the Elo of the first series minus the Elo of the second series, each over all of its openings.
//
// The test is exact if both series played the same openings, and at least two. Its null hypothesis is that the two
// players are interchangeable. To exchange them in all games of an opening would then only flip the sign of the
// opening's difference in score. The test therefore compares the sum of the differences with sums of randomly flipped
// signs (method paired_sign_flip). Otherwise the test uses the normal distribution. If the series share at least two
// openings, it includes the observed correlation of these openings (method partly_paired_normal). If they share
// fewer, it treats the series as independent (method welch_normal).
//
// The interval is approximate. It combines the intervals of the two Elo differences with their correlation (Zou and
// Donner 2008, "Construction of confidence limits about effect measures: MOVER"). Compare returns an error if a
// series has no finite Elo, and for a level outside (0, 1).
func Compare(first, second *Series, level float64) (Comparison, error) {
	if first.Pairs() == 0 || second.Pairs() == 0 {
		return Comparison{}, ErrNoGame
	}
	if first.legs != second.legs {
		return Comparison{}, ErrMixed
	}
	a, b := first.all(), second.all()
	sharedA, sharedB := first.shared(second)
	c := Comparison{Method: "partly_paired", Shared: len(sharedA), First: len(a), Second: len(b)}
	// The correlation of the two means. Openings that only one series has reduce the correlation.
	correlation := correlationOf(sharedA, sharedB) * float64(c.Shared) / math.Sqrt(float64(c.First*c.Second))
	switch {
	case c.Shared >= 2 && c.Shared == c.First && c.Shared == c.Second:
		c.Method, c.Test = "paired_openings", pairedFlips(sharedA, sharedB)
	case c.Shared < 2:
		c.Method, correlation = "independent", 0
		c.Test = normalDifference("welch_normal", a, b, correlation)
	default:
		c.Test = normalDifference("partly_paired_normal", a, b, correlation)
	}
	return c, c.mover(meansOf(a), meansOf(b), correlation, level)
}

// shared returns the mean scores of the openings that both series played: own for this series, others for the
// other series.
func (s *Series) shared(other *Series) (own, others []float64) {
	for _, o := range s.order {
		if same := other.openings[o.key]; same != nil && !strings.HasPrefix(o.key, unnamed) {
			own, others = append(own, o.share(s.legs)), append(others, same.share(other.legs))
		}
	}
	return own, others
}

// A NotWorse is the result of a test whether one player is weaker than another by less than Margin Elo. Both
// have played against a common opponent. The gain is the first player's Elo minus the second player's Elo,
// both against that opponent. The test can show that the gain is more than -Margin.
type NotWorse struct {
	Margin float64       `json:"margin"`
	Bound  float64       `json:"bound"` // one-sided lower bound of the gain at the level.
	Test   binomial.Test `json:"test"`  // test of a gain of -Margin against a larger gain
}

// TestNotWorse tests the null hypothesis that the player of the first series is weaker than the player of the
// second series by margin Elo or more. It uses all openings of both series, and the correlation of shared
// openings. The test uses the normal distribution, with the variance of the Elo difference to first order. It
// therefore needs many openings.
//
// TestNotWorse returns an error for a series with fewer than two openings or without a finite Elo, and if all
// openings have the same score. It also returns an error for a margin that is not positive, and for a level
// outside (0, 1).
func TestNotWorse(first, second *Series, margin, level float64) (NotWorse, error) {
	if !(margin > 0) || math.IsInf(margin, 1) {
		return NotWorse{}, fmt.Errorf("margin %v: expected Elo above 0", margin)
	}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return NotWorse{}, err
	}
	gain, variance, err := eloGain(first, second)
	if err != nil {
		return NotWorse{}, err
	}
	if !(variance > 1e-9) {
		return NotWorse{}, errors.New("all openings scored alike, so nothing shows how much they vary")
	}
	se := math.Sqrt(variance)
	t := binomial.Test{Method: "elo_normal", Alternative: binomial.Greater, N: first.Openings() + second.Openings()}
	t.P = math.Erfc((gain+margin)/se/math.Sqrt2) / 2
	return NotWorse{Margin: margin, Bound: gain - binomial.ZAbove(1-level)*se, Test: t}, nil
}

// all returns the mean scores of all openings of the series.
func (s *Series) all() []float64 {
	return lists.Map(s.order, func(o *opening) float64 { return o.share(s.legs) })
}

func meansOf(values []float64) means {
	var m means
	for _, v := range values {
		m.take(v, 1)
	}
	return m
}

// pairedFlips returns the two-sided sign-flip test of the differences between a and b: under the null
// hypothesis each difference has either sign with the same probability. It rounds the differences to
// thousandths of a point per game. The test is exact, or its method ends in _normal if an exact sum would take
// too long.
func pairedFlips(a, b []float64) binomial.Test {
	var s scores
	for i := range a {
		s = append(s, scoreCount{milli + int(math.Round(milli*(a[i]-b[i]))), 1})
	}
	return signFlip("paired_sign_flip", scores(nil).plus(s, 1), binomial.TwoSided)
}

// normalDifference returns the two-sided normal test of the difference between the means of a and b.
// correlation is the correlation of the two means.
func normalDifference(method string, a, b []float64, correlation float64) binomial.Test {
	x, y := meansOf(a).sample(""), meansOf(b).sample("")
	t := binomial.Test{Method: method, Alternative: binomial.TwoSided, N: len(a) + len(b), P: 1}
	u, v := x.Variance/float64(max(1, x.N-1)), y.Variance/float64(max(1, y.N-1))
	if v = u + v - 2*correlation*math.Sqrt(u*v); v > 0 {
		t.P = math.Erfc(math.Abs(x.Mean-y.Mean) / math.Sqrt(2*v))
	}
	return t
}

// correlationOf returns Pearson's correlation, or 0 if one list does not vary.
func correlationOf(a, b []float64) float64 {
	n := float64(len(a))
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa += a[i] / n
		sb += b[i] / n
	}
	for i := range a {
		saa += (a[i] - sa) * (a[i] - sa)
		sbb += (b[i] - sb) * (b[i] - sb)
		sab += (a[i] - sa) * (b[i] - sb)
	}
	if !(saa > 1e-12*n && sbb > 1e-12*n) {
		return 0
	}
	return sab / math.Sqrt(saa*sbb)
}

// mover sets c's Elo difference and its interval by the method MOVER, see [Compare]. correlation is the correlation of
// the two means.
func (c *Comparison) mover(a, b means, correlation, level float64) error {
	x, err := a.interval("", level)
	y, err2 := b.interval("", level)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	x, y = binomial.EloInterval(x), binomial.EloInterval(y)
	ex, ey := binomial.Elo(a.sample("").Mean), binomial.Elo(b.sample("").Mean)
	if math.IsInf(ex, 0) || math.IsInf(ey, 0) {
		return ErrOneSided
	}
	c.Elo = ex - ey
	way := func(p, q float64) float64 {
		if math.IsInf(p, 0) || math.IsInf(q, 0) {
			return math.Inf(1)
		}
		return math.Sqrt(max(0, p*p+q*q-2*correlation*p*q))
	}
	c.Interval = binomial.NewInterval("mover"+gaffke, level, c.Elo-way(ex-x.Lo, y.Hi-ey), c.Elo+way(x.Hi-ex, ey-y.Lo))
	return nil
}

// ScoreFlip tests whether independent observations, such as openings, have contributions with the mean 0. The
// test is two-sided. The p value is the probability that the sum of the contributions with random signs is at
// least as far from 0 as the observed sum. ScoreFlip calculates it from the normal distribution with the same
// variance as the random sum. The method is named score_flip_normal. N is the number of contributions that
// are not 0.
//
// The test can show whether a group of games differs from the other games, even if an opening has games in
// both. The contribution of an opening is then the sum of (score − mean) (g − share) over its games. g is 1
// for a game of the group and 0 for other games. share is the group's share of all games. The games of an
// opening may depend on each other. The method is from Hemerik, Goeman and Finos (2020, "Robust testing in
// generalized linear models by sign flipping score contributions").
func ScoreFlip(contributions []float64) binomial.Test {
	t := binomial.Test{Method: "score_flip_normal", Alternative: binomial.TwoSided, P: 1}
	sum, squares := 0.0, 0.0
	for _, z := range contributions {
		if z != 0 {
			t.N++
		}
		sum += z
		squares += z * z
	}
	if squares > 0 {
		t.P = math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
	}
	return t
}

// GamesInterval returns Gaffke's interval ([Series.Interval]) for the mean of independent scores of games or
// pairs. The method is named game_gaffke. GamesInterval returns an error without scores, for scores outside
// [0, 1], and for a level outside (0, 1).
func GamesInterval(scores []float64, level float64) (binomial.Interval, error) {
	if len(scores) == 0 || !(slices.Min(scores) >= 0 && slices.Max(scores) <= 1) {
		return binomial.Interval{}, errors.New("no games, or scores outside 0 to 1")
	}
	return meansOf(scores).interval(unitGame+gaffke, level)
}
