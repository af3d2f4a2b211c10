package newton

import (
	"errors"
	"math"
	"slices"
)

// Problem is a function to be maximised, smooth where it is finite.
type Problem interface {
	// Value is the logarithm of a likelihood, -Inf outside the domain.
	Value(x []float64) float64
	// Derivatives are the gradient, and a solver for systems whose matrix is
	// the information (the second derivatives with their sign turned), or a
	// positive definite stand-in where the function is not concave.
	Derivatives(x []float64) (gradient []float64, solve func(rhs []float64) []float64)
	// Settle takes out of a step what changes nothing.
	Settle(step []float64)
}

// Contrast holds a linear function of x at a value while the rest moves.
type Contrast struct {
	Weights []float64 // of x
	At      float64   // the sum
}

// Peak is where a climb ended.
type Peak struct {
	X          []float64
	Value      float64 // at X
	Iterations int
	// drifting are the coordinates that Newton's method would still move by a
	// step of order 1 although nothing is left to gain: the function has no
	// maximum there, but rises to a limit.
	Drifting []int
}

const (
	longestStep = 3     // natural units a step; Newton overshoots from afar
	settledStep = 1e-11 // relative
	driftStep   = 1e-3
)

// Climb maximises p by Newton's method from x, which must be in the domain and
// satisfy the contrast, if there is one (nil for none).
// It fails outside the domain, where no step raises the value though the slope
// says so, and after 400 steps.
func Climb(p Problem, x []float64, hold *Contrast) (Peak, error) {
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
			// Too close for the value to judge a step by; Newton is exact here.
			addTo(at.X, 1, step)
			at.Value = p.Value(at.X) // lower, where the step leads back to the contrast: what comes is measured by it
			if polished++; polished > 4 || size <= settledStep*(1+largest(at.X)) {
				return at, nil
			}
		case at.Iterations%100 == 99:
			// On a plain that hardly rises, damped steps may go on for ever.
			if at.Value-checkpoint < 1e-9*(1+math.Abs(at.Value)) {
				at.Drifting = largerThan(step, driftStep)
				return at, nil
			}
			checkpoint = at.Value
		case !at.advance(p, step, gain):
			if gain < 1e-9*(1+math.Abs(at.Value)) {
				return at, nil // rounding hides what is left to gain
			}
			return Peak{}, errors.New("the search for the maximum of the likelihood stalled")
		}
	}
	return Peak{}, errors.New("the search for the maximum of the likelihood did not end")
}

// newtonStep solves for the step, along the contrast if there is one.
func newtonStep(g []float64, solve func([]float64) []float64, x []float64, hold *Contrast) []float64 {
	step := solve(g)
	if hold != nil {
		across := solve(hold.Weights)
		excess := Dot(hold.Weights, step) - (hold.At - Dot(hold.Weights, x))
		addTo(step, -excess/Dot(hold.Weights, across), across)
	}
	return step
}

// advance goes as much of the step as raises the value enough.
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

// shorten cuts a step to the longest allowed and returns its size before that.
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

// Dot is the inner product; b may be the longer one.
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

// SubtractMean makes the mean of x 0, in place.
func SubtractMean(x []float64) {
	if len(x) == 0 {
		return
	}
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i := range x {
		x[i] -= mean
	}
}

// SubtractMedian makes the upper median of x, which is not empty, 0, in place, so
// that a few coordinates that drift off do not move the many that stay.
func SubtractMedian(x []float64) {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	for i, median := 0, sorted[len(sorted)/2]; i < len(x); i++ {
		x[i] -= median
	}
}

// Conjugate solves a positive semidefinite system by conjugate gradients with
// the diagonal as preconditioner. The right side must lie in the range; any
// solution will do. A thousand players take a few dozen products with the
// information, where factoring it would take N³/3.
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
	enough := rz * 1e-18 // Newton repairs the rest
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
