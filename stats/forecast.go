package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// An SPRTForecast is the expected course of a sequential test: the probabilities of its decisions, and the
// number of pairs that it takes.
type SPRTForecast struct {
	Method string  `json:"method"` // walk or diffusion.
	Pass   float64 `json:"pass"`
	Fail   float64 `json:"fail"`
	// probability that the test makes no decision within the maximum number of pairs
	Unfinished float64 `json:"unfinished"`
	Pairs      float64 `json:"pairs"` // expected number of pairs
	// Median, P90, P95 and P99 are the numbers of pairs within which 50 %, 90 %, 95 % and 99 % of the tests end.
	Median int `json:"median"`
	P90    int `json:"p90"`
	P95    int `json:"p95"`
	P99    int `json:"p99"`
}

// walkPlaces is the number of places into which a walk divides the range between the bounds.
const walkPlaces = 1600

// longWalk is the largest range between the bounds that Forecast walks, in standard deviations or means of a step.
const longWalk = 60

// maxCourse is the largest number of pairs that a forecast calculates. A test of 0 against 0.0001 Elo takes fewer.
const maxCourse = 1e15

// Forecast returns the expected course of the test if the pairs have these rates, and each pair has its own
// opening. limit is the maximum number of pairs; 0 or less means no maximum. Forecast calculates the
// distribution of the log likelihood ratio after each pair (method walk).
//
// Forecast assumes that each pair changes the ratio by a step that depends only on the pair's score. It
// calculates the steps from the most likely distributions under the two hypotheses, given the true rates. The
// real test must estimate these distributions, and ends about three pairs sooner. Because the steps keep
// their size, the result includes the overshoot over the bounds. If the test takes thousands of pairs,
// Forecast uses a diffusion instead of steps. It then moves the bounds outwards by the mean overshoot, which
// is 0.583 standard deviations of a step (Siegmund 1985; method diffusion).
//
// Forecast returns an error for an impossible design and for impossible rates.
func (s SPRT) Forecast(rates PairRates, limit int) (SPRTForecast, error) {
	if err := s.Check(); err != nil {
		return SPRTForecast{}, err
	}
	steps, err := s.ratioSteps(rates)
	if err != nil {
		return SPRTForecast{}, err
	}
	if limit <= 0 || limit > maxCourse {
		limit = maxCourse
	}
	lower, upper := s.Bounds()
	w := ratioWalk{test: s, steps: steps, lower: lower, upper: upper}
	w.mean, w.spread = steps.moments()
	if upper-lower <= longWalk*max(w.spread, math.Abs(w.mean)) {
		return w.run(walkPlaces, limit), nil
	}
	return w.diffusion(limit), nil
}

// A ratioSteps is the distribution of the change of the ratio in one pair.
type ratioSteps struct {
	sizes, probs []float64
	information  func(pairs float64) float64 // of the test after this number of pairs
	// gains has for each step the change of the information after this number of pairs if one of them is this step and not
	// an average one.
	gains func(pairs float64) []float64
}

func (s SPRT) ratioSteps(rates PairRates) (ratioSteps, error) {
	d := distribution{n: 1, games: 2, seen: 1}
	sum := 0.0
	for i, p := range rates {
		if !(p >= 0) {
			return ratioSteps{}, fmt.Errorf("a probability of %v is none", p)
		}
		sum += p
		d.values = append(d.values, float64(i)/4)
		d.probs = append(d.probs, max(p, 1e-9))
	}
	if math.Abs(sum-1) > 1e-9 {
		return ratioSteps{}, fmt.Errorf("the probabilities of pairs sum to %v", sum)
	}
	if s.Model == ModelBayesElo {
		return ratioSteps{}, errors.New("BayesElo needs the draw rate, which pairs do not tell")
	}
	h := s.hypotheses(d, Pentanomial{})
	p0, p1, ok := d.fits(h)
	if !ok {
		return ratioSteps{}, errors.New("pairs of these rates admit no distribution with the rating of a hypothesis")
	}
	steps := ratioSteps{probs: rates[:]}
	for i := range p0 {
		steps.sizes = append(steps.sizes, math.Log(p1[i]/p0[i]))
	}
	mean, variance := rates.moments()
	steps.information = func(pairs float64) float64 { return h.information(pairs, mean, variance) }
	steps.gains = func(pairs float64) (gains []float64) {
		for i := range rates {
			other := rates
			for j := range other {
				other[j] *= 1 - 1/pairs
			}
			other[i] += 1 / pairs
			mean, variance := other.moments()
			gains = append(gains, h.information(pairs, mean, variance)-steps.information(pairs))
		}
		return gains
	}
	if !(variance > 0) {
		return ratioSteps{}, errors.New("every pair scores the same: no test takes its course")
	}
	return steps, nil
}

func (s ratioSteps) moments() (mean, spread float64) {
	mean, variance := moments(s.sizes, s.probs)
	return mean, math.Sqrt(variance)
}

// towards returns the variance per pair of the distance between the ratio and the bound that it drifts to, if the
// bounds are those of [BoundaryBounded]. The test estimates the information from the results, so this bound moves with
// them. Far from the hypotheses that is most of the variance.
func (s ratioSteps) towards(drift, pairs float64) float64 {
	distances := slices.Clone(s.sizes)
	for i, gain := range s.gains(pairs) {
		distances[i] += math.Copysign(tightening, drift) * gain
	}
	_, variance := moments(distances, s.probs)
	return variance
}

// A ratioWalk is the distribution of the ratio between its bounds, after some number of pairs. The range
// between the bounds is divided into places with equal distances.
type ratioWalk struct {
	test         SPRT
	steps        ratioSteps
	mean, spread float64 // mean and standard deviation of a pair's step.
	lower, upper float64 // the lowest and the highest place: the outermost bounds
}

// diffusion returns the course if the ratio is a Brownian motion.
func (w ratioWalk) diffusion(limit int) SPRTForecast {
	shift := 0.583 * w.spread
	lower, upper, variance := w.lower-shift, w.upper+shift, w.spread*w.spread
	if w.test.Boundary == BoundaryBounded {
		return w.bounded(converging{lower: lower, upper: upper, drift: w.mean, variance: variance}, limit)
	}
	return course(brownian{lower, upper, w.mean, variance}, limit)
}

// bounded returns the course of a motion between bounds that come together. The information of a pair falls with the
// number of pairs, because the test adds two scores to those that it counts (see [SPRT.information]). The slope of the
// bounds is that at the mean length, which needs a few rounds. The variance of the motion includes that of the bound
// that it drifts to.
func (w ratioWalk) bounded(c converging, limit int) (f SPRTForecast) {
	pairs := 1e9
	for range 4 {
		c.slope = tightening * w.steps.information(pairs) / pairs
		c.variance = w.steps.towards(w.mean, pairs)
		f = course(c, int(min(float64(limit), math.Ceil(c.end()))))
		pairs = max(1, f.Pairs)
	}
	return f
}

// A kernel is a part of a step: the probabilities of two neighbouring distances, measured in places.
type kernel struct {
	offset  int // the first distance
	weights [2]float64
}

// kernels divides each step among the two places around its end, so that the mean stays the same and no probability is
// below 0. The variance grows by at most a quarter of a square place, which is 0.04% of the variance of the longest
// walk. distance is the distance between two places, and width the distance between the two bounds. kernels shortens a
// longer step to width, because such a step passes a bound from every place. reach is the largest number of places
// that a step can move.
func (s ratioSteps) kernels(distance, width float64) (all []kernel, reach int) {
	for i, p := range s.probs {
		size := max(-width, min(width, s.sizes[i])) / distance
		at := math.Floor(size)
		f := size - at
		all = append(all, kernel{int(at), [2]float64{p * (1 - f), p * f}})
		reach = max(reach, int(math.Abs(at))+1)
	}
	return all, reach
}

// add adds the probabilities after a step of the kernel to next. now has the probability of each place before the
// step. lo and hi are the first and the last place with a probability above 0 before the step.
func (k kernel) add(next, now []float64, lo, hi int) {
	to := next[lo+k.offset : hi+k.offset+2]
	first, second := now[lo:hi+2], now[lo-1:hi+1]
	for i := range to {
		to[i] += k.weights[0]*first[i] + k.weights[1]*second[i]
	}
}

// run returns the course of the walk, whose range is divided into this number of places.
func (w ratioWalk) run(places, limit int) SPRTForecast {
	distance := (w.upper - w.lower) / float64(places)
	kernels, reach := w.steps.kernels(distance, w.upper-w.lower)
	zero := int(math.Round(-w.lower/distance)) + reach + 2
	now, next := make([]float64, places+2*reach+5), make([]float64, places+2*reach+5)
	now[zero] = 1
	at := func(place int) float64 { return float64(place-zero) * distance }
	c := SPRTForecast{Method: "walk"}
	lo, hi := zero, zero
	left, before := 1.0, tail{left: 1}
	for step := 1; left > 1e-9; step++ {
		clear(next)
		for _, k := range kernels {
			k.add(next, now, lo, hi)
		}
		now, next = next, now
		n := float64(step)
		lower, upper := w.test.BoundsAt(w.steps.information(n))
		pass, fail := 0.0, 0.0
		for lo, hi = lo-reach, hi+reach; hi >= lo && at(hi) >= upper-distance/2; hi-- {
			pass += now[hi]
			now[hi] = 0
		}
		for ; lo <= hi && at(lo) <= lower+distance/2; lo++ {
			fail += now[lo]
			now[lo] = 0
		}
		left -= pass + fail
		c.Pass, c.Fail, c.Pairs = c.Pass+pass, c.Fail+fail, c.Pairs+n*(pass+fail)
		c.mark(1-left, n)
		if n >= float64(limit) {
			break
		}
		if left > 1e-3 {
			before = tail{c, n, left}
		} else if left > 1e-9 && left < 1e-4 && w.test.Boundary != BoundaryBounded {
			left = c.finish(before, tail{c, n, left}, float64(limit))
			break
		}
	}
	c.Unfinished = max(0, left)
	if left > 1e-9 {
		c.Pairs += float64(limit) * left
		c.mark(1, float64(limit))
	}
	return c
}

// A tail is the state of a forecast after n pairs. left is the share of the tests that still run. The embedded
// SPRTForecast describes the tests that have ended.
type tail struct {
	SPRTForecast
	n, left float64
}

// finish adds to c the tests that end after now.n pairs and at most limit pairs. If the bounds are constant, the
// share of the tests that still run finally falls exponentially. finish calculates the rate of this fall from two
// states of the forecast: before, which is the earlier one, and now. It returns the share of the tests that still run
// after limit pairs.
func (c *SPRTForecast) finish(before, now tail, limit float64) float64 {
	rate := math.Log(before.left/now.left) / (now.n - before.n)
	running := now.left * math.Exp(-rate*(limit-now.n))
	ended := now.left - running
	passing := min(1, max(0, (now.Pass-before.Pass)/(before.left-now.left))) // a rounding error may be all that fails
	c.Pass += ended * passing
	c.Fail += ended * (1 - passing)
	c.Pairs += ended*(now.n+1/rate) - running*(limit-now.n)
	return running
}

// mark sets those quantiles of c that the forecast first reaches at n pairs. ended is the share of the tests that end
// within n pairs.
func (c *SPRTForecast) mark(ended, n float64) {
	for _, q := range c.quantiles() {
		if *q.pairs == 0 && ended >= q.share {
			*q.pairs = int(math.Ceil(n))
		}
	}
}

// A forecastQuantile is the number of pairs within which a share of the tests ends.
type forecastQuantile struct {
	share float64
	pairs *int
}

func (c *SPRTForecast) quantiles() []forecastQuantile {
	return []forecastQuantile{{0.5, &c.Median}, {0.9, &c.P90}, {0.95, &c.P95}, {0.99, &c.P99}}
}
