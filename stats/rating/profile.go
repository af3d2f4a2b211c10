package rating

import (
	"errors"
	"math"

	"gogi/stats/counts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"gogi/stats/rating/ascent"
)

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
func (f *Fit) Wald(level float64) ([]counts.Interval, error) {
	return f.wald(level, f.aboveMean)
}

// WaldFrom is Wald with ratings less that of an anchor, whose own interval is empty. It
// fails for a player who is not rated, too.
func (f *Fit) WaldFrom(anchor string, level float64) ([]counts.Interval, error) {
	n, err := f.number(anchor)
	if err != nil {
		return nil, err
	}
	return f.wald(level, func(player int) []float64 {
		weights := make([]float64, len(f.at.X))
		weights[player]++
		weights[n]--
		return weights
	})
}

// wald are the intervals of one linear function of x for each player.
func (f *Fit) wald(level float64, of func(player int) []float64) ([]counts.Interval, error) {
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
	for place := range f.Players {
		weights, middle := of(f.rank[place]), 0.0
		for i := range f.Players {
			middle += weights[f.rank[i]] * f.Players[i].Elo
		}
		reach := eloPerNat * f.errs.quantile(weights, level) * standardError(inverse, weights)
		list = append(list, counts.Interval{Method: method, Level: level, Lo: middle - reach, Hi: middle + reach})
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
	weights := make([]float64, len(f.at.X))
	weights[i], weights[j] = 1, -1
	return f.profileElo(weights, level)
}

func (f *Fit) profileElo(weights []float64, level float64) (counts.Interval, error) {
	if err := checkLevel(level); err != nil {
		return counts.Interval{}, err
	}
	lo, hi, err := ascent.Profile(f.inner, f.at, weights, f.errs.quantile(weights, level))
	return counts.Interval{Method: f.errs.method(), Level: level, Lo: eloPerNat * lo, Hi: eloPerNat * hi}, err
}

// ProfileFirstMove is the profile-likelihood interval of [Fit].FirstMove: of the
// factor, or of δ. It fails for a model without the effect and for a level
// outside (0, 1).
func (f *Fit) ProfileFirstMove(level float64) (counts.Interval, error) {
	weights := make([]float64, len(f.at.X))
	if err := checkLevel(level); err != nil {
		return counts.Interval{}, err
	}
	switch f.Model.FirstMove {
	case Multiplicative:
		weights[len(f.Players)] = 1
		lo, hi, err := ascent.Profile(f.inner, f.at, weights, f.errs.quantile(weights, level))
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
