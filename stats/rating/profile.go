package rating

import (
	"errors"
	"math"

	"gogi/stats/binomial"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"gogi/stats/rating/newton"
)

// Profile returns the profile-likelihood interval of a player's rating. The rating is in Elo, relative to the
// mean of all ratings. The interval contains the ratings that a likelihood-ratio test at this level does not
// reject. For each rating the test uses the best values of all other parameters. (With a prior it uses the
// posterior instead of the likelihood.) An end is infinite if the games set no bound. The method is
// "profile_likelihood". If games depend on each other, it is "profile_likelihood_clusters". With
// [Model].DrawErrors and independent games, some of them drawn, it is "profile_likelihood_draws".
//
// Profile returns an error for players without a rating, and for a level outside (0, 1).
func (f *Fit) Profile(player string, level float64) (binomial.Interval, error) {
	i, err := f.number(player)
	if err != nil {
		return binomial.Interval{}, err
	}
	return f.profileElo(f.aboveMean(i), level)
}

// aboveMean returns the coefficients of a linear function: a player's log strength minus the mean.
func (f *Fit) aboveMean(player int) []float64 {
	weights := make([]float64, len(f.at.X))
	for p := range f.Players {
		weights[p] = -1 / float64(len(f.Players))
	}
	weights[player]++
	return weights
}

// Wald returns the intervals of all ratings in Elo with mean 0, in the order of [Fit].Players, calculated
// from the standard errors. The intervals are symmetric, and fast to calculate for many players. The method
// is "wald", with the suffixes of [Fit.Profile]. Wald returns an error for a level outside (0,
// 1), and the errors of [Fit.Covariance].
func (f *Fit) Wald(level float64) ([]binomial.Interval, error) {
	mean := make([]float64, len(f.at.X))
	for p := range f.Players {
		mean[p] = 1 / float64(len(f.Players))
	}
	return f.wald(level, mean)
}

// WaldFrom returns intervals as Wald does, but for the ratings relative to the player anchor. The interval of
// anchor itself is empty. WaldFrom also returns an error if anchor is not rated.
func (f *Fit) WaldFrom(anchor string, level float64) ([]binomial.Interval, error) {
	n, err := f.number(anchor)
	if err != nil {
		return nil, err
	}
	from := make([]float64, len(f.at.X))
	from[n] = 1
	return f.wald(level, from)
}

// wald returns the intervals of each player's log strength minus one linear function of all log strengths.
// from holds the coefficients of this function.
func (f *Fit) wald(level float64, from []float64) ([]binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	inverse, err := f.independent()
	if err != nil {
		return nil, err
	}
	method := f.errs.method("wald")
	base := 0.0
	for place, p := range f.Players {
		base += from[f.rank[place]] * p.Elo
	}
	var with mat.VecDense // covariance with the subtracted function
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
		list = append(list, binomial.Interval{Method: method, Level: level, Lo: p.Elo - base - reach,
			Hi: p.Elo - base + reach})
	}
	return list, nil
}

// standardError returns the standard error of the linear function weights·x. covariance is the covariance of x.
func standardError(covariance matrix, weights []float64) float64 {
	w := mat.NewVecDense(len(weights), weights)
	return math.Sqrt(max(0, mat.Inner(w, covariance, w)))
}

// ProfileDifference returns the profile-likelihood interval of a's rating minus b's. It returns the errors of
// [Fit.Profile], and an error for a player against itself.
func (f *Fit) ProfileDifference(a, b string, level float64) (binomial.Interval, error) {
	i, j, err := f.numbers(a, b)
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

func (f *fitted) profileElo(weights []float64, level float64) (binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	lo, hi, err := f.profile(weights, level)
	return binomial.Interval{Method: f.errs.method("profile_likelihood"), Level: level, Lo: binomial.EloPerNat * lo,
		Hi: binomial.EloPerNat * hi}, err
}

// ProfileFirstMove returns the profile-likelihood interval of the first-move effect, [Fit].FirstMove. The
// effect is a factor. ProfileFirstMove returns an error for a model without a
// first-move effect, and for a level outside (0, 1).
func (f *Fit) ProfileFirstMove(level float64) (binomial.Interval, error) {
	weights := make([]float64, len(f.at.X))
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	if f.Model.FirstMove != Multiplicative {
		return binomial.Interval{}, errors.New("the model has no first-move effect")
	}
	weights[len(f.Players)] = 1
	lo, hi, err := f.profile(weights, level)
	return binomial.Interval{Method: f.errs.method("profile_likelihood"), Level: level, Lo: math.Exp(lo),
		Hi: math.Exp(hi)}, err
}

// chiSquared returns the probability that χ² with df degrees of freedom is at least x.
func chiSquared(x float64, df int) float64 {
	if x <= 0 || df < 1 {
		return 1
	}
	return mathext.GammaIncRegComp(float64(df)/2, x/2)
}

// profile returns the ends of the profile-likelihood interval of weights·x. It uses the faster method for a ladder,
// which is concave.
func (f *fitted) profile(weights []float64, level float64) (lo, hi float64, err error) {
	along := newton.Profile
	if _, concave := f.inner.(*ladder); concave {
		along = newton.ConcaveProfile
	}
	return along(f.inner, f.at, weights, f.errs.quantile(weights, level))
}
