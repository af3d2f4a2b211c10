package stats

import (
	"fmt"
	"math"
	"sync"
)

// Boundary names the bounds between which the log likelihood ratio of a
// sequential test goes on.
type Boundary string

// The boundaries.
const (
	// BoundaryWald is Wald's approximation, ln(β/(1-α)) and ln((1-β)/α), which
	// fishtest uses: nearly α and β, if steps are small. It is the zero value.
	BoundaryWald Boundary = ""
	// BoundaryRatio is ln β and ln(1/α). A likelihood ratio of two distributions
	// given beforehand has mean 1 under either, so that by Ville's inequality it
	// never reaches 1/α with more than probability α, however often it is looked
	// at. The generalised ratio estimates its distributions; its error rates are
	// at most these in simulation (docs/statistics.md).
	BoundaryRatio Boundary = "ratio"
	// BoundaryBounded draws the bounds together as information comes in, and so
	// bounds the length of every run: [SPRT.BoundsAt].
	BoundaryBounded Boundary = "bounded"
)

func (b Boundary) check() error {
	switch b {
	case BoundaryWald, BoundaryRatio, BoundaryBounded:
		return nil
	}
	return fmt.Errorf("unknown boundary %q of a sequential test", string(b))
}

// Bounds are the bounds before the first game: the log likelihood ratio that
// fails at or below lower, and passes at or above upper.
func (s SPRT) Bounds() (lower, upper float64) { return s.BoundsAt(0) }

// BoundsAt are the bounds at an information, which only [BoundaryBounded]
// depends on. Information is n(s₁-s₀)²/V after n units whose scores have the
// variance V, where the hypotheses are the scores s₀ and s₁: the variance of the
// ratio.
//
// The bounded ones are u - I/10 and I/10 - l, with u and l such that a Brownian
// motion has the error rates α and β; they meet at 5(u+l), where a ratio above
// 0 passes. The slope is a compromise between 0 (Wald's test, the shortest
// under the hypotheses) and 1/4 (Lorden's 2-SPRT, which has the shortest longest
// runs): at α = β = 0.05 the expected length grows by 2 % under either
// hypothesis and by 9 % half a difference below Elo0, and falls by 10 % halfway
// between, where the 95 % quantile falls by 29 %.
func (s SPRT) BoundsAt(information float64) (lower, upper float64) {
	switch s.Boundary {
	case BoundaryRatio:
		return math.Log(s.Beta), -math.Log(s.Alpha)
	case BoundaryBounded:
		t := boundedBy(s.Alpha, s.Beta)
		return t.at(information)
	case BoundaryWald:
	}
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// leastBounded bounds the error rates of bounded tests, and so the time that it
// takes to find their bounds.
const leastBounded = 0.001

// tightening is how fast bounded bounds approach each other.
const tightening = 0.1

// triangle is the bounds u - I/10 above and I/10 - l below.
type triangle struct{ u, l float64 }

func (t triangle) at(information float64) (lower, upper float64) {
	lower, upper = tightening*information-t.l, t.u-tightening*information
	if lower >= upper { // the way is at its end
		middle := (lower + upper) / 2
		return math.Nextafter(middle, math.Inf(-1)), middle
	}
	return lower, upper
}

// triangles keeps those that were computed, by α and β: each takes a moment.
var triangles sync.Map

func boundedBy(alpha, beta float64) triangle {
	type rates struct{ alpha, beta float64 }
	if t, ok := triangles.Load(rates{alpha, beta}); ok {
		return t.(triangle) //nolint:forcetypeassert // nothing else is stored
	}
	t := newTriangle(alpha, beta)
	triangles.Store(rates{alpha, beta}, t)
	return t
}

// newTriangle moves the corners by the logarithm of what the error rates are
// off, which is nearly what they move the rates by.
func newTriangle(alpha, beta float64) triangle {
	t := triangle{-1.2 * math.Log(alpha), -1.2 * math.Log(beta)}
	for range 50 {
		pass, fail := t.pass(-0.5), 1-t.pass(0.5)
		up, down := math.Log(pass/alpha), math.Log(fail/beta)
		t.u += up
		t.l += down
		if math.Abs(up)+math.Abs(down) < 1e-6 {
			break
		}
	}
	return t
}

// triangleStep is the step of the walk by which a triangle is made. Places within
// half a step of a bound count as beyond it, as others are found beyond by up to
// half a step more.
const triangleStep = 0.05

// pass is the probability to leave above, with the drift given (per
// information: -½ under H0, ½ under H1).
func (t triangle) pass(drift float64) float64 {
	w := t.walk(drift, triangleStep)
	for len(w.inside()) > 0 {
		w.step()
	}
	return w.passed
}

// worse is the probability of an end below: of failing until the information is
// reached, and of being under the height then. (See [brownian.worse].)
func (t triangle) worse(drift, information, height float64) float64 {
	w := t.walk(drift, 2*triangleStep)
	for len(w.inside()) > 0 && w.information < information {
		w.step()
	}
	worse := w.failed
	for i, p := range w.inside() {
		switch x := w.at(w.lo + i); {
		case x < height-w.size/2:
			worse += p
		case x < height+w.size/2:
			worse += p / 2
		}
	}
	return worse
}

// walk is a Brownian motion between the bounds, in steps of one size.
type walk struct {
	bounds         triangle
	size, up       float64
	information    float64
	now, next      []float64 // probability by place
	half, lo, hi   int       // the place of 0, and those inside
	passed, failed float64
}

func (t triangle) walk(drift, size float64) *walk {
	half := int(max(t.u, t.l)/size) + 2
	w := &walk{
		bounds: t, size: size, up: 1 / (1 + math.Exp(-2*drift*size)), // exactly the odds of the ratio under H0 and H1
		now: make([]float64, 2*half+1), next: make([]float64, 2*half+1), half: half, lo: half, hi: half,
	}
	w.now[half] = 1
	return w
}

func (w *walk) at(place int) float64 { return float64(place-w.half) * w.size }
func (w *walk) inside() []float64    { return w.now[w.lo : w.hi+1] }

func (w *walk) step() {
	w.information += w.size * w.size
	clear(w.next)
	for i, p := range w.inside() {
		w.next[w.lo+i+1] += p * w.up
		w.next[w.lo+i-1] += p * (1 - w.up)
	}
	w.now, w.next = w.next, w.now
	lower, upper := w.bounds.at(w.information)
	for w.lo, w.hi = w.lo-1, w.hi+1; w.hi >= w.lo && w.at(w.hi) >= upper-w.size/2; w.hi-- {
		w.passed += w.now[w.hi]
	}
	for ; w.lo <= w.hi && w.at(w.lo) <= lower+w.size/2; w.lo++ {
		w.failed += w.now[w.lo]
	}
}
