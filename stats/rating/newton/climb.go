package newton

import (
	"errors"
	"math"
	"slices"

	"gogi/internal/lists"
)

// A Problem is a function to maximise, such as a log-likelihood. It must be smooth at all points with a
// finite value.
type Problem interface {
	// Value returns the logarithm of a likelihood. It returns -Inf outside the domain.
	Value(x []float64) float64
	// Derivatives returns the gradient and a solver. The matrix of the solver is the information (the
	// negative second derivatives), or a positive definite matrix if the function is not concave.
	Derivatives(x []float64) (gradient []float64, solve func(rhs []float64) []float64)
	// Settle removes the part of a step that does not change the value.
	Settle(step []float64)
}

// A Bounded is a Problem in which some coordinates are logarithms of terms that are at least 0. If a term is almost 0,
// the slope of its logarithm is almost 0, too, so that a climb cannot move it.
type Bounded interface {
	Problem
	// Raised returns a copy of x in which the terms near 0 whose growth would raise the value are larger. It does not
	// change coordinates with a weight; weights may be nil. It returns nil if there is no such term.
	Raised(x, weights []float64) []float64
}

// A Contrast is the constraint that a linear function of x has a fixed value.
type Contrast struct {
	Weights []float64 // coefficients of x
	At      float64   // value of the linear function
}

// A Peak is the point at which [Climb] ended: the maximum, or a point near its limit.
type Peak struct {
	X          []float64
	Value      float64 // value of the function at X
	Iterations int
	// Drifting lists the coordinates that Newton's method would still move by a step of order 1, although the
	// value would not rise any more. The function then has no maximum, but only a limit.
	Drifting []int
}

const (
	longestStep = 3     // natural units; Newton's method overshoots from afar
	settledStep = 1e-11 // relative
	driftStep   = 1e-3
)

// Climb maximises p by Newton's method from x. x must be in the domain and satisfy the constraint hold, if
// hold is not nil. Climb returns an error for an x outside the domain and after 400 steps. It also returns an
// error if no step raises the value although the slope is positive. If p is [Bounded], Climb also climbs from the
// raised points, as long as this finds larger values.
func Climb(p Problem, x []float64, hold *Contrast) (Peak, error) {
	at, err := climb(p, x, hold)
	bounded, ok := p.(Bounded)
	if err != nil || !ok {
		return at, err
	}
	var weights []float64
	if hold != nil {
		weights = hold.Weights
	}
	for range x {
		raised := bounded.Raised(at.X, weights)
		if raised == nil {
			break
		}
		next, err := climb(p, raised, hold)
		if err != nil || next.Value <= at.Value {
			break
		}
		at = next
	}
	return at, nil
}

// climb maximises p like Climb, but only from x.
func climb(p Problem, x []float64, hold *Contrast) (Peak, error) {
	at := Peak{X: slices.Clone(x), Value: p.Value(x)}
	if math.IsInf(at.Value, -1) || math.IsNaN(at.Value) {
		return Peak{}, errors.New("the search starts where the games are impossible")
	}
	checkpoint := at.Value
	for polished := 0; at.Iterations < 400; at.Iterations++ {
		gradient, solve := p.Derivatives(at.X)
		step := newtonStep(gradient, solve, at.X, hold)
		p.Settle(step)
		size := shorten(step)
		gain := Dot(gradient, step)
		flat := gain <= 1e-14*(1+math.Abs(at.Value))
		switch {
		case math.IsNaN(gain):
			return Peak{}, errors.New("the likelihood cannot be computed near its maximum")
		case flat && size > driftStep:
			at.Drifting = largerThan(step, driftStep)
			return at, nil
		case flat:
			// The values are too close to compare steps, but Newton's method is exact here.
			addTo(at.X, 1, step)
			at.Value = p.Value(at.X) // the value is lower if the step leads back to the constraint
			if polished++; polished > 4 || size <= settledStep*(1+largest(at.X)) {
				return at, nil
			}
		case at.Iterations%100 == 99:
			// On a plateau damped steps might never end, so the climb stops.
			if at.Value-checkpoint < 1e-9*(1+math.Abs(at.Value)) {
				at.Drifting = largerThan(step, driftStep)
				return at, nil
			}
			checkpoint = at.Value
		case !at.advance(p, step, gain):
			if gain < 1e-9*(1+math.Abs(at.Value)) {
				return at, nil // rounding errors hide a further rise
			}
			return Peak{}, errors.New("the search for the maximum of the likelihood stalled")
		}
	}
	return Peak{}, errors.New("the search for the maximum of the likelihood did not end")
}

// newtonStep returns Newton's step. If there is a constraint, the step keeps it.
func newtonStep(g []float64, solve func([]float64) []float64, x []float64, hold *Contrast) []float64 {
	step := solve(g)
	if hold != nil {
		across := solve(hold.Weights)
		excess := Dot(hold.Weights, step) - (hold.At - Dot(hold.Weights, x))
		addTo(step, -excess/Dot(hold.Weights, across), across)
	}
	return step
}

// advance moves at by the step, or by half, a quarter and so on of the step. It makes the largest of these moves that
// raises the value enough. gain is the rise that the slope predicts for the whole step. advance returns false if none
// of the moves raises the value enough.
func (at *Peak) advance(p Problem, step []float64, gain float64) bool {
	noise := 1e-14 * math.Abs(at.Value)
	for t := 1.0; t > 1e-12; t /= 2 {
		x := slices.Clone(at.X)
		addTo(x, t, step)
		if v := p.Value(x); v >= at.Value+1e-4*t*gain-noise {
			at.X, at.Value = x, v
			return true
		}
	}
	return false
}

// shorten reduces a step to longestStep if it is longer, and returns its size before the reduction.
func shorten(step []float64) float64 {
	size := largest(step)
	if size > longestStep {
		for i := range step {
			step[i] *= longestStep / size
		}
	}
	return size
}

func largerThan(step []float64, limit float64) []int {
	var list []int
	for i, s := range step {
		if math.Abs(s) > limit {
			list = append(list, i)
		}
	}
	return list
}

func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// Dot returns the inner product of a and the first len(a) elements of b.
func Dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

func addTo(x []float64, t float64, step []float64) {
	for i, s := range step {
		x[i] += t * s
	}
}

// SubtractMean changes x in place so that its mean is 0.
func SubtractMean(x []float64) {
	if len(x) == 0 {
		return
	}
	mean := lists.Sum(x, func(v float64) float64 { return v / float64(len(x)) })
	for i := range x {
		x[i] -= mean
	}
}

// SubtractMedian changes x in place so that its upper median is 0. x must not be empty. If a few coordinates
// grow without limit, the median hardly changes, unlike the mean.
func SubtractMedian(x []float64) {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	for i, median := 0, sorted[len(sorted)/2]; i < len(x); i++ {
		x[i] -= median
	}
}

// Conjugate solves a system of linear equations by conjugate gradients, with the diagonal as preconditioner.
// multiply sets out to the product of the matrix with v. The matrix must be positive semidefinite, and the
// right side rhs must be in its range. If there are several solutions, Conjugate returns one of them. For a
// thousand players it takes a few dozen products with the information matrix; a factorisation would take N³/3
// operations.
func Conjugate(multiply func(v, out []float64), diagonal, rhs []float64) []float64 {
	n := len(rhs)
	x, product, z := make([]float64, n), make([]float64, n), make([]float64, n)
	r := slices.Clone(rhs)
	scale := func() float64 {
		for i := range z {
			z[i] = 0
			if diagonal[i] > 0 {
				z[i] = r[i] / diagonal[i]
			}
		}
		return Dot(r, z)
	}
	rz := scale()
	enough := rz * 1e-18 // Newton's method corrects the remaining error
	direction := slices.Clone(z)
	for range 10*n + 100 {
		if rz <= enough {
			break
		}
		multiply(direction, product)
		curve := Dot(direction, product)
		if !(curve > 0) {
			break
		}
		addTo(x, rz/curve, direction)
		addTo(r, -rz/curve, product)
		last := rz
		rz = scale()
		for i := range direction {
			direction[i] = z[i] + rz/last*direction[i]
		}
	}
	return x
}
