package stats

import (
	"math"
	"slices"
)

// withT returns the most likely distribution whose mean is t standard deviations above ½. It exists for every t if the
// outcomes include ½ and scores above and below it.
//
// With the scores u - ½, write m for the mean and c for t²/(1+t²). The condition is that E[c u²] - m² is 0, and that m
// has the sign of t. The likelihood is stationary under it if two conditions hold (van den Bergh, Normalized Elo
// practical, section 4.1, in another form). First, the distribution is the most likely one under which a(u) = c u² - 2
// m u + m² has the mean 0. Second, its mean is m. So one unknown remains, m.
//
// There can be several stationary distributions. Their number depends on the t of the observations. All distributions
// with a smaller t than a positive t form a convex set, so if the observations have a larger t, the distribution is
// unique. Otherwise withT proves that the distribution that it finds first is the most likely, or compares all.
func (d distribution) withT(t float64) ([]float64, bool) {
	if math.Abs(t) <= leastT {
		return d.withSmallT(t)
	}
	s := newTSearch(d, t)
	switch mean, above := s.observed(); {
	case s.near() && s.isMostLikely():
	case mean > 0 && above >= 0:
		reach := math.Sqrt(above)
		s.narrow(max(mean-reach, math.SmallestNonzeroFloat64), mean+reach)
	default:
		s.best()
	}
	return s.probs, true
}

// leastT is the smallest t of a tSearch: 0.001 normalised Elo. With a smaller one, the terms of a differ too much in
// size for a floating-point number.
const leastT = 2e-6

// withSmallT does the same as withT for a t near 0. To first order in t, the distribution is the most likely one with
// the mean ½ + tσ. The error of the log likelihood of an observation is of the order t².
func (d distribution) withSmallT(t float64) ([]float64, bool) {
	probs, ok := d.withMean(0.5)
	for range 3 { // the change of σ is of the order t, too
		_, variance := moments(d.values, probs)
		probs, ok = d.withMean(0.5 + t*math.Sqrt(variance))
	}
	return probs, ok
}

// A tSearch is a search for the distribution of withT. For a negative t it exchanges the players, so that its t is
// positive.
type tSearch struct {
	distribution
	t, c  float64
	u     []float64 // score minus ½, of the player for whom t is positive
	a     []float64 // room for the function a of withT
	probs []float64 // the most likely distribution under which a has the mean 0
	x     float64   // the factor of [distribution.balance]
}

func newTSearch(d distribution, t float64) *tSearch {
	n := len(d.values)
	room := make([]float64, 3*n)
	s := &tSearch{distribution: d, t: math.Abs(t), c: t * t / (1 + t*t), u: room[:n], a: room[n : 2*n], probs: room[2*n:]}
	for i, v := range d.values {
		s.u[i] = math.Copysign(v-0.5, (v-0.5)*t)
	}
	return s
}

// observed returns the mean of the observations, and their m² - E[c u²]: it is positive if their t is above t, or below
// -t.
func (s *tSearch) observed() (mean, above float64) {
	square := 0.0
	for i, u := range s.u {
		mean += s.distribution.probs[i] * u
		square += s.distribution.probs[i] * u * u
	}
	return mean, mean*mean - s.c*square
}

// try sets probs for m, and returns their mean minus m. It returns false if a has no negative value but a rounding
// error. A stationary distribution has none so near to 0.
func (s *tSearch) try(m float64) (excess float64, ok bool) {
	least, most := math.Inf(1), 0.0
	for i, u := range s.u {
		s.a[i] = s.c*u*u - 2*m*u + m*m
		least, most = min(least, s.a[i]), max(most, s.a[i])
	}
	if !(least < -1e-9*most) {
		return 0, false
	}
	s.x, _ = s.balance(s.a, s.probs)
	for i, u := range s.u {
		excess += s.probs[i] * (u - m)
	}
	return excess, true
}

// near searches a stationary distribution by the secant method, from the standard deviation of the observations. It
// returns false if it finds none.
func (s *tSearch) near() bool {
	const rounds = 15
	_, variance := moments(s.u, s.distribution.probs)
	m := s.t * math.Sqrt(variance)
	excess, ok := s.try(m)
	step := excess
	for range rounds {
		if !ok || !(m+step > 0) {
			return false
		}
		if math.Abs(step) <= 1e-11*m {
			return true
		}
		m += step
		before := excess
		excess, ok = s.try(m)
		step *= excess / (before - excess)
	}
	return false
}

// isMostLikely reports whether probs are proved to be the most likely distribution. Its condition is sufficient, but
// not necessary.
//
// Proof. probs are p, the observations are p w with w = 1 + x a, and another distribution with the same t is q, with
// the mean m + δ. The log likelihood of q is smaller than the one of p by the mean D of w (r - 1 - log r) under p, with
// r = q/p, minus x δ². For x ≤ 0 that is no less than 0. For x > 0, δ is t times the difference of the standard
// deviations. For t < 1 that difference is at most Q/(σ (1-t²)), where Q is the difference of the means of b = (u-m)² -
// k under q and p, with any constant k. By Cauchy's inequality and r - 1 - log r ≥ (r-1)²/(2 max(1, r)), Q² is at most
// 2 D times the sum of max(p, q) b²/w. So x δ² is at most D under the last condition of isMostLikely.
func (s *tSearch) isMostLikely() bool {
	rest := 1 - s.t*s.t
	if s.x <= 0 || rest <= 0 {
		return s.x <= 0
	}
	m, variance := moments(s.u, s.probs)
	k := 0.0
	for _, u := range s.u {
		k = max(k, (u-m)*(u-m)/2)
	}
	sum, most := 0.0, 0.0
	for i, u := range s.u {
		b := (u-m)*(u-m) - k
		part := b * b * s.probs[i] / s.distribution.probs[i]
		sum += s.probs[i] * part
		most = max(most, part)
	}
	return 2*s.x*s.t*s.t*(sum+most) <= variance*rest*rest
}

// best sets probs to the most likely of all stationary distributions, for observations with a smaller t. As a function
// of m the likelihood of the distribution under which a has the mean 0 rises where the mean exceeds m, and falls where
// m exceeds the mean. So a maximum is between two values of m of which the first has a positive excess and the second a
// negative one.
func (s *tSearch) best() {
	found, highest := make([]float64, len(s.probs)), math.Inf(-1)
	var before, last sample // the two samples before m
	for _, m := range s.samples() {
		next := sample{m: m}
		next.excess, next.ok = s.try(m)
		lo, hi := last, next
		if last.excess*next.excess > 0 && before.excess*last.excess > 0 {
			lo, hi = s.turn(before, last, next)
		}
		if lo.ok && hi.ok && lo.excess > 0 && hi.excess <= 0 {
			s.narrow(lo.m, hi.m)
			if l := s.likelihood(); l > highest {
				highest = l
				copy(found, s.probs)
			}
		}
		before, last = last, next
	}
	copy(s.probs, found)
}

// A sample is the excess of the mean over one m. ok is false if the excess is unknown, because a has no negative value.
type sample struct {
	m, excess float64
	ok        bool
}

// turn searches two maxima or minima of the likelihood between samples whose excesses have the same sign: if the excess
// of the middle one is the nearest to 0, the excess may have the other sign near it. turn returns the ends of a range
// whose likelihood has a maximum, or two samples of one sign.
func (s *tSearch) turn(from, middle, to sample) (lo, hi sample) {
	const golden, rounds = 0.381966, 30
	sign := math.Copysign(1, middle.excess)
	start, end := from, to
	for range rounds {
		if !(sign*middle.excess < sign*from.excess && sign*middle.excess < sign*to.excess) {
			break
		}
		next := sample{m: middle.m + golden*(to.m-middle.m)}
		left := middle.m-from.m > to.m-middle.m
		if left {
			next.m = middle.m - golden*(middle.m-from.m)
		}
		next.excess, next.ok = s.try(next.m)
		switch nearer := sign*next.excess < sign*middle.excess; {
		case !next.ok:
			return from, to
		case sign*next.excess <= 0 && sign > 0:
			return start, next
		case sign*next.excess <= 0:
			return next, end
		case nearer && left:
			middle, to = next, middle
		case nearer:
			from, middle = middle, next
		case left:
			from = next
		default:
			to = next
		}
	}
	return from, to
}

// likelihood returns the mean log likelihood of the observations under probs.
func (s *tSearch) likelihood() float64 {
	sum := 0.0
	for i, p := range s.probs {
		sum += s.distribution.probs[i] * math.Log(p)
	}
	return sum
}

// samples returns the values of m at which best compares m with the mean, in ascending order. If almost all
// observations have the same score, the likelihood bends sharply at the means of the distributions with only two
// scores. The width of a bend is proportional to the smallest probability, so between two bends the samples become
// denser towards both ends.
func (s *tSearch) samples() (list []float64) {
	bends := s.bends()
	slices.Sort(bends)
	sharpness := -math.Log(slices.Min(s.distribution.probs))
	for i, from := range bends[:len(bends)-1] {
		to := bends[i+1]
		if to-from <= 1e-14*to {
			continue
		}
		list = append(list, from)
		for _, z := range []float64{-30, -24, -19, -15, -12, -9, -6.5, -4.5, -3, -1.8, -0.8, 0, 0.8, 1.8, 3, 4.5, 6.5, 9, 12,
			15, 19, 24, 30} {
			if math.Abs(z) <= sharpness {
				list = append(list, from+(to-from)/(1+math.Exp(-z)))
			}
		}
	}
	return append(list, bends[len(bends)-1])
}

// bends returns the means with which two scores alone have the t of the search, the ends of the ranges of m in which a
// is negative for a score, and the largest possible mean.
func (s *tSearch) bends() (list []float64) {
	root, most := 1/math.Sqrt(1+s.t*s.t), slices.Max(s.u)
	for i, u := range s.u {
		if u > 0 {
			list = append(list, u*s.c/(1+root), u*(1+root))
		}
		for _, v := range s.u[:i] {
			// The mean is u + q (v-u). The condition is a q² + 2 b q + c = 0.
			a, b, c := (v-u)*(v-u)*(1+s.t*s.t), u*(v-u)-s.t*s.t*(v-u)*(v-u)/2, u*u
			if square := b*b - a*c; square >= 0 {
				list = append(list, u+(v-u)*(-b-math.Sqrt(square))/a, u+(v-u)*(-b+math.Sqrt(square))/a)
			}
		}
	}
	list = slices.DeleteFunc(list, func(m float64) bool { return !(m > 0 && m < most) })
	return append(list, most)
}

// narrow sets probs for the m between lo and hi that is the mean. The mean exceeds lo, and hi exceeds the mean. narrow
// uses regula falsi, and halves the bracket in every third round.
func (s *tSearch) narrow(lo, hi float64) {
	const rounds = 200
	above, _ := s.try(lo)
	below, _ := s.try(hi)
	for round := range rounds {
		m := lo + (hi-lo)*above/(above-below)
		if round%3 == 2 || !(m > lo && m < hi) {
			m = lo + (hi-lo)/2
		}
		if !(m > lo && m < hi) {
			return
		}
		excess, _ := s.try(m)
		switch {
		case math.Abs(excess) <= 1e-16*m:
			return
		case excess > 0:
			lo, above, below = m, excess, below/2
		default:
			hi, below, above = m, excess, above/2
		}
	}
}
