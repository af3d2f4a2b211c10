package ascent

import (
	"errors"
	"math"
	"slices"
)

// ConcaveProfile is [Profile] for a concave value: there the point where the slope is
// along the weights and the deviance is z² is the one sought, wherever it is come upon
// from, and Newton's method goes for both at once (Venzon and Moolgavkar 1988), in a few
// steps instead of a climb for each point of a search. Where its steps do not settle, it is
// Profile that answers.
func ConcaveProfile(p Problem, at Peak, weights []float64, z float64) (lo, hi float64, err error) {
	s := search{p, at, weights, z}
	if lo, err = s.leap(-1); err != nil {
		lo, err = s.end(-1)
	}
	if err != nil {
		return 0, 0, err
	}
	if hi, err = s.leap(1); err != nil {
		hi, err = s.end(1)
	}
	return lo, hi, err
}

// The limits of leaping: an end farther out in steps than this is left to the search, and
// one is found when a step is so short that the next, which is about its square, is nothing.
const (
	leaps     = 12
	landed    = 1e-7
	farLeap   = 6 // natural units
	heldValue = 1e-9
)

var errLost = errors.New("the steps to the profile's end do not settle")

// leap is the end of the profile on one side.
//
// A step d is to make the slope g - Hd = λw along the weights w, and the value
// v + g·d - d·Hd/2 as low as is asked for. With s = H⁻¹g and a = H⁻¹w, d is s - λa, and
// the second condition λ² a·w = 2(v - wanted) + g·s.
func (s search) leap(side float64) (float64, error) {
	x, v := slices.Clone(s.at.X), s.at.Value
	wanted := s.at.Value - s.z*s.z/2
	for range leaps {
		g, solve := s.p.Derivatives(x)
		step, across := solve(g), solve(s.weights)
		squared := (2*(v-wanted) + Dot(g, step)) / Dot(across, s.weights)
		if !(squared > 0) {
			return 0, errLost
		}
		addTo(step, side*math.Sqrt(squared), across)
		s.p.Settle(step)
		size := largest(step)
		if !(size < farLeap) {
			return 0, errLost
		}
		addTo(x, 1, step)
		v = s.p.Value(x)
		if size < landed && math.Abs(v-wanted) < heldValue*(1+math.Abs(wanted)) {
			return Dot(s.weights, x), nil
		}
	}
	return 0, errLost
}
