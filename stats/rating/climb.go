package rating

import (
	"errors"
	"math"
	"slices"
)

// problem is a function to be maximised, smooth where it is finite.
type problem interface {
	value(x []float64) float64 // -Inf outside the domain
	// derivatives are the gradient, and a solver for systems whose matrix is
	// the information (the second derivatives with their sign turned), or a
	// positive definite stand-in where the function is not concave.
	derivatives(x []float64) (gradient []float64, solve func(rhs []float64) []float64)
	// settle takes out of a step what changes nothing.
	settle(step []float64)
}

// contrast holds a linear function of x at a value while the rest moves.
type contrast struct {
	weights []float64
	at      float64
}

// peak is where a climb ended.
type peak struct {
	x          []float64
	value      float64
	iterations int
	// drifting are the coordinates that Newton's method would still move by a
	// step of order 1 although nothing is left to gain: the function has no
	// maximum there, but rises to a limit.
	drifting []int
}

const (
	longestStep = 3     // natural units a step; Newton overshoots from afar
	settledStep = 1e-11 // relative
	driftStep   = 1e-3
)

// climb maximises p by Newton's method from x, which must be in the domain and
// satisfy the contrast, if there is one.
func climb(p problem, x []float64, hold *contrast) (peak, error) {
	at := peak{x: slices.Clone(x), value: p.value(x)}
	if math.IsInf(at.value, -1) || math.IsNaN(at.value) {
		return peak{}, errors.New("the search starts where the games are impossible")
	}
	checkpoint := at.value
	for polished := 0; at.iterations < 400; at.iterations++ {
		gradient, solve := p.derivatives(at.x)
		step := newtonStep(gradient, solve, at.x, hold)
		p.settle(step)
		size := shorten(step)
		gain := dot(gradient, step)
		flat := gain <= 1e-14*(1+math.Abs(at.value))
		switch {
		case math.IsNaN(gain):
			return peak{}, errors.New("the likelihood cannot be computed near its maximum")
		case flat && size > driftStep:
			at.drifting = largerThan(step, driftStep)
			return at, nil
		case flat:
			// Too close for the value to judge a step by; Newton is exact here.
			addTo(at.x, 1, step)
			if polished++; polished > 4 || size <= settledStep*(1+largest(at.x)) {
				at.value = p.value(at.x)
				return at, nil
			}
		case at.iterations%100 == 99:
			// On a plain that hardly rises, damped steps may go on for ever.
			if at.value-checkpoint < 1e-9*(1+math.Abs(at.value)) {
				at.drifting = largerThan(step, driftStep)
				return at, nil
			}
			checkpoint = at.value
		case !at.advance(p, step, gain):
			if gain < 1e-9*(1+math.Abs(at.value)) {
				return at, nil // rounding hides what is left to gain
			}
			return peak{}, errors.New("the search for the maximum of the likelihood stalled")
		}
	}
	return peak{}, errors.New("the search for the maximum of the likelihood did not end")
}

// newtonStep solves for the step, along the contrast if there is one.
func newtonStep(g []float64, solve func([]float64) []float64, x []float64, hold *contrast) []float64 {
	step := solve(g)
	if hold != nil {
		across := solve(hold.weights)
		excess := dot(hold.weights, step) - (hold.at - dot(hold.weights, x))
		addTo(step, -excess/dot(hold.weights, across), across)
	}
	return step
}

// advance goes as much of the step as raises the value enough.
func (at *peak) advance(p problem, step []float64, gain float64) bool {
	noise := 1e-14 * math.Abs(at.value)
	for t := 1.0; t > 1e-12; t /= 2 {
		x := slices.Clone(at.x)
		addTo(x, t, step)
		if v := p.value(x); v >= at.value+1e-4*t*gain-noise {
			at.x, at.value = x, v
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

func dot(a, b []float64) float64 {
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

// subtractMean subtracts the mean.
func subtractMean(x []float64) {
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

// subtractMedian subtracts the median, so that a few coordinates that drift off do not
// move the many that stay.
func subtractMedian(x []float64) {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	for i, median := 0, sorted[len(sorted)/2]; i < len(x); i++ {
		x[i] -= median
	}
}

// conjugate solves a positive semidefinite system by conjugate gradients with
// the diagonal as preconditioner. The right side must lie in the range; any
// solution will do. A thousand players take a few dozen products with the
// information, where factoring it would take N³/3.
func conjugate(multiply func(v, out []float64), diagonal, rhs []float64) []float64 {
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
		return dot(r, z)
	}
	rz := scale()
	enough := rz * 1e-18 // Newton repairs the rest
	direction := slices.Clone(z)
	for range 10*n + 100 {
		if rz <= enough {
			break
		}
		multiply(direction, product)
		curve := dot(direction, product)
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
