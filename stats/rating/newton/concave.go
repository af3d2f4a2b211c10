package newton

import (
	"errors"
	"math"
	"slices"
)

// ConcaveProfile returns the same interval ends as [Profile], but faster. The function must be concave. At an
// end of the interval, the gradient is parallel to weights, and the deviance (twice the drop from the peak)
// is z². For a concave function only one point on each side of the peak satisfies both conditions.
// ConcaveProfile solves them together by Newton's method (Venzon and Moolgavkar 1988), which takes a few
// steps. Profile must instead maximise the function for each value of weights·x that it tries. If Newton's
// method does not converge, ConcaveProfile uses the method of Profile.
func ConcaveProfile(p Problem, at Peak, weights []float64, z float64) (lo, hi float64, err error) {
	s := search{p, at, weights, z}
	start := s.tangent(at.X, at.Value)
	if lo, err = s.leap(start, -1); err != nil {
		lo, err = s.end(-1)
	}
	if err != nil {
		return 0, 0, err
	}
	if hi, err = s.leap(start, 1); err != nil {
		hi, err = s.end(1)
	}
	return lo, hi, err
}

// These constants limit the steps of leap. leap takes at most leaps steps. If a step is not shorter than farLeap,
// leap returns an error, and the slower search of Profile finds the end. leap returns the end after a step that is
// shorter than landed. The next step would be negligible, because its length is about the square of this length. The
// value at the end may differ from the wanted value only by the share heldValue.
const (
	leaps     = 12
	landed    = 1e-5
	farLeap   = 6 // natural units
	heldValue = 1e-9
)

var errLost = errors.New("the steps to the profile's end do not settle")

// A tangent has the data of Newton's step from x. With the slope g, the information H and the weights w, step is s =
// H⁻¹g and across is a = H⁻¹w. squared is λ² as in leap, calculated from the value v at x.
type tangent struct {
	x, step, across []float64
	squared         float64
}

func (s search) tangent(x []float64, v float64) tangent {
	g, solve := s.p.Derivatives(x)
	t := tangent{x: x, step: solve(g), across: solve(s.weights)}
	t.squared = (2*(v-s.wanted()) + Dot(g, t.step)) / Dot(s.weights, t.across)
	return t
}

// wanted returns the function's value at both ends of the interval.
func (s search) wanted() float64 { return s.at.Value - s.z*s.z/2 }

// leap returns the end of the profile on one side (-1 or 1). It makes Newton's steps; from has the data of the first
// step. The letters are those of type tangent. A step d must satisfy two equations. The slope after the step is along
// the weights: g - Hd = λw. The value after the step, v + g·d - d·Hd/2, is the wanted value. The solution is d = s -
// λa with λ² a·w = 2(v - wanted) + g·s. leap returns errLost if the steps do not converge.
func (s search) leap(from tangent, side float64) (float64, error) {
	for range leaps {
		if !(from.squared > 0) {
			return 0, errLost
		}
		step := slices.Clone(from.step)
		addTo(step, side*math.Sqrt(from.squared), from.across)
		s.p.Settle(step)
		size := largest(step)
		if !(size < farLeap) {
			return 0, errLost
		}
		x := slices.Clone(from.x)
		addTo(x, 1, step)
		v := s.p.Value(x)
		if size < landed && math.Abs(v-s.wanted()) < heldValue*(1+math.Abs(v)) {
			return Dot(s.weights, x), nil
		}
		from = s.tangent(x, v)
	}
	return 0, errLost
}
