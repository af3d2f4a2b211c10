package rating

import "errors"

// An LRTest is the result of a likelihood-ratio test. The test compares a model with a larger model that
// contains it.
type LRTest struct {
	// Statistic is twice the difference of the log-likelihoods, and not negative. If games depend on each
	// other, this number is divided by the design effect.
	Statistic float64
	DF        int     // additional parameters of the larger model
	P         float64 // p value by χ² (Wilks), or by F with clusters. It is an approximation for many games, and 1 if DF is 0.
}

// LikelihoodRatio tests the fit null against the fit full of a larger model to the same games. For example,
// full has a first-move effect and null has none. It returns an error if the larger model does not contain
// the smaller model, and if the games differ. It also returns an error for fits with a prior, because they do
// not maximise the likelihood.
func LikelihoodRatio(null, full *Fit) (LRTest, error) {
	switch {
	case null.Model.Prior.exists() || full.Model.Prior.exists():
		return LRTest{}, errors.New("a prior keeps a fit from the maximum of the likelihood")
	case null.Model.Draws != full.Model.Draws:
		return LRTest{}, errors.New("the fits have different draw models")
	case null.Model.FirstMove != NoFirstMove && null.Model.FirstMove != full.Model.FirstMove:
		return LRTest{}, errors.New("the larger model does not contain the smaller one")
	case null.Games != full.Games || len(null.Players) != len(full.Players):
		return LRTest{}, errors.New("the fits are not of the same games")
	}
	return full.errs.ratio(null.LogLik, full.LogLik, len(full.Players), full.Parameters-null.Parameters), nil
}
