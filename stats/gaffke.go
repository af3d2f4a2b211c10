package stats

import (
	"math"
	"slices"

	"gogi/stats/binomial"

	"gonum.org/v1/gonum/mathext"
)

// Interval is the interval for A's expected score, over all pairs of which these
// are a sample: [Series.Interval] where each pair has an opening of its own. Its
// method is pair_gaffke, or game_gaffke where colours were not swapped.
func (t Tally) Interval(level float64) (binomial.Interval, error) {
	unit, all, err := t.units()
	if err != nil {
		return binomial.Interval{}, err
	}
	return all.interval(unit+gaffke, level)
}

const gaffke = "_gaffke"

// Interval is the interval for A's expected score, over all openings of which
// those played are a sample, each with the mean of its pairs: Gaffke's, for
// independent scores in [0, 1] of the same mean and whatever distribution.
//
// Turning the sign-flip test about another score would not do: it takes scores
// for symmetric about their mean, and where wins are frequent they are not. Ten
// pairs of 80 % WW and 20 % WL then get intervals that miss in 11 % instead of
// 5 % (see the tests). Gaffke (2005, "Three test statistics for a nonparametric
// one-sided hypothesis on the mean of a nonnegative variable") shares the unit
// interval out to the scores at random, all divisions equally likely, with one
// more at the far end, for what was not seen: the lower end is the tail's
// quantile of the mean of the scores and a 0 so weighted, the upper that of the
// scores and a 1.
//
// For wins and losses it is [binomial.ClopperPearson]. That its coverage is at least the
// level for all scores is conjectured, and proven for wins and losses only. It
// holds in exact sums and simulations over all distributions of pair scores that
// were tried (docs/statistics.md). Its method is opening_gaffke, or as in
// [Tally.Interval] where no opening recurs. It fails without games, for a mixture
// of pairs and single games, and a level outside (0, 1).
func (s *Series) Interval(level float64) (binomial.Interval, error) {
	if !s.reused() {
		return s.tally.Interval(level)
	}
	return s.shares().interval(unitOpening+gaffke, level)
}

// Elo is the Elo difference of A's score: of all units alike, with the image of
// [Series.Interval], and its standard error to first order, 0 where units do not
// vary. Elo and ends are infinite where scores of 0 or 1 are; it fails only as
// Interval does.
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

// units are the tally's independent units, by their share of the points.
func (t Tally) units() (unit string, all means, err error) {
	switch {
	case t.Pairs() == 0:
		return "", nil, ErrNoGame
	case t.Singles == 0:
		return unitPair, t.paired.means(2 * milli), nil
	case t.Penta.Pairs() == 0:
		return unitGame, t.single.means(milli), nil
	}
	return "", nil, errMixed()
}

func (s scores) means(stake float64) means {
	var m means
	for _, c := range s {
		m = append(m, meanCount{float64(c.points) / stake, c.count})
	}
	return m
}

func (m means) interval(method string, level float64) (binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	tail := (1 - level) / 2
	return binomial.NewInterval(method, level, m.lowerEnd(tail), 1-m.mirror().lowerEnd(tail)), nil
}

// mirror is the same units from the other side.
func (m means) mirror() means {
	all := make(means, len(m))
	for i, c := range m {
		all[len(m)-1-i] = meanCount{1 - c.value, c.count}
	}
	return all
}

// lowerEnd is the tail's quantile of the randomly weighted mean of the units and
// a 0.
func (m means) lowerEnd(tail float64) float64 {
	w := m.with(0)
	if len(w) == 1 { // all are 0
		return 0
	}
	if len(w) == 2 { // the weight of one value has a beta distribution
		return w[1].value * mathext.InvRegIncBeta(float64(w[1].count), float64(w[0].count), tail)
	}
	mean, spread := w.moments()
	lo, hi := max(0, mean-farTail*spread), min(w[len(w)-1].value, mean+farTail*spread)
	return binomial.Root(lo, hi, func(t float64) float64 { return w.atMost(t) - tail })
}

// with is the units and one more.
func (m means) with(value float64) means {
	w := slices.Clone(m)
	w.take(value, 1)
	return w
}

// moments are the mean and the standard deviation of the weighted mean.
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

// farTail is how many standard deviations from its mean the weighted mean never
// is: its tails are no heavier than exponential.
const farTail = 40

// atMost is the probability that the mean of the units, each weighted by an
// independent exponential variable, is at most t: that the sum of the units less
// t, so weighted, is not positive. Equal units share a gamma weight, so that the
// sum has the characteristic function ∏ (1 - i(v-t)u)^-c, which is inverted
// (Imhof 1961; Davies 1973 for the error of the sum below).
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
	if m.units() < 30 {
		p -= m.doubleExponential(t, scale)
	} else {
		p -= m.midpoints(t, scale)
	}
	return max(0, min(1, p))
}

// outweighed is the probability that the mean is at most t, where only the first
// unit is below: that its exponential weight outweighs what the others are above
// t. There the characteristic function falls too slowly to be inverted.
func (m means) outweighed(t float64) float64 {
	p := 0.0
	for _, c := range m[1:] {
		p += float64(c.count) * math.Log((t-m[0].value)/(c.value-m[0].value))
	}
	return math.Exp(p)
}

// wave is the integrand sin θ(u) ρ(u)/π, to be divided by u, and ρ, at u = x/scale.
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

// midpoints sums at equal distances. What that misses is the probability beyond
// π over the distance, in standard deviations.
func (m means) midpoints(t, scale float64) float64 {
	const distance, most = math.Pi / 50, 50_000
	sum := 0.0
	for i := range most {
		x := (float64(i) + 0.5) * distance
		value, damping := m.wave(t, scale, x)
		sum += value / x * distance
		if damping < 1e-12*x {
			break
		}
	}
	return sum
}

// doubleExponential is for few units, where the integrand falls only as a power:
// x = exp(π/2 sinh s), with equal distances of s.
func (m means) doubleExponential(t, scale float64) float64 {
	const distance, reach = 1. / 32, 3.2
	sum := 0.0
	for s := -reach; s <= reach; s += distance {
		x := math.Exp(math.Pi / 2 * math.Sinh(s))
		value, _ := m.wave(t, scale, x)
		sum += value * math.Pi / 2 * math.Cosh(s) * distance
	}
	return sum
}
