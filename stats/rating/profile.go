package rating

import (
	"errors"
	"math"

	"gogi/stats/binomial"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"gogi/stats/rating/newton"
)

// Profile is the profile-likelihood interval of a player's rating in Elo points
// with mean 0 ("profile_likelihood", or "profile_likelihood_clusters" where games
// depend on each other and it is as wide as that makes it): the ratings that lower the likelihood, or
// with a prior the posterior, by no more than chance explains, the other
// parameters being as good for them as can be. An end is infinite where the
// games set no bound. It fails for players without a rating, for a level
// outside (0, 1), and for an additive first-move effect that on the way
// outweighs a weak player's strength.
func (f *Fit) Profile(player string, level float64) (binomial.Interval, error) {
	i, err := f.number(player)
	if err != nil {
		return binomial.Interval{}, err
	}
	return f.profileElo(f.aboveMean(i), level)
}

// aboveMean are the weights of a player's rating less the mean.
func (f *Fit) aboveMean(player int) []float64 {
	weights := make([]float64, len(f.at.X))
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
func (f *Fit) Wald(level float64) ([]binomial.Interval, error) {
	mean := make([]float64, len(f.at.X))
	for p := range f.Players {
		mean[p] = 1 / float64(len(f.Players))
	}
	return f.wald(level, mean)
}

// WaldFrom is Wald with ratings less that of an anchor, whose own interval is empty. It
// fails for a player who is not rated, too.
func (f *Fit) WaldFrom(anchor string, level float64) ([]binomial.Interval, error) {
	n, err := f.number(anchor)
	if err != nil {
		return nil, err
	}
	from := make([]float64, len(f.at.X))
	from[n] = 1
	return f.wald(level, from)
}

// wald are the intervals of each player's log strength less one linear function of all.
func (f *Fit) wald(level float64, from []float64) ([]binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	var inverse matrix
	method := "wald_clusters"
	if f.errs != nil {
		inverse = f.errs.inverse
	} else {
		var err error
		if inverse, err = f.inverse(); err != nil {
			return nil, err
		}
		method = "wald"
	}
	base := 0.0
	for place, p := range f.Players {
		base += from[f.rank[place]] * p.Elo
	}
	var with mat.VecDense // the covariance with what is subtracted
	with.MulVec(inverse, mat.NewVecDense(len(from), from))
	own := newton.Dot(from, with.RawVector().Data)
	weights := make([]float64, len(from))
	list := make([]binomial.Interval, 0, len(f.Players))
	for place, p := range f.Players {
		i := f.rank[place]
		variance := inverse.At(i, i) - 2*with.AtVec(i) + own
		if from[i] == 1 {
			variance = 0 // the anchor itself
		}
		for k, v := range from {
			weights[k] = -v
		}
		weights[i]++
		reach := binomial.EloPerNat * f.errs.quantile(weights, level) * math.Sqrt(max(0, variance))
		list = append(list, binomial.Interval{Method: method, Level: level, Lo: p.Elo - base - reach, Hi: p.Elo - base + reach})
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
func (f *Fit) ProfileDifference(a, b string, level float64) (binomial.Interval, error) {
	i, err := f.number(a)
	if err != nil {
		return binomial.Interval{}, err
	}
	j, err := f.number(b)
	if err != nil {
		return binomial.Interval{}, err
	}
	if i == j {
		return binomial.Interval{}, errors.New("a player does not differ from itself")
	}
	weights := make([]float64, len(f.at.X))
	weights[i], weights[j] = 1, -1
	return f.profileElo(weights, level)
}

func (f *Fit) profileElo(weights []float64, level float64) (binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	lo, hi, err := f.profile(weights, level)
	return binomial.Interval{Method: f.errs.method(), Level: level, Lo: binomial.EloPerNat * lo, Hi: binomial.EloPerNat * hi}, err
}

// ProfileFirstMove is the profile-likelihood interval of [Fit].FirstMove: of the
// factor, or of δ. It fails for a model without the effect and for a level
// outside (0, 1).
func (f *Fit) ProfileFirstMove(level float64) (binomial.Interval, error) {
	weights := make([]float64, len(f.at.X))
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	switch f.Model.FirstMove {
	case Multiplicative:
		weights[len(f.Players)] = 1
		lo, hi, err := f.profile(weights, level)
		return binomial.Interval{Method: f.errs.method(), Level: level, Lo: math.Exp(lo), Hi: math.Exp(hi)}, err
	case Additive:
		return f.profileAdditive(level)
	case NoFirstMove:
	}
	return binomial.Interval{}, errors.New("the model has no first-move effect")
}

// chiSquared is the probability that χ² with df degrees of freedom is x or more.
func chiSquared(x float64, df int) float64 {
	if x <= 0 || df < 1 {
		return 1
	}
	return mathext.GammaIncRegComp(float64(df)/2, x/2)
}

// profile is where the profile of weights·x ends. A ladder is concave, so that the short way is safe.
func (f *Fit) profile(weights []float64, level float64) (lo, hi float64, err error) {
	along := newton.Profile
	if _, concave := f.inner.(*ladder); concave {
		along = newton.ConcaveProfile
	}
	return along(f.inner, f.at, weights, f.errs.quantile(weights, level))
}
