package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"
)

// A converging is a Brownian motion that starts at 0 and stops at one of two straight bounds, which move towards each
// other. At the time t the upper bound is upper - slope*t, and the lower bound is lower + slope*t. A slope of 0 gives
// constant bounds, for which [brownian] is faster.
type converging struct{ lower, upper, slope, drift, variance float64 }

// end returns a time after which less than exp(-40) of the motions continue. The series of worse needs a few terms
// before that time, and ever more behind it. Between bounds at a distance of w, the share of the motions falls at the
// rate π²variance/(2w²) or faster. The integral of this rate up to the time T is π²variance T/(2 w (w - 2 slope T)) for
// the distance w at the beginning; at end it is 40.
func (c converging) end() float64 {
	width := c.upper - c.lower
	return 80 * width * width / (math.Pi*math.Pi*c.variance + 160*c.slope*width)
}

// worse returns the probability that the motion passes below the point (time, height): it ends at the lower bound
// before time, or has not ended at time and is below height. A height beyond a bound counts as the bound. The result is
// exact for every drift, so it does not depend on the size of the true difference.
//
// The method is Anderson's (A modification of the sequential probability ratio test to reduce the sample size, Annals
// of Mathematical Statistics 31, 1960). Without the drift, which only moves the bounds, a motion that ends at x passes
// the bounds in a given order with the probability exp(-2(pA+qB)/time). A and B are the distances of x from the upper
// and from the lower bound. The numbers p and q depend on the order, and on the distances a and b of the start from the
// bounds. The probability that the motion passes the upper bound first is an alternating sum over the orders that end
// with the upper bound. worse subtracts this sum below height, and adds the sum for the lower bound above it.
func (c converging) worse(time, height float64) float64 {
	if time = min(time, c.end()); !(time > 0) {
		return 0
	}
	height = max(c.lower+c.slope*time, min(c.upper-c.slope*time, height))
	sd := math.Sqrt(c.variance)
	a, b, drift, slope := c.upper/sd, -c.lower/sd, c.drift/sd, c.slope/sd
	end := tilt{time: time, height: height/sd - drift*time, above: a - (slope+drift)*time, below: b - (slope-drift)*time}
	sum := normalBelow(end.height / math.Sqrt(time))
	for r := 1.0; ; r++ {
		up, down := r*a+(r-1)*b, r*b+(r-1)*a
		first, second := end.low(r*up, (r-1)*up), end.low(r*(up+2*b), r*down)
		third, fourth := end.high((r-1)*down, r*down), end.high(r*up, r*(down+2*a))
		sum += second - first + third - fourth
		if !(first+second+third+fourth >= 1e-15) { // also without a number, such as after 0 variance
			return min(1, max(0, sum))
		}
	}
}

// A tilt is the end of a motion with the variance 1 and no drift. above and below are the distances of the bounds from
// 0 at that time.
type tilt struct{ time, height, above, below float64 }

// low returns the mean of exp(-2(pA+qB)/time) over the ends below height, and 0 for the other ends. high does the same
// for the ends above height. The exponent is linear in the end, so each is a normal distribution that is moved by
// 2(p-q). Its weight may be large and its probability tiny; their logarithms are added first.
func (t tilt) low(p, q float64) float64 { return t.mean(p, q, 1) }

func (t tilt) high(p, q float64) float64 { return t.mean(p, q, -1) }

func (t tilt) mean(p, q, sign float64) float64 {
	move := q - p
	weight := 2 / t.time * (move*move - p*t.above - q*t.below)
	return math.Exp(weight + logNormalBelow(sign*(t.height+2*move)/math.Sqrt(t.time)))
}

// logNormalBelow returns the logarithm of P(Z <= z) for a standard normal Z. Far below 0, where the probability itself
// would be 0, it uses the asymptotic series of Mills' ratio (Abramowitz and Stegun 26.2.12).
func logNormalBelow(z float64) float64 {
	if z > -30 {
		return math.Log(normalBelow(z))
	}
	s := 1 / (z * z)
	return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) + math.Log1p(-s+3*s*s-15*s*s*s)
}

// ended returns the probabilities that the motion ends at the upper and at the lower bound before time.
func (c converging) ended(time float64) (upper, lower float64) {
	if !(time > 0) {
		return 0, 0
	}
	return max(0, 1-c.worse(time, math.Inf(1))), max(0, c.worse(time, math.Inf(-1)))
}

// A stopping is a motion that ends at an upper or a lower bound.
type stopping interface {
	// ended returns the probabilities that the motion ends at the upper and at the lower bound before time.
	ended(time float64) (upper, lower float64)
}

// course returns the course of a test whose ratio is the motion, with a maximum of limit pairs. A pair takes one unit
// of time. The mean is the integral of the share of the running tests. course integrates in parts between the
// quantiles, because far from the hypotheses nearly all tests end within a few pairs of each other.
func course(m stopping, limit int) SPRTForecast {
	c := SPRTForecast{Method: "diffusion"}
	running := func(pairs float64) float64 {
		upper, lower := m.ended(pairs)
		return max(0, 1-upper-lower)
	}
	first := func(share float64) int {
		return sort.Search(limit, func(n int) bool { return 1-running(float64(n)) >= share })
	}
	for _, q := range c.quantiles() {
		*q.pairs = first(q.share)
	}
	last := 0.0
	for _, share := range []float64{1e-9, 1e-3, 0.1, 0.5, 0.9, 0.99, 0.9999, 1 - 1e-9} {
		next := float64(first(share))
		c.Pairs += quad.Fixed(running, last, next, 40, nil, 0)
		last = next
	}
	c.Pass, c.Fail = m.ended(last)
	c.Unfinished = max(0, 1-c.Pass-c.Fail)
	return c
}
