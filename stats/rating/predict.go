package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"

	"gogi/stats/rating/crosstable"
)

// A Prediction is the expected result of a game of A against B.
type Prediction struct {
	A, B            string
	Handicap        int     // handicap of A. 0 is an even game, and A is Black.
	Win, Draw, Loss float64 // A's probabilities. With [HalfWin] they have Score, and as many draws as the games.
	Score           float64 // A's expected points
	// Interval is the interval of Score, symmetric in the log odds of Score. The method is "wald_logit", with the
	// suffixes of [Fit.Profile]. Both ends are NaN if a parameter of the model is at
	// the end of its range, because no standard error exists there.
	Interval binomial.Interval
}

// Predict returns the expected result of an even game between two rated players, with A as Black. It returns
// an error for players without a rating, for a player against itself, and for a level outside (0, 1). It also
// returns an error if the games do not determine a standard error.
func (f *Fit) Predict(a, b string, level float64) (Prediction, error) {
	i, j, err := f.numbers(a, b)
	if err != nil {
		return Prediction{}, err
	}
	if i == j {
		return Prediction{}, errors.New("a player does not play itself")
	}
	q := Prediction{A: a, B: b}
	err = f.predict(&q, i, j, level)
	return q, err
}

// PredictEquals returns the expected result of Black in an even game between two equal players. A and B are empty. It
// returns the errors of [Fit.Predict].
func (f *Fit) PredictEquals(level float64) (Prediction, error) {
	var q Prediction
	err := f.predict(&q, 0, 0, level)
	return q, err
}

// predict fills a prediction of a game of player number i as Black against player number j.
func (f *Fit) predict(q *Prediction, i, j int, level float64) error {
	l, ok := f.inner.(*ladder)
	if !ok {
		return errors.New("predictions are for models whose first-move effect is a factor")
	}
	return q.fill(&f.fitted, level, func(x []float64) (win, draw, loss float64) {
		first, d := l.terms(x)
		return l.outcome.probabilities(x[i]-x[j]+first, d)
	})
}

// Predict returns the expected result of a game in which A receives a handicap from B. With handicap 0 the
// game is even and A is Black. Predict returns the errors of [Fit.Predict]. It also returns an error if no
// game had this handicap and the model has no value for it. It returns an error if a needed strength or
// parameter has no finite estimate; a parameter of 0 at the end of its range is finite.
func (f *HandicapFit) Predict(a, b string, handicap int, level float64) (Prediction, error) {
	i, j, err := f.numbers(a, b)
	if err != nil {
		return Prediction{}, err
	}
	if i == j {
		return Prediction{}, errors.New("a player does not play itself")
	}
	row, err := f.shape.row(handicap)
	if err != nil {
		return Prediction{}, err
	}
	if err := f.finite(i, j, row); err != nil {
		return Prediction{}, err
	}
	q := Prediction{A: a, B: b, Handicap: handicap}
	odds := func(x []float64) float64 {
		r, _ := f.ground.raw(x)
		return f.ground.side(x[i], r, row).log - x[j]
	}
	chances := func(x []float64) (win, draw, loss float64) { return outcome{HalfWin}.probabilities(odds(x), 0) }
	err = q.fill(&f.fitted, level, chances)
	return q, err
}

// finite returns an error if the model has no finite estimate for player i or j, or for a term that row uses. row has
// the coefficients of the game's handicap.
func (f *HandicapFit) finite(i, j int, row []float64) error {
	for _, n := range []int{i, j} {
		if slices.Contains(f.at.Drifting, n) {
			return fmt.Errorf("%s has no finite rating under %s: the likelihood only rises to a limit as its strength leaves the others'", f.table.Names[n], f.Model)
		}
	}
	for k, b := range row {
		atZero := f.shape.family != logLinear && f.term(k) == 0
		if b != 0 && !atZero && slices.Contains(f.at.Drifting, f.ground.players+k) {
			return fmt.Errorf("%s has no finite estimate under %s: the likelihood rises to a limit", f.shape.names[k], f.Model)
		}
	}
	return nil
}

// row returns the coefficients of a handicap. If the model is linear, it also has coefficients for a handicap that no
// game had.
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

// fill sets the probabilities and the interval of a prediction. chances returns the probabilities as a
// function of the fit's coordinates.
func (q *Prediction) fill(f *fitted, level float64, chances func(x []float64) (win, draw, loss float64)) error {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return err
	}
	logit := func(x []float64) float64 {
		win, draw, loss := chances(x)
		return math.Log((win + draw/2) / (loss + draw/2))
	}
	q.Win, q.Draw, q.Loss = chances(f.at.X)
	q.Score = q.Win + q.Draw/2
	if f.halves() {
		p := withDraws([3]float64{q.Win, 0, q.Loss}, drawParameter(f.inner.expected(f.at.X), f.table.Cells))
		q.Win, q.Draw, q.Loss = p[0], p[1], p[2]
	}
	q.Interval = binomial.Interval{Method: f.errs.method("wald_logit"), Level: level, Lo: math.NaN(), Hi: math.NaN()}
	if len(f.at.Drifting) > 0 {
		return nil
	}
	slope := slopeOf(logit, f.at.X)
	inverse, err := f.independent()
	if err != nil {
		return err
	}
	reach := f.errs.quantile(slope, level) * standardError(inverse, slope)
	center := logit(f.at.X)
	q.Interval.Lo, q.Interval.Hi = logistic(center-reach), logistic(center+reach)
	return nil
}

// slopeOf returns the gradient of f by central differences. For the smooth functions in this file it is
// correct to ten digits.
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

// Profile returns the profile-likelihood interval of a player's rating in Elo. Ratings are relative to the
// mean of the players with a finite rating. Profile returns the errors of [Fit.Profile], and an error for a
// player without a finite rating.
func (f *HandicapFit) Profile(player string, level float64) (binomial.Interval, error) {
	i, err := f.number(player)
	if err != nil {
		return binomial.Interval{}, err
	}
	if slices.Contains(f.at.Drifting, i) {
		return binomial.Interval{}, errors.New("the likelihood only rises to a limit as its strength leaves the others'")
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
	return f.profileElo(weights, level)
}
