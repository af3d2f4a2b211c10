package stats

import (
	"errors"
	"math"

	"gogi/stats/binomial"
)

// A StoppedElo is the Elo difference that is estimated after a sequential test, corrected for early stopping.
type StoppedElo struct {
	Elo      float64           `json:"elo"`      // median-unbiased
	Interval binomial.Interval `json:"interval"` // in Elo. Its method is sprt_median_unbiased.
}

// Elo returns the median-unbiased Elo difference at the stop of a sequential test (or at its current state),
// with its interval. The raw score of a stopped test is biased towards the extremes. The estimate is the
// rating difference at which a worse outcome has the probability ½. Outcomes from worst to best are: a fast
// fail, a slow fail, a slow pass, a fast pass. The ends of the interval are the rating differences at which a
// worse outcome has the probabilities of the tails. As in fishtest's SPRT_elo, the ratio is modelled as a
// Brownian motion, which is accurate for small differences. An end beyond ±1000 Elo, the limit of fishtest's
// search, is infinite.
//
// Elo returns an error if [SPRT.LLR] does, without games, for a level outside (0, 1), and if both hypotheses
// have the same score.
func (s SPRT) Elo(o Outcomes, level float64) (StoppedElo, error) {
	if err := errors.Join(s.Check(), o.check(), binomial.CheckOpen("confidence level", level)); err != nil {
		return StoppedElo{}, err
	}
	return s.stoppedElo(newDistribution(o), o, level)
}

// stoppedElo returns the estimate for the distribution d of the outcomes o.
func (s SPRT) stoppedElo(d distribution, o Outcomes, level float64) (StoppedElo, error) {
	if d.seen == 0 {
		return StoppedElo{}, errors.New("no games to judge by")
	}
	stop, ok := s.newStop(d, o)
	if !ok {
		return StoppedElo{}, errors.New("the hypotheses promise scores that cannot be told apart")
	}
	tail := (1 - level) / 2
	return StoppedElo{
		Elo:      stop.rating(0.5),
		Interval: binomial.NewInterval("sprt_median_unbiased", level, stop.rating(1-tail), stop.rating(tail)),
	}, nil
}

// A stop is the point where a test stopped, or its current point. time is the number of observations, and height is the
// log likelihood ratio.
type stop struct {
	lower, upper float64 // bounds before the first observation
	slope        float64 // movement of each bound towards the other one, per observation
	time, height float64
	s0, s1       float64 // scores under the hypotheses
	variance     float64 // observed variance of a unit's score.
	scale        float64 // factor of the ratio, so that it is that of the test
}

// newStop returns the stop of a test. If the ratio is beyond a bound, newStop sets it to the point where a straight
// line to it passes the bound. It returns false if both hypotheses have the same score.
//
// Far from the hypotheses, the approximation of the ratio by its drift is too large: at 19% of the points against 0 and
// 5 Elo it is -9 where the ratio is -3.5. With BoundaryBounded, newStop scales it to the ratio of the test. With
// constant bounds it does not, because fishtest does not, and reports of stored runs must not change. Their intervals
// are then too wide (docs/research/statistics.md).
func (s SPRT) newStop(d distribution, o Outcomes) (stop, bool) {
	mean, variance := moments(d.values, d.probs)
	p := stop{time: d.n, variance: variance, scale: 1}
	p.lower, p.upper = s.Bounds()
	p.s0, p.s1 = s.scores(o)
	if s.Boundary == BoundaryBounded {
		p.slope = tightening * s.information(d, o) / d.n
		p.scale = p.scaleTo(s, d, o, mean)
	}
	drift, _ := p.motion(mean)
	for _, passed := range []float64{p.upper / (drift + p.slope), p.lower / (drift - p.slope)} {
		if passed > 0 { // the line leads to this bound
			p.time = min(p.time, passed)
		}
	}
	p.height = drift * p.time
	return p, p.s0 < p.s1
}

// scaleTo returns the ratio of the test, divided by its approximation. mean is the mean score of the distribution. Near
// the hypotheses both may be 0; scaleTo returns 1 there, because the approximation is good.
func (p stop) scaleTo(s SPRT, d distribution, o Outcomes, mean float64) float64 {
	drift, _ := p.motion(mean)
	llr, err := s.llr(d, o)
	if scale := llr / (drift * d.n); err == nil && math.Abs(mean-(p.s0+p.s1)/2) > p.s1-p.s0 && scale > 0 {
		return scale
	}
	return 1
}

// motion returns the drift and the variance of the log likelihood ratio per observation, for an expected score (van den
// Bergh, GSPRT approximation).
func (p stop) motion(score float64) (drift, variance float64) {
	step := p.scale * (p.s1 - p.s0) // ratio of a point, times the variance
	return (score - (p.s0+p.s1)/2) * step / p.variance, step * step / p.variance
}

// rating returns the Elo difference at which the probability of a worse outcome than this stop is probability. It
// returns -Inf or +Inf if the difference is beyond ±maxElo.
func (p stop) rating(probability float64) float64 {
	excess := func(elo float64) float64 { return probability - p.worse(elo) }
	switch {
	case excess(-maxElo) > 0:
		return math.Inf(-1)
	case excess(maxElo) < 0:
		return math.Inf(1)
	}
	return binomial.Root(-maxElo, maxElo, excess)
}

// worse returns the probability of a worse outcome than this stop, if the true difference is elo. The probability falls
// with elo.
func (p stop) worse(elo float64) float64 {
	drift, variance := p.motion(binomial.Expected(elo))
	if p.slope > 0 {
		return converging{p.lower, p.upper, p.slope, drift, variance}.worse(p.time, p.height)
	}
	b := brownian{p.lower, p.upper, drift, variance}
	return min(1, max(0, b.worse(p.time, p.height)))
}
