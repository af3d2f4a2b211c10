package stats

import (
	"errors"
	"fmt"
	"math"
)

// An SPRTForecast is the expected course of a sequential test, in pairs.
type SPRTForecast struct {
	Method     string  `json:"method"` // walk or diffusion.
	Pass       float64 `json:"pass"`
	Fail       float64 `json:"fail"`
	Unfinished float64 `json:"unfinished"` // probability that the test makes no decision within the maximum number of pairs
	Pairs      float64 `json:"pairs"`      // expected number of pairs
	// Median, P90, P95 and P99 are the numbers of pairs within which 50 %, 90 %, 95 % and 99 % of the tests end.
	Median int `json:"median"`
	P90    int `json:"p90"`
	P95    int `json:"p95"`
	P99    int `json:"p99"`
}

// The numbers of places into which the range between the bounds is divided.
const (
	walkPlaces      = 1600
	diffusionPlaces = 200
)

// maxCourse is the largest number of pairs that a forecast calculates.
const maxCourse = 100_000_000

// Forecast returns the expected course of the test if the pairs have these rates, and each pair has its own
// opening. limit is the maximum number of pairs; 0 or less means no maximum. Forecast calculates the
// distribution of the ratio after each pair.
//
// The step of the ratio in one pair is calculated from the most likely distributions under the two
// hypotheses, given the true rates. The test itself must estimate these distributions, and ends about three
// pairs sooner. The result includes the overshoot over the bounds, because the steps keep their size (method
// walk). If the test takes thousands of pairs, Forecast uses a diffusion instead. It then moves the bounds
// outwards by the mean overshoot, which is 0.583 standard deviations of a step (Siegmund 1985; method
// diffusion).
//
// Forecast returns an error for an impossible design, for impossible rates, and for tests that are too long.
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
	w := ratioWalk{test: s, steps: steps, lower: lower, upper: upper, pairs: 1}
	w.mean, w.spread = steps.moments()
	if (upper-lower)/w.spread <= 60 {
		return w.run("walk", walkPlaces, limit)
	}
	return w.diffusion().run("diffusion", diffusionPlaces, limit)
}

// A ratioSteps is the distribution of the change of the ratio in one pair.
type ratioSteps struct {
	sizes, probs []float64
	information  float64 // information of one pair
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
	_, variance := rates.moments()
	steps.information = (h.h1 - h.h0) * (h.h1 - h.h0)
	if !h.tValue {
		steps.information /= variance
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

// A ratioWalk is the distribution of the ratio between its bounds, after some number of pairs. The range
// between the bounds is divided into places with equal distances.
type ratioWalk struct {
	test         SPRT
	steps        ratioSteps
	mean, spread float64 // mean and standard deviation of a pair's step.
	lower, upper float64 // the lowest and the highest place: the outermost bounds
	shift        float64 // outward shift of the bounds
	pairs        float64 // pairs per step. It is below 1 in a diffusion.
}

// diffusion returns a walk with such small steps that each step leads to the same or a neighbouring place.
func (w ratioWalk) diffusion() ratioWalk {
	const ratio = 0.75
	w.shift = 0.583 * w.spread
	w.lower, w.upper = w.lower-w.shift, w.upper+w.shift
	distance := (w.upper - w.lower) / diffusionPlaces
	w.pairs = (ratio * distance / w.spread) * (ratio * distance / w.spread)
	drift := w.mean * w.pairs / distance
	square := ratio*ratio + drift*drift
	w.steps.sizes = []float64{-distance, 0, distance}
	w.steps.probs = []float64{(square - drift) / 2, 1 - square, (square + drift) / 2}
	return w
}

// A tap is a part of a step: a distance in places, with its probability.
type tap struct {
	offset int // distance in places
	weight float64
}

// taps divides each step among the three places around its end, so that mean and variance stay the same. It
// shortens steps that are longer than width. Such steps pass the bounds in any case.
func (s ratioSteps) taps(distance, width float64) []tap {
	var all []tap
	for i, p := range s.probs {
		size := max(-width, min(width, s.sizes[i])) / distance
		at := math.Round(size)
		f := size - at
		for offset, weight := range []float64{f * (f - 1) / 2, 1 - f*f, f * (f + 1) / 2} {
			if weight*p != 0 {
				all = append(all, tap{int(at) + offset - 1, p * weight})
			}
		}
	}
	return all
}

func (w ratioWalk) run(method string, places, limit int) (SPRTForecast, error) {
	distance := (w.upper - w.lower) / float64(places)
	taps, reach := w.steps.taps(distance, w.upper-w.lower), 0
	for _, t := range taps {
		reach = max(reach, t.offset, -t.offset)
	}
	zero := int(math.Round(-w.lower/distance)) + reach
	now, next := make([]float64, places+2*reach+1), make([]float64, places+2*reach+1)
	now[zero] = 1
	at := func(place int) float64 { return float64(place-zero) * distance }
	c := SPRTForecast{Method: method}
	lo, hi := zero, zero
	left := 1.0
	for step := 1; left > 1e-9; step++ {
		clear(next)
		for _, t := range taps {
			for i := lo; i <= hi; i++ {
				next[i+t.offset] += t.weight * now[i]
			}
		}
		now, next = next, now
		n := float64(step) * w.pairs
		lower, upper := w.test.BoundsAt(n * w.steps.information)
		lower, upper = lower-w.shift, upper+w.shift
		out := 0.0
		for lo, hi = lo-reach, hi+reach; hi >= lo && at(hi) >= upper-distance/2; hi-- {
			c.Pass += now[hi]
			out += now[hi]
		}
		for ; lo <= hi && at(lo) <= lower+distance/2; lo++ {
			c.Fail += now[lo]
			out += now[lo]
		}
		left -= out
		c.Pairs += n * out
		c.mark(1-left, n)
		if n >= float64(limit) {
			break
		}
		if n > maxCourse {
			return SPRTForecast{}, errors.New("the test takes too many pairs to plan")
		}
	}
	c.Unfinished = max(0, left)
	if left > 1e-9 {
		c.Pairs += float64(limit) * left
		c.mark(1, float64(limit))
	}
	return c, nil
}

// mark sets the quantiles of c that are reached if the share ended of the tests ends within n pairs.
func (c *SPRTForecast) mark(ended, n float64) {
	for _, q := range []struct {
		share float64
		pairs *int
	}{{0.5, &c.Median}, {0.9, &c.P90}, {0.95, &c.P95}, {0.99, &c.P99}} {
		if *q.pairs == 0 && ended >= q.share {
			*q.pairs = int(math.Ceil(n))
		}
	}
}
