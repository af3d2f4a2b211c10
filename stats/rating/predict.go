package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// Prediction is what a fit expects of a game of A against B.
type Prediction struct {
	A, B            string
	Handicap        int     // that A receives; 0 is even, and A is Black
	Win, Draw, Loss float64 // A's probabilities; a model that counts draws as halves has none
	Score           float64 // A's expected points
	// Interval is that of Score, symmetric in its log odds ("wald_logit", or
	// "wald_logit_clusters" where games depend on each other). If a parameter of the model is at
	// the end of its range, it is that of the profile likelihood ("profile_likelihood", or
	// "profile_likelihood_clusters"), in which an end that the games do not set is NaN.
	Interval binomial.Interval
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
// if a strength or parameter that it needs has no finite estimate. A parameter at 0,
// the end of its range, is finite.
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
	if err := f.finite(i, j, row); err != nil {
		return Prediction{}, err
	}
	q := Prediction{A: a, B: b, Handicap: handicap}
	odds := func(x []float64) float64 {
		r, _ := f.ground.raw(x)
		return f.ground.side(x[i], r, row).log - x[j]
	}
	chances := func(x []float64) (win, draw, loss float64) { return outcome{HalfWin}.probabilities(odds(x), 0) }
	if len(f.at.Drifting) > 0 {
		err = q.profile(f, tilted{ground: f.ground, black: i, white: j, row: row}, level, odds)
		return q, err
	}
	err = q.fill(f.at, f.errs, f.ground, len(f.Players), level, chances)
	return q, err
}

// finite fails if one of two players, or a term of a row, has no finite estimate.
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

// profile fills a prediction of a fit with a parameter at the end of its range, where
// no standard error exists: the ends of the interval are the expected points of the
// parameters that lower the likelihood as far as the level allows and are best else.
func (q *Prediction) profile(f *HandicapFit, p tilted, level float64, odds func(x []float64) float64) error {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return err
	}
	if q.A == q.B {
		return errors.New("a player does not play itself")
	}
	q.Win, q.Draw, q.Loss = outcome{HalfWin}.probabilities(odds(f.at.X), 0)
	q.Score = q.Win + q.Draw/2
	z := f.errs.quantile(slopeOf(odds, f.at.X), level)
	end := func(side float64) float64 {
		x := p.end(f.at, z, side)
		if x == nil {
			return math.NaN()
		}
		return logistic(odds(x))
	}
	q.Interval = binomial.Interval{Method: f.errs.method(), Level: level, Lo: end(-1), Hi: end(1)}
	return nil
}

// tilted is a likelihood with a game between two players in which the first gets so
// many points and the second as many less than none. Its maximum is a point of the
// profile of the first one's log odds: no other point with the same odds is likelier.
type tilted struct {
	ground       *ground
	black, white int
	row          []float64
}

// with is the likelihood tilted by so many points.
func (p tilted) with(points float64) *ground {
	g := *p.ground
	//nolint:gosec // few players
	g.cells = append(slices.Clone(g.cells), crosstable.Cell{Black: int32(p.black), White: int32(p.white), Wins: points, Losses: -points})
	g.black, g.white = append(slices.Clone(g.black), p.row), append(slices.Clone(g.white), nil)
	return &g
}

// end is the point of the profile on one side (-1 or 1) where the root of the deviance
// is z; nil if the games set none. With more points than games there is no maximum.
func (p tilted) end(at newton.Peak, z, side float64) []float64 {
	inner := at.X
	within := func(points float64) bool { // and then the next climb starts there
		g := p.with(side * points)
		best, err := g.summit([][]float64{inner, p.ground.lifted(inner)})
		if err != nil || math.Sqrt(2*max(0, at.Value-p.ground.Value(best.X))) > z {
			return false
		}
		inner = best.X
		return true
	}
	games := 0.0
	for _, c := range p.ground.cells {
		games += c.Games()
	}
	low, high := 0.0, 0.25
	for ; within(high); high *= 2 {
		if low = high; high > games {
			return nil
		}
	}
	for high-low > 1e-10*high {
		if middle := (low + high) / 2; within(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return inner
}

// lifted is x with the terms near 0 raised: from a plain, where the logarithm of a term is
// far below 0, no slope leads back.
func (g *ground) lifted(x []float64) []float64 {
	x = slices.Clone(x)
	least := math.Log(0.1)
	if g.family == added {
		least = math.Log(5)
	}
	for k := g.players; k < len(x) && g.family != logLinear; k++ {
		x[k] = max(x[k], least)
	}
	return x
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
func (q *Prediction) fill(at newton.Peak, errs *robust, l inner, players int, level float64, chances func(x []float64) (win, draw, loss float64)) error {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
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
	q.Interval = binomial.Interval{Method: "wald_logit", Level: level, Lo: logistic(center - reach), Hi: logistic(center + reach)}
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
func (f *HandicapFit) Profile(player string, level float64) (binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
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
	lo, hi, err := newton.Profile(f.ground, f.at, weights, f.errs.quantile(weights, level))
	return binomial.Interval{Method: f.errs.method(), Level: level, Lo: binomial.EloPerNat * lo, Hi: binomial.EloPerNat * hi}, err
}
