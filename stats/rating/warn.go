package rating

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

func submatrix(m matrix, kept []int) matrix {
	sub := mat.NewSymDense(len(kept), nil)
	for a, i := range kept {
		for b := range a + 1 {
			sub.SetSym(a, b, m.At(i, kept[b]))
		}
	}
	return sub
}

// AkaikeWeights returns the Akaike weight of each model: exp(-Δ/2), divided by the sum over all models. Δ is the
// difference between the model's AIC (or AICc) and the least AIC. A model with the criterion +Inf has the weight 0.
// AkaikeWeights returns an error without models, and for other criteria that are not finite.
func AkaikeWeights(criteria []float64) ([]float64, error) {
	if len(criteria) == 0 {
		return nil, errors.New("no model to weigh")
	}
	least := slices.Min(criteria)
	if math.IsInf(least, 0) || slices.ContainsFunc(criteria, math.IsNaN) {
		return nil, errors.New("a model has no finite criterion")
	}
	weights, sum := make([]float64, len(criteria)), 0.0
	for i, c := range criteria {
		weights[i] = math.Exp((least - c) / 2)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, nil
}

// followed is the R² from which a warning reports that the handicaps depend on the players. Standard errors are then
// more than three times as large as without such a dependence.
const followed = 0.9

// judge selects the best model and adds the warnings.
func (c *HandicapComparison) judge(t crosstable.Table) {
	c.Best = slices.MinFunc(c.Fits, func(a, b *HandicapFit) int { return cmp.Compare(a.AIC, b.AIC) }).Model
	c.Following = following(t, signed)
	c.warnFollowing(t)
	c.warnFirstMove()
	if t.Draws() > 0 {
		c.Warnings = append(c.Warnings, Warning{Kind: DrawsAreHalves})
	}
}

func (c *HandicapComparison) warnFollowing(t crosstable.Table) {
	again, varied := variety(t)
	switch {
	case c.Following > confounded:
		c.Warnings = append(c.Warnings, Warning{Kind: HandicapIsGap, Following: c.Following})
	case c.Following > followed:
		c.Warnings = append(c.Warnings, Warning{Kind: HandicapFollows, Following: c.Following})
	case again >= 5 && varied == 0:
		c.Warnings = append(c.Warnings, Warning{Kind: HandicapIsPair, Pairs: again})
	}
}

// warnFirstMove adds a warning if even games have a first-move effect that the models ignore.
func (c *HandicapComparison) warnFirstMove() {
	for _, f := range c.Fits {
		if f.Model == FirstMoveOnly && f.Against.P < 0.05 {
			c.Warnings = append(c.Warnings, Warning{Kind: FirstMoveIgnored, P: f.Against.P})
		}
	}
}

// signed returns the handicap of a cell, negative if White received it.
func signed(c *crosstable.Cell) float64 {
	if c.ByWhite {
		return -float64(c.Handicap)
	}
	return float64(c.Handicap)
}

// following returns the R² of a least-squares regression. The regression gives each player a value, and explains
// number(cell) by the value of Black minus the value of White. If the R² is 1, such values explain the number
// exactly. Then the games cannot distinguish the effect of the number from the players' strengths.
func following(t crosstable.Table, number func(*crosstable.Cell) float64) float64 {
	diagonal, rhs := make([]float64, len(t.Names)), make([]float64, len(t.Names))
	total := 0.0
	for i := range t.Cells {
		c := &t.Cells[i]
		n, h := c.Games(), number(c)
		diagonal[c.Black] += n
		diagonal[c.White] += n
		rhs[c.Black] += n * h
		rhs[c.White] -= n * h
		total += n * h * h
	}
	if total == 0 {
		return 0
	}
	scale := newton.Conjugate(func(v, out []float64) {
		clear(out)
		for i := range t.Cells {
			c := &t.Cells[i]
			d := c.Games() * (v[c.Black] - v[c.White])
			out[c.Black] += d
			out[c.White] -= d
		}
	}, diagonal, rhs)
	return min(1, newton.Dot(scale, rhs)/total)
}

// confounded is the R² above which the games cannot determine the effect of a handicap.
const confounded = 1 - 1e-9

// variety returns two numbers of pairs of players. again counts the pairs that met more than once. varied counts the
// pairs that met under more than one handicap.
func variety(t crosstable.Table) (again, varied int) {
	type met struct {
		games    float64
		handicap float64
		varied   bool
	}
	pairs := map[[2]int32]met{}
	for i := range t.Cells {
		c := &t.Cells[i]
		key, h := [2]int32{c.Black, c.White}, signed(c)
		if c.Black > c.White {
			key, h = [2]int32{c.White, c.Black}, -h
		}
		m, known := pairs[key]
		m.varied = m.varied || known && m.handicap != h
		m.handicap, m.games = h, m.games+c.Games()
		pairs[key] = m
	}
	for _, m := range pairs {
		if m.games > 1 {
			again++
		}
		if m.varied {
			varied++
		}
	}
	return again, varied
}

// A Warning is a reason to doubt a comparison of handicap models. Its Kind decides which of the other fields
// are set.
type Warning struct {
	Kind      WarningKind
	P         float64 // p value of the first-move effect in even games.
	Following float64 // R² of a regression of the handicap on the players.
	Pairs     int     // number of pairs of players who met again, always under the same handicap
}

// A WarningKind is the kind of a [Warning].
type WarningKind string

// The kinds of a Warning. The first two compare the handicaps with differences: each player has a value, and the
// value of Black minus the value of White explains the handicap.
const (
	// such differences explain all handicaps, so their effect is not separable
	HandicapIsGap WarningKind = "handicap_is_gap"
	// such differences nearly explain them, so standard errors are large
	HandicapFollows  WarningKind = "handicap_follows"
	HandicapIsPair   WarningKind = "handicap_is_pair"   // players who met again always had the same handicap.
	FirstMoveIgnored WarningKind = "first_move_ignored" // even games have a first-move effect, which few models have
	// draws are half wins; likelihoods of draw models are not comparable
	DrawsAreHalves WarningKind = "draws_are_halves"
)
