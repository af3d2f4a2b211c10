package rating

import (
	"errors"
	"math"

	"gogi/stats/counts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// farthest is how far from its estimate, in natural units, a profile is
// followed before its end is called infinite.
const farthest = 60

// Profile is the profile-likelihood interval of a player's rating in Elo points
// with mean 0 ("profile_likelihood", or "profile_likelihood_clusters" where games
// depend on each other and it is as wide as that makes it): the ratings that lower the likelihood, or
// with a prior the posterior, by no more than chance explains, the other
// parameters being as good for them as can be. An end is infinite where the
// games set no bound. It fails for players without a rating, for a level
// outside (0, 1), and for an additive first-move effect that on the way
// outweighs a weak player's strength.
func (f *Fit) Profile(player string, level float64) (counts.Interval, error) {
	i, err := f.number(player)
	if err != nil {
		return counts.Interval{}, err
	}
	return f.profileElo(f.aboveMean(i), level)
}

// aboveMean are the weights of a player's rating less the mean.
func (f *Fit) aboveMean(player int) []float64 {
	weights := make([]float64, len(f.at.x))
	for p := range f.Players {
		weights[p] = -1 / float64(len(f.Players))
	}
	weights[player]++
	return weights
}

// Wald are the intervals of all ratings in Elo points with mean 0, in the order
// of [Fit].Players, by their standard errors ("wald", or "wald_clusters" where
// games depend on each other): symmetric, and quick for many players. It fails
// for a level outside (0, 1) and as [Fit.Covariance] does.
func (f *Fit) Wald(level float64) ([]counts.Interval, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	method, inverse := "wald_clusters", (matrix)(nil)
	if f.errs != nil {
		inverse = f.errs.inverse
	} else {
		var err error
		if inverse, err = f.inverse(); err != nil {
			return nil, err
		}
		method = "wald"
	}
	var list []counts.Interval
	for place, p := range f.Players {
		weights := f.aboveMean(f.rank[place])
		reach := eloPerNat * f.errs.quantile(weights, level) * standardError(inverse, weights)
		list = append(list, counts.Interval{Method: method, Level: level, Lo: p.Elo - reach, Hi: p.Elo + reach})
	}
	return list, nil
}

// standardError is that of a linear function of x with this covariance.
func standardError(covariance matrix, weights []float64) float64 {
	w := mat.NewVecDense(len(weights), weights)
	return math.Sqrt(max(0, mat.Inner(w, covariance, w)))
}

// ProfileDifference is the profile-likelihood interval of a's rating less b's.
// It fails as [Fit.Profile] does, and for a player against itself.
func (f *Fit) ProfileDifference(a, b string, level float64) (counts.Interval, error) {
	i, err := f.number(a)
	if err != nil {
		return counts.Interval{}, err
	}
	j, err := f.number(b)
	if err != nil {
		return counts.Interval{}, err
	}
	if i == j {
		return counts.Interval{}, errors.New("a player does not differ from itself")
	}
	weights := make([]float64, len(f.at.x))
	weights[i], weights[j] = 1, -1
	return f.profileElo(weights, level)
}

func (f *Fit) profileElo(weights []float64, level float64) (counts.Interval, error) {
	if err := checkLevel(level); err != nil {
		return counts.Interval{}, err
	}
	lo, hi, err := profile(f.inner, f.at, weights, f.errs.quantile(weights, level))
	return counts.Interval{Method: f.errs.method(), Level: level, Lo: eloPerNat * lo, Hi: eloPerNat * hi}, err
}

// ProfileFirstMove is the profile-likelihood interval of [Fit].FirstMove: of the
// factor, or of δ. It fails for a model without the effect and for a level
// outside (0, 1).
func (f *Fit) ProfileFirstMove(level float64) (counts.Interval, error) {
	weights := make([]float64, len(f.at.x))
	if err := checkLevel(level); err != nil {
		return counts.Interval{}, err
	}
	switch f.Model.FirstMove {
	case Multiplicative:
		weights[len(f.Players)] = 1
		lo, hi, err := profile(f.inner, f.at, weights, f.errs.quantile(weights, level))
		return counts.Interval{Method: f.errs.method(), Level: level, Lo: math.Exp(lo), Hi: math.Exp(hi)}, err
	case Additive:
		return f.profileAdditive(level)
	case NoFirstMove:
	}
	return counts.Interval{}, errors.New("the model has no first-move effect")
}

// chiSquared is the probability that χ² with df degrees of freedom is x or more.
func chiSquared(x float64, df int) float64 {
	if x <= 0 || df < 1 {
		return 1
	}
	return mathext.GammaIncRegComp(float64(df)/2, x/2)
}

// profile finds where the root of the deviance of the profile of weights·x is z,
// below and above the peak.
func profile(p problem, at peak, weights []float64, z float64) (lo, hi float64, err error) {
	s := search{p, at, weights, z}
	if lo, err = s.end(-1); err != nil {
		return 0, 0, err
	}
	hi, err = s.end(1)
	return lo, hi, err
}

type search struct {
	p       problem
	at      peak
	weights []float64
	z       float64
}

// point is a place on the profile: how far out, and by how much the root of the
// deviance exceeds z there.
type point struct {
	x         []float64
	t, excess float64
}

// end is the end of the profile on one side (-1 or 1). The root of the deviance
// is close to a straight line, and so is easily followed.
func (s search) end(side float64) (float64, error) {
	inner, outer, err := s.bracket(side)
	if err != nil {
		return 0, err
	}
	t := outer.t
	if !math.IsInf(t, 1) {
		t, err = s.narrow(side, inner, outer)
	}
	return dot(s.weights, s.at.x) + side*t, err
}

// bracket goes outward until the deviance is too large; the outer point is at
// infinity where it never is.
func (s search) bracket(side float64) (inner, outer point, err error) {
	_, solve := s.p.derivatives(s.at.x)
	step := min(4, s.z*math.Sqrt(max(1e-6, dot(s.weights, solve(s.weights)))))
	inner = point{s.at.x, 0, -s.z}
	for t := step; t <= farthest; t += min(t, 4) {
		if outer, err = s.out(inner.x, side, t); err != nil || outer.excess >= 0 {
			return inner, outer, err
		}
		inner = outer
	}
	return inner, point{t: math.Inf(1)}, nil
}

// narrow finds the end between two points by regula falsi (Illinois).
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

// out is the point at t, sought from x.
func (s search) out(x []float64, side, t float64) (point, error) {
	x, root, err := s.constrained(x, dot(s.weights, s.at.x)+side*t)
	return point{x, t, root - s.z}, err
}

// constrained is the best x on the way, and the root of its deviance.
func (s search) constrained(from []float64, value float64) ([]float64, float64, error) {
	x, err := s.moved(from, value)
	if err != nil {
		return nil, 0, err
	}
	best, err := climb(s.p, x, &contrast{s.weights, value})
	if err != nil {
		return nil, 0, err
	}
	return best.x, math.Sqrt(2 * max(0, s.at.value-best.value)), nil
}

// moved shifts from onto the constraint along the path of least resistance.
func (s search) moved(from []float64, value float64) ([]float64, error) {
	_, solve := s.p.derivatives(from)
	across := solve(s.weights)
	x := append([]float64(nil), from...)
	addTo(x, (value-dot(s.weights, x))/dot(s.weights, across), across)
	if v := s.p.value(x); !math.IsInf(v, -1) && !math.IsNaN(v) {
		return x, nil
	}
	// Straight along the weights instead.
	x = append(x[:0], from...)
	addTo(x, (value-dot(s.weights, x))/dot(s.weights, s.weights), s.weights)
	if v := s.p.value(x); math.IsInf(v, -1) || math.IsNaN(v) {
		return nil, errors.New("the profile leads to where the additive effect outweighs a player's strength")
	}
	return x, nil
}
