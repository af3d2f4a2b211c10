package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/counts"

	"gogi/stats/rating/ascent"
	"gogi/stats/rating/crosstable"
)

// Prediction is what a fit expects of a game of A against B.
type Prediction struct {
	A, B            string
	Handicap        int     // that A receives; 0 is even, and A is Black
	Win, Draw, Loss float64 // A's probabilities; a model that counts draws as halves has none
	Score           float64 // A's expected points
	// Interval is that of Score, symmetric in its log odds ("wald_logit", or
	// "wald_logit_clusters" where games depend on each other).
	Interval counts.Interval
}

// Predict is the expected result of an even game between two players who are
// rated, A being Black. It fails for others, for a player against itself, for a
// level outside (0, 1), and where the games do not determine an error.
func (f *Fit) Predict(a, b string, level float64) (Prediction, error) {
	i, err := f.number(a)
	if err != nil {
		return Prediction{}, err
	}
	j, err := f.number(b)
	if err != nil {
		return Prediction{}, err
	}
	l, ok := f.inner.(*ladder)
	if !ok {
		return Prediction{}, errors.New("predictions are for models whose first-move effect is a factor")
	}
	q := Prediction{A: a, B: b}
	chances := func(x []float64) (win, draw, loss float64) {
		first, d := l.terms(x)
		return l.outcome.probabilities(x[i]-x[j]+first, d)
	}
	err = q.fill(f.at, f.errs, f.inner, len(f.Players), level, chances)
	return q, err
}

// Predict is the expected result when A receives a handicap from B; with the
// handicap 0 the game is even and A is Black. It fails as [Fit.Predict] does, for
// a handicap of which the model says nothing, as no game was played with it, and
// where a strength or parameter has no finite estimate.
func (f *HandicapFit) Predict(a, b string, handicap int, level float64) (Prediction, error) {
	i, err := f.number(a)
	if err != nil {
		return Prediction{}, err
	}
	j, err := f.number(b)
	if err != nil {
		return Prediction{}, err
	}
	row, err := f.shape.row(handicap)
	if err != nil {
		return Prediction{}, err
	}
	if len(f.at.Drifting) > 0 {
		return Prediction{}, errors.New("the model has numbers without a finite estimate: " + f.Notes[0])
	}
	q := Prediction{A: a, B: b, Handicap: handicap}
	chances := func(x []float64) (win, draw, loss float64) {
		r, _ := f.ground.raw(x)
		return outcome{HalfWin}.probabilities(f.ground.side(x[i], r, row).log-x[j], 0)
	}
	err = q.fill(f.at, f.errs, f.ground, len(f.Players), level, chances)
	return q, err
}

func (f *HandicapFit) number(player string) (int, error) {
	i, ok := slices.BinarySearch(f.table.Names, player)
	if ok {
		return i, nil
	}
	for _, a := range f.aside {
		if a.Player == player {
			return 0, fmt.Errorf("%s has no rating: %s", player, a.Why)
		}
	}
	return 0, fmt.Errorf("%s has no rating: played no game", player)
}

// row is the coefficients of a handicap, also of one that was not played where
// the model is a line.
func (s shape) row(handicap int) ([]float64, error) {
	row, played := s.rows[handicap]
	switch {
	case handicap < 0 || handicap > crosstable.HeaviestHandicap:
		return nil, fmt.Errorf("handicap %d is not between 0 and %d", handicap, crosstable.HeaviestHandicap)
	case played || handicap == 0:
		return row, nil
	}
	switch s.model {
	case NoEffect, FirstMoveOnly:
		return nil, nil
	case Additive2, Multiplicative2:
		return []float64{1, float64(handicap - 1)}, nil
	case Additive3, Multiplicative3, LogLinear:
		return []float64{float64(handicap)}, nil
	case Additive1, Multiplicative1, LogFree, LogFreeFirst:
	}
	return nil, fmt.Errorf("no game was played with handicap %d, and %s says nothing of others", handicap, s.model)
}

// fill reckons from the chances as a function of the fit's coordinates.
func (q *Prediction) fill(at ascent.Peak, errs *robust, l inner, players int, level float64, chances func(x []float64) (win, draw, loss float64)) error {
	if err := counts.CheckOpen("confidence level", level); err != nil {
		return err
	}
	if q.A == q.B {
		return errors.New("a player does not play itself")
	}
	logit := func(x []float64) float64 {
		win, draw, loss := chances(x)
		return math.Log((win + draw/2) / (loss + draw/2))
	}
	q.Win, q.Draw, q.Loss = chances(at.X)
	q.Score = q.Win + q.Draw/2
	slope := slopeOf(logit, at.X)
	var inverse matrix
	var err error
	if errs != nil {
		inverse = errs.inverse
	} else if inverse, err = inverseOf(l.information(at.X), players, l.shiftFree()); err != nil {
		return err
	}
	reach := errs.quantile(slope, level) * standardError(inverse, slope)
	center := logit(at.X)
	q.Interval = counts.Interval{Method: "wald_logit", Level: level, Lo: logistic(center - reach), Hi: logistic(center + reach)}
	if errs != nil {
		q.Interval.Method += "_clusters"
	}
	return nil
}

// slopeOf is the gradient by central differences, which for the smooth functions
// here is right to ten digits.
func slopeOf(f func([]float64) float64, x []float64) []float64 {
	const step = 1e-5
	x, slope := slices.Clone(x), make([]float64, len(x))
	for i, v := range x {
		x[i] = v + step
		up := f(x)
		x[i] = v - step
		slope[i] = (up - f(x)) / (2 * step)
		x[i] = v
	}
	return slope
}

// Profile is the profile-likelihood interval of a player's rating in Elo points,
// where the players with a finite rating have the mean 0; see [Fit.Profile]. It
// fails, too, for a player without a finite rating.
func (f *HandicapFit) Profile(player string, level float64) (counts.Interval, error) {
	if err := counts.CheckOpen("confidence level", level); err != nil {
		return counts.Interval{}, err
	}
	i, err := f.number(player)
	if err != nil {
		return counts.Interval{}, err
	}
	if slices.Contains(f.at.Drifting, i) {
		return counts.Interval{}, errors.New("the likelihood only rises to a limit as its strength leaves the others'")
	}
	weights, finite := make([]float64, len(f.at.X)), 0.0
	for n := range f.Players {
		if !slices.Contains(f.at.Drifting, n) {
			finite++
		}
	}
	for n := range f.Players {
		if !slices.Contains(f.at.Drifting, n) {
			weights[n] = -1 / finite
		}
	}
	weights[i]++
	lo, hi, err := ascent.Profile(f.ground, f.at, weights, f.errs.quantile(weights, level))
	return counts.Interval{Method: f.errs.method(), Level: level, Lo: counts.EloPerNat * lo, Hi: counts.EloPerNat * hi}, err
}
