package rating

import "errors"

// An LRTest is a likelihood-ratio test of nested models.
type LRTest struct {
	// Statistic is twice the difference of log-likelihoods, not negative. If games depend on each other, it
	// is divided by the design effect.
	Statistic float64
	DF        int     // additional parameters of the larger model
	P         float64 // by χ² (Wilks), or F for clusters; an approximation for many games. 1 if DF is 0
}

// LikelihoodRatio tests a fit against a simpler one of the same games, such as a first-move effect against
// none. It returns an error if the larger model does not contain the smaller one, if the games differ, and
// for fits with a prior, which do not maximise the likelihood.
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
