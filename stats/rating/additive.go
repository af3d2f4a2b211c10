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

// additiveFirst returns the likelihood of a model with the first-player advantage δ. Black i beats White j with
// probability (π_i + δ)/(π_i + π_j): δ is added to Black's strength π_i and subtracted from White's strength
// π_j. δ is positive if sign is 1, and negative if sign is -1. The caller fits both signs, because the fit
// uses the logarithm of |δ|.
func additiveFirst(t crosstable.Table, sign float64) *ground {
	g := &ground{players: len(t.Names), family: added, terms: 1}
	g.rows = func(crosstable.Cell) (black, white []float64) { return []float64{sign}, []float64{-sign} }
	g.set(t.Cells)
	return g
}

// rateAdditive maximises the likelihood for δ > 0 and for δ < 0, and returns the fit with the higher maximum. aside has
// the players that the caller excluded from t; they are copied into the fit.
func rateAdditive(t crosstable.Table, m Model, aside []crosstable.Excluded) (*Fit, error) {
	null, err := newton.Climb(newLadder(t, Model{Draws: HalfWin}), make([]float64, len(t.Names)), nil)
	if err != nil {
		return nil, err
	}
	best, failure := (*Fit)(nil), error(nil)
	for _, sign := range []float64{1, -1} {
		g := additiveFirst(t, sign)
		at, err := g.summit(g.smallStarts(null.X))
		if err != nil {
			failure = err
			continue
		}
		if f := newFit(t, m, g, at, aside); best == nil || f.LogLik > best.LogLik {
			best = f
			best.FirstMove = sign * math.Exp(at.X[g.players])
		}
	}
	if best == nil {
		return nil, fmt.Errorf("the additive first-move effect meets the strength of the weakest players: %w", failure)
	}
	if math.Abs(best.FirstMove) < atBound {
		best.FirstMove = 0
		return best, nil
	}
	if len(best.at.Drifting) > 0 {
		return nil, errors.New("the likelihood of the additive first-move effect has no maximum")
	}
	return best, nil
}

// smallStarts returns starting points for the search for δ. In each of them |δ| is below every strength; it ranges from
// small to almost this maximum.
func (g *ground) smallStarts(logs []float64) [][]float64 {
	x := append(slices.Clone(logs), 0)
	_, share := g.raw(x)
	weakest := slices.Min(share) * 50 * float64(g.players)
	var list [][]float64
	for _, part := range []float64{0.01, 0.2, 0.8} {
		x[g.players] = math.Log(weakest * part)
		list = append(list, slices.Clone(x))
	}
	return list
}

// profileAdditive returns the profile-likelihood interval of δ. If the interval contains 0, it combines the
// profiles for δ > 0 and δ < 0.
func (f *Fit) profileAdditive(level float64) (binomial.Interval, error) {
	i := binomial.Interval{Method: "profile_likelihood", Level: level}
	if f.FirstMove == 0 {
		return i, errors.New("the additive first-move effect is 0: its profile has no slope to follow")
	}
	n := len(f.Players)
	weights := make([]float64, n+1)
	weights[n] = 1
	z := f.errs.quantile(weights, level)
	near, far, err := newton.Profile(f.inner, f.at, weights, z)
	if err != nil {
		return i, err
	}
	sign := math.Copysign(1, f.FirstMove)
	inner, outer := sign*math.Exp(near), sign*math.Exp(far)
	if math.Abs(inner) < atBound {
		if inner, err = f.beyondZero(-sign, z); err != nil {
			return i, err
		}
	}
	i.Lo, i.Hi = min(inner, outer), max(inner, outer)
	return i, nil
}

// beyondZero returns the other end of the profile-likelihood interval of δ if it is on the other side of δ = 0. sign is
// 1 or -1, the sign of δ on that side. z is the square root of the profile's deviance at the end.
func (f *Fit) beyondZero(sign, z float64) (float64, error) {
	g := additiveFirst(f.table, sign)
	n := len(f.Players)
	x := slices.Clone(f.at.X)
	x[n] = math.Log(atBound)
	weights := make([]float64, n+1)
	weights[n] = 1
	x, err := climbHeld(g, x, weights)
	if err != nil {
		return 0, err
	}
	w, err := newton.ProfileEnd(g, newton.Peak{X: x, Value: f.at.Value}, weights, z, 1)
	return sign * math.Exp(w), err
}

// climbHeld maximises p under the condition that weights·x keeps its value.
func climbHeld(p newton.Problem, x, weights []float64) ([]float64, error) {
	at, err := newton.Climb(p, x, &newton.Contrast{Weights: weights, At: newton.Dot(weights, x)})
	return at.X, err
}
