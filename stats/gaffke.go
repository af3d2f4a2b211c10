package stats

import (
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// Interval returns Gaffke's interval for A's expected score. The counted pairs are a sample of all possible
// pairs. The interval equals [Series.Interval] of a series in which each pair has its own opening. The method
// is named pair_gaffke, or game_gaffke if colours were not swapped.
func (t Tally) Interval(level float64) (binomial.Interval, error) {
	unit, s, stake, err := t.units()
	if err != nil {
		return binomial.Interval{}, err
	}
	return s.means(stake).interval(unit+gaffke, level)
}

const gaffke = "_gaffke"

// Interval returns Gaffke's interval for A's expected score over all openings. The played openings are a
// sample of these. The score of an opening is the mean of its pairs. The scores are independent and in [0,
// 1], with one mean and any distribution.
//
// The sign-flip test cannot give this interval, because it assumes scores that are symmetric about their
// mean. Scores are not symmetric if wins are frequent. Take ten pairs of 80 % WW and 20 % WL. An interval
// from sign flips then misses the true score in 11 % of cases instead of 5 % (see the tests).
//
// The method is from Gaffke (2005, "Three test statistics for a nonparametric one-sided hypothesis on the
// mean of a nonnegative variable"). It gives the scores random weights: a random division of 1, with all
// divisions equally likely. One more weight is for an unobserved score. For the lower end this score is 0,
// and the end is the quantile of the weighted mean at the tail's probability. For the upper end the score is
// 1.
//
// For wins and losses the interval is [binomial.ClopperPearson], whose coverage is proven to be at least the
// level. For other scores such a coverage is a conjecture. Exact sums and simulations confirm the conjecture
// for all distributions of pair scores that were tried (docs/statistics.md).
//
// The method is named opening_gaffke, or as in [Tally.Interval] if each opening was played once. Interval
// returns an error without games, for a mixture of pairs and single games, and for a level outside (0, 1).
func (s *Series) Interval(level float64) (binomial.Interval, error) {
	if !s.reused() {
		return s.tally.Interval(level)
	}
	return s.shares().interval(unitOpening+gaffke, level)
}

// Elo returns the Elo difference of A's score. All openings have the same weight. The interval is [Series.Interval],
// converted to Elo. The standard error is to first order, and 0 if all openings have the same score. For a score of 0
// or 1 the Elo is infinite, and for an end of 0 or 1 the end is infinite. Elo returns an error only if Interval does.
func (s *Series) Elo(level float64) (Estimate, error) {
	interval, err := s.Interval(level)
	if err != nil {
		return Estimate{}, err
	}
	sample, err := s.Sample()
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Elo: binomial.Elo(sample.Mean), Interval: binomial.EloInterval(interval)}
	if sample.Mean > 0 && sample.Mean < 1 {
		e.Error, err = binomial.EloError(sample.Mean, math.Sqrt(sample.Variance/float64(sample.N)))
	}
	return e, err
}

// units returns the independent observations of the tally: their kind (pair or game), their scores, and the points that
// each can give.
func (t Tally) units() (unit string, s scores, stake float64, err error) {
	switch {
	case t.Pairs() == 0:
		return "", nil, 0, ErrNoGame
	case t.Singles == 0:
		return unitPair, t.paired, 2 * milli, nil
	case t.Penta.Pairs() == 0:
		return unitGame, t.single, milli, nil
	}
	return "", nil, 0, ErrMixed
}

func (s scores) means(stake float64) means {
	return lists.Map(s, func(c scoreCount) meanCount { return meanCount{float64(c.points) / stake, c.count} })
}

func (m means) interval(method string, level float64) (binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	tail := (1 - level) / 2
	return binomial.NewInterval(method, level, m.lowerEnd(tail), 1-m.mirror().lowerEnd(tail)), nil
}

// mirror returns the same scores from the opponent's point of view.
func (m means) mirror() means {
	all := make(means, len(m))
	for i, c := range m {
		all[len(m)-1-i] = meanCount{1 - c.value, c.count}
	}
	return all
}

// lowerEnd returns the lower end of the interval. It gives random weights to the scores and to one more score of 0. The
// end is the quantile of the weighted mean at the probability tail.
func (m means) lowerEnd(tail float64) float64 {
	w := slices.Clone(m)
	w.take(0, 1)
	if len(w) == 1 { // all are 0
		return 0
	}
	if len(w) == 2 { // the weight of one value has a beta distribution
		return w[1].value * binomial.BetaQuantile(float64(w[1].count), float64(w[0].count), tail)
	}
	mean, spread := w.moments()
	lo, hi := max(0, mean-farTail*spread), min(w[len(w)-1].value, mean+farTail*spread)
	return binomial.Root(lo, hi, func(t float64) float64 { return w.atMost(t) - tail })
}

// moments returns the mean and the standard deviation of the randomly weighted mean.
func (m means) moments() (mean, spread float64) {
	n := float64(m.units())
	for _, c := range m {
		mean += float64(c.count) / n * c.value
	}
	for _, c := range m {
		spread += float64(c.count) / n * (c.value - mean) * (c.value - mean)
	}
	return mean, math.Sqrt(spread / (n + 1))
}

// farTail is a number of standard deviations that is beyond all relevant quantiles of the weighted mean. The
// tails of the weighted mean are at most exponential.
const farTail = 40

// atMost returns the probability that the weighted mean of the scores is at most t. The weights are independent and
// exponential. The result is the probability that the weighted sum of (score - t) is at most 0. Equal scores share a
// gamma weight, so the sum has the characteristic function ∏ (1 - i(v-t)u)^-c. atMost inverts this function (Imhof
// 1961; Davies 1973 for the error of the sum below).
func (m means) atMost(t float64) float64 {
	if m[0].count == 1 && t > m[0].value && t <= m[1].value {
		return m.outweighed(t)
	}
	if last := len(m) - 1; m[last].count == 1 && t < m[last].value && t >= m[last-1].value {
		return 1 - m.mirror().outweighed(1-t)
	}
	drift, variance := 0.0, 0.0
	for _, c := range m {
		drift += float64(c.count) * (c.value - t)
		variance += float64(c.count) * (c.value - t) * (c.value - t)
	}
	scale := math.Sqrt(variance)
	if z := drift / scale; math.Abs(z) > farTail/2 {
		return (1 - math.Copysign(1, z)) / 2
	}
	p := 0.5
	const last = mostMidpoints * midpointDistance
	switch _, damping := m.wave(t, scale, last); {
	case m.units() < 30:
		p -= m.doubleExponential(t, scale, 1./32)
	case damping >= 1e-12*last: // few of many scores decide, and the integrand falls slowly
		p -= m.doubleExponential(t, scale, 1./128)
	default:
		p -= m.midpoints(t, scale)
	}
	return max(0, min(1, p))
}

// outweighed returns the probability that the weighted mean is at most t, if only the first score is below t. The
// exponential weight of the first score must then outweigh all other scores. In this case the characteristic function
// falls too slowly for a numerical inversion.
func (m means) outweighed(t float64) float64 {
	p := lists.Sum(m[1:], func(c meanCount) float64 {
		return float64(c.count) * math.Log((t-m[0].value)/(c.value-m[0].value))
	})
	return math.Exp(p)
}

// wave returns two values of the inversion integral in atMost, at u = x/scale: the integrand sin θ(u) ρ(u)/π without
// the division by u, and ρ, the absolute value of the characteristic function.
func (m means) wave(t, scale, x float64) (value, damping float64) {
	angle, decay := 0.0, 0.0
	for _, c := range m {
		y, n := (c.value-t)*x/scale, float64(c.count)
		angle += n * math.Atan(y)
		decay += n / 2 * math.Log1p(y*y)
	}
	damping = math.Exp(-decay)
	return math.Sin(angle) * damping / math.Pi, damping
}

// midpointDistance is the distance of the points of midpoints, and mostMidpoints the largest number of points.
const midpointDistance, mostMidpoints = math.Pi / 50, 50_000

// midpoints returns the inversion integral of atMost, as a sum at equal distances. The error is the probability beyond
// π/distance standard deviations.
func (m means) midpoints(t, scale float64) float64 {
	sum := 0.0
	for i := range mostMidpoints {
		x := (float64(i) + 0.5) * midpointDistance
		value, damping := m.wave(t, scale, x)
		sum += value / x * midpointDistance
		if damping < 1e-12*x {
			break
		}
	}
	return sum
}

// doubleExponential returns the inversion integral of atMost if few scores decide, so that the integrand falls only as
// a power. It substitutes x = exp(π/2 sinh s), and sums at equal distances of s.
func (m means) doubleExponential(t, scale, distance float64) float64 {
	const reach = 3.2
	sum := 0.0
	for s := -reach; s <= reach; s += distance {
		x := math.Exp(math.Pi / 2 * math.Sinh(s))
		value, _ := m.wave(t, scale, x)
		sum += value * math.Pi / 2 * math.Cosh(s) * distance
	}
	return sum
}
