package stats

import (
	"cmp"
	"fmt"
	"math"
	"sync"
)

// A Boundary is the name of a method that sets the bounds of an SPRT (sequential test). The SPRT stops when
// its log likelihood ratio reaches a bound.
type Boundary string

// The boundaries.
const (
	// BoundaryRatio accepts H1 when the likelihood ratio reaches 1/α. If both distributions of a likelihood ratio are
	// fixed in advance, the ratio has the mean 1 under H0. By Ville's inequality it therefore reaches 1/α with a
	// probability of at most α, however often the test compares it with the bound. The generalised ratio of gogi
	// estimates its distributions; in simulations its rate also stays below α (TestSimulatedGates).
	//
	// The test accepts H0 at Wald's lower bound for β, calculated as if the test accepts H1 with probability α(1-β)
	// under H0: ln(β/(1-α(1-β))). Stored runs stopped at this bound and must not become undecided. BoundaryRatio is
	// the zero value, because older runs used it and did not store a boundary.
	BoundaryRatio Boundary = ""
	// BoundaryWald uses Wald's approximation, ln(β/(1-α)) and ln((1-β)/α), as fishtest does. The error rates
	// are nearly α and β if the steps are small.
	BoundaryWald Boundary = "wald"
	// BoundaryBounded moves the bounds towards each other as information grows, so that every run has a
	// maximum length. See [SPRT.BoundsAt].
	BoundaryBounded Boundary = "bounded"
)

const ratio = "ratio"

// String returns the boundary's name in files and reports: "ratio", "bounded" or "wald".
func (b Boundary) String() string { return cmp.Or(string(b), ratio) }

// BoundaryOf returns the boundary with this name. It is the inverse of Boundary.String.
func BoundaryOf(name string) Boundary {
	if name == ratio {
		return BoundaryRatio
	}
	return Boundary(name)
}

func (b Boundary) check() error {
	switch b {
	case BoundaryWald, BoundaryRatio, BoundaryBounded:
		return nil
	}
	return fmt.Errorf("unknown boundary %q of a sequential test", string(b))
}

// Bounds returns the bounds of the log likelihood ratio before the first game. The test fails (accepts H0) if
// the ratio is at most lower, and passes (accepts H1) if it is at least upper.
func (s SPRT) Bounds() (lower, upper float64) { return s.BoundsAt(0) }

// BoundsAt returns the bounds of the log likelihood ratio at an amount of information. Only the bounds of
// [BoundaryBounded] depend on the information. Information is the variance of the ratio: n(s₁-s₀)²/V after n
// observations whose scores have the variance V, for the hypothetical scores s₀ and s₁.
//
// With BoundaryBounded, the upper bound is u - I/10 and the lower bound is I/10 - l at the information I. The
// numbers u and l are chosen so that a Brownian motion has the error rates α and β. The bounds meet at I =
// 5(u+l). There the test ends, and passes if the ratio is above 0. The slope 1/10 is a compromise between 0
// and 1/4. With slope 0 the test is Wald's test, which has the smallest expected length under the two
// hypotheses. With slope 1/4 it is Lorden's 2-SPRT, which minimises the largest expected length over all true
// differences.
//
// At α = β = 0.05 the expected length is 2 % longer than with slope 0 if one of the hypotheses is true. It is
// 9 % longer if the true difference is below Elo0 by half of the distance between the hypotheses. If the true
// difference is halfway between the hypotheses, it is 10 % shorter, and its 95 % quantile is 29 % shorter.
func (s SPRT) BoundsAt(information float64) (lower, upper float64) {
	alpha := s.Alpha
	switch s.Boundary {
	case BoundaryBounded:
		return boundedBy(s.Alpha, s.Beta).at(information)
	case BoundaryRatio:
		alpha *= 1 - s.Beta
	case BoundaryWald:
	}
	return math.Log(s.Beta / (1 - alpha)), math.Log((1 - s.Beta) / alpha)
}

// leastBounded is the smallest error rate of a test with BoundaryBounded. It limits the time to calculate the
// bounds.
const leastBounded = 0.001

// mostBounded is the largest sum of both error rates of a test with BoundaryBounded. With larger sums the bounds are so
// near to 0 that the steps of the calculation are too long for them.
const mostBounded = 0.6

// tightening is the slope of the bounds of BoundaryBounded.
const tightening = 0.1

// A triangle is a pair of bounds that meet. At the information I the upper bound is u - I/10, and the lower bound is
// I/10 - l.
type triangle struct{ u, l float64 }

func (t triangle) at(information float64) (lower, upper float64) {
	lower, upper = tightening*information-t.l, t.u-tightening*information
	if lower >= upper { // the bounds have met
		middle := (lower + upper) / 2
		return math.Nextafter(middle, math.Inf(-1)), middle
	}
	return lower, upper
}

// triangles caches the calculated triangles by α and β, because the calculation takes noticeable time.
var triangles sync.Map

func boundedBy(alpha, beta float64) triangle {
	type rates struct{ alpha, beta float64 }
	if t, ok := triangles.Load(rates{alpha, beta}); ok {
		return t.(triangle) // nothing else is stored
	}
	t := newTriangle(alpha, beta)
	triangles.Store(rates{alpha, beta}, t)
	return t
}

// newTriangle returns the triangle with the error rates alpha and beta. It adjusts u and l repeatedly. Each time it
// adds the logarithm of the actual error rate divided by the wanted rate, because this changes the actual rate to
// nearly the wanted one. It stops at changes below 0.0005, because the random walk that calculates the error rates is
// no more accurate.
func newTriangle(alpha, beta float64) triangle {
	t := triangle{-1.2 * math.Log(alpha), -1.2 * math.Log(beta)}
	for range 50 {
		pass := t.pass(-0.5)
		fail := pass // by symmetry
		if alpha != beta {
			fail = 1 - t.pass(0.5)
		}
		up, down := math.Log(pass/alpha), math.Log(fail/beta)
		t.u += up
		t.l += down
		if math.Abs(up)+math.Abs(down) < 5e-4 {
			break
		}
	}
	return t
}

// triangleStep is the step of the random walk that calculates a triangle. A position of the walk within half a step of
// a bound counts as beyond the bound. This corrects for the steps of the walk, which pass a bound by up to half a step.
const triangleStep = 0.05

// pass returns the probability that the walk ends at the upper bound. drift is the mean change per information: -½
// under H0, ½ under H1. The steps are too long for a much larger drift; [converging] is right for every drift.
func (t triangle) pass(drift float64) float64 {
	w := t.walk(drift)
	for w.lo <= w.hi {
		w.step()
	}
	return w.passed
}

// A walk is a random walk between the bounds with steps of one size. It approximates a Brownian motion. After an even
// number of steps, only places at an even distance from the start are possible. After an odd number of steps, only
// places at an odd distance are possible. The elements of now for all other places have no meaning.
type walk struct {
	bounds         triangle
	up             float64 // probability of a step up
	information    float64
	now            []float64 // probabilities by place
	half, lo, hi   int       // index of the place 0, and of the first and the last possible place between the bounds
	passed, failed float64
}

func (t triangle) walk(drift float64) *walk {
	half := int(max(t.u, t.l)/triangleStep) + 4
	w := &walk{
		bounds: t, up: 1 / (1 + math.Exp(-2*drift*triangleStep)), // the exact odds of the ratio under H0 and H1
		now: make([]float64, 2*half+1), half: half, lo: half, hi: half,
	}
	w.now[half] = 1
	return w
}

func (w *walk) at(place int) float64 { return float64(place-w.half) * triangleStep }

func (w *walk) step() {
	w.information += triangleStep * triangleStep
	w.now[w.lo-2], w.now[w.hi+2] = 0, 0
	w.lo, w.hi = w.lo-1, w.hi+1
	for i := w.lo; i <= w.hi; i += 2 {
		w.now[i] = w.now[i-1]*w.up + w.now[i+1]*(1-w.up)
	}
	lower, upper := w.bounds.at(w.information)
	for ; w.hi >= w.lo && w.at(w.hi) >= upper-triangleStep/2; w.hi -= 2 {
		w.passed += w.now[w.hi]
	}
	for ; w.lo <= w.hi && w.at(w.lo) <= lower+triangleStep/2; w.lo += 2 {
		w.failed += w.now[w.lo]
	}
}
