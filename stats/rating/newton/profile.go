package newton

import (
	"errors"
	"math"
)

// farthest is the largest distance of an end from the estimate, in natural units. An end beyond it counts as
// infinite.
const farthest = 60

// Profile returns the ends of the profile-likelihood interval of weights·x. The profile is the maximum of the
// function for each fixed value of weights·x. Its deviance is twice its drop from the peak. The ends are the
// values of weights·x below and above the peak at which the deviance is z². If the deviance never reaches z²,
// the end is infinite. Profile returns the errors of [Climb]. It also returns an error if the search leaves
// the domain of the function.
func Profile(p Problem, at Peak, weights []float64, z float64) (lo, hi float64, err error) {
	if lo, err = ProfileEnd(p, at, weights, z, -1); err != nil {
		return 0, 0, err
	}
	hi, err = ProfileEnd(p, at, weights, z, 1)
	return lo, hi, err
}

// ProfileEnd returns one end of the interval of [Profile]: the lower end if side is -1, and the upper end if
// side is 1. It measures the deviance from at.Value, and begins its search at at.X. If at.X is not the
// maximum, the value at at.X may be smaller than at.Value.
func ProfileEnd(p Problem, at Peak, weights []float64, z, side float64) (float64, error) {
	return search{p, at, weights, z}.end(side)
}

type search struct {
	p       Problem
	at      Peak
	weights []float64
	z       float64
}

// A point is a point of the profile. t is its distance from the estimate. excess is the square root of its deviance,
// minus z.
type point struct {
	x         []float64
	t, excess float64
}

// end returns the end of the profile on one side (-1 or 1). The square root of the deviance is almost a
// straight line, so a search for its value z converges fast.
func (s search) end(side float64) (float64, error) {
	inner, outer, err := s.bracket(side)
	if err != nil {
		return 0, err
	}
	t := outer.t
	if !math.IsInf(t, 1) {
		t, err = s.narrow(side, inner, outer)
	}
	return Dot(s.weights, s.at.X) + side*t, err
}

// bracket moves outward from the estimate until the square root of the deviance is at least z. It returns the last
// two points. If no point within the distance farthest is far enough, the outer point is at infinity.
func (s search) bracket(side float64) (inner, outer point, err error) {
	_, solve := s.p.Derivatives(s.at.X)
	step := min(4, s.z*math.Sqrt(max(1e-6, Dot(s.weights, solve(s.weights)))))
	inner = point{s.at.X, 0, -s.z}
	for t := step; t <= farthest; t += min(t, 4) {
		if outer, err = s.out(inner.x, side, t); err != nil || outer.excess >= 0 {
			return inner, outer, err
		}
		inner = outer
	}
	return inner, point{t: math.Inf(1)}, nil
}

// narrow returns the end between two points, by regula falsi (Illinois).
func (s search) narrow(side float64, inner, outer point) (float64, error) {
	for range 60 {
		if outer.t-inner.t < 1e-9 {
			break
		}
		mid, err := s.out(inner.x, side, (inner.t*outer.excess-outer.t*inner.excess)/(outer.excess-inner.excess))
		switch {
		case err != nil:
			return 0, err
		case math.Abs(mid.excess) < 1e-10:
			return mid.t, nil
		case mid.excess > 0:
			outer = mid
			inner.excess /= 2
		default:
			inner = mid
			outer.excess /= 2
		}
	}
	return (inner.t + outer.t) / 2, nil
}

// out returns the point of the profile at the distance t. The search starts from x.
func (s search) out(x []float64, side, t float64) (point, error) {
	x, root, err := s.constrained(x, Dot(s.weights, s.at.X)+side*t)
	return point{x, t, root - s.z}, err
}

// constrained maximises the function under the condition that weights·x has the given value. It returns the maximum
// point and the square root of the deviance there. In a [Bounded] problem the move of the logarithm of a term near 0
// has no limit, and a climb from there can end below the maximum. For this reason constrained then climbs also from the
// estimate, moved straight along the weights, and keeps the higher of the two points.
func (s search) constrained(from []float64, value float64) ([]float64, float64, error) {
	x, err := s.moved(from, value)
	if err != nil {
		return nil, 0, err
	}
	hold := &Contrast{s.weights, value}
	best, err := Climb(s.p, x, hold)
	if err != nil {
		return nil, 0, err
	}
	if _, bounded := s.p.(Bounded); bounded {
		if other, err := Climb(s.p, s.straight(s.at.X, value), hold); err == nil && other.Value > best.Value {
			best = other
		}
	}
	return best.X, math.Sqrt(2 * max(0, s.at.Value-best.Value)), nil
}

// moved returns the point start, after a move that makes weights·x equal to value. The move is in the direction in
// which the function falls least.
func (s search) moved(start []float64, value float64) ([]float64, error) {
	_, solve := s.p.Derivatives(start)
	across := solve(s.weights)
	x := append([]float64(nil), start...)
	addTo(x, (value-Dot(s.weights, x))/Dot(s.weights, across), across)
	if v := s.p.Value(x); !math.IsInf(v, -1) && !math.IsNaN(v) {
		return x, nil
	}
	// If this path leaves the domain, moved goes straight along the weights.
	x = s.straight(start, value)
	if v := s.p.Value(x); math.IsInf(v, -1) || math.IsNaN(v) {
		return nil, errors.New("the profile leads to where the additive effect outweighs a player's strength")
	}
	return x, nil
}

// straight returns the point start, after the shortest move that makes weights·x equal to value.
func (s search) straight(start []float64, value float64) []float64 {
	x := append([]float64(nil), start...)
	addTo(x, (value-Dot(s.weights, x))/Dot(s.weights, s.weights), s.weights)
	return x
}
