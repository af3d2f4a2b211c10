package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// A PairRates holds the probabilities of the five possible scores of a colour-swapped pair, from A's point of
// view. In order they are LL, LD, one point (a win and a loss, or two draws), WD, and WW.
type PairRates [5]float64

// Conditions returns the conditions of the pairs in an earlier series: the draw rate, and the correlation
// between the games of a pair. The correlation is calculated from the variance of the pairs. Conditions
// returns an error for a series without colour-swapped pairs, and if all games ended with the same result.
func (t Tally) Conditions() (Conditions, error) {
	if t.Penta.Pairs() == 0 || t.Singles > 0 {
		return Conditions{}, errors.New("it takes colour-swapped pairs to see how they vary")
	}
	w := t.Penta.games()
	n := float64(w.Games())
	mean := (float64(w.Wins) + float64(w.Draws)/2) / n
	game := (float64(w.Wins)+float64(w.Draws)/4)/n - mean*mean
	if !(game > 0) {
		return Conditions{}, errors.New("all games ended alike: they do not show how much scores vary")
	}
	pair := 0.0
	for cell, count := range t.Penta.cells() {
		d := float64(cell)/4 - mean
		pair += float64(count) / float64(t.Penta.Pairs()) * d * d
	}
	return Conditions{DrawRate: float64(w.Draws) / n, Correlation: max(2*pair/game-1, -1+1/n)}, nil
}

// PairRates returns the probabilities of the scores of a pair at a true difference of elo. Each game has the
// draw rate. To reach the correlation, PairRates mixes two kinds of pairs: pairs of independent games, and
// pairs whose games are as equal, or as opposite, as possible. It returns an error if the difference does not
// allow the draw rate or the correlation.
func (c Conditions) PairRates(elo float64) (PairRates, error) {
	variance, err := c.variance()
	if err = errors.Join(err, binomial.CheckFinite(elo)); err != nil {
		return PairRates{}, err
	}
	score := binomial.Expected(elo)
	game := [3]float64{1 - score - c.DrawRate/2, c.DrawRate, score - c.DrawRate/2}
	if min(game[0], game[2]) < 0 {
		return PairRates{}, binomial.TooManyDraws(elo, c.DrawRate)
	}
	correlation := variance/((1-c.DrawRate)/4) - 1 // includes the bias of the opening
	coupled, full := coupling(game, correlation < 0)
	if full = math.Abs(full); math.Abs(correlation) > full {
		return PairRates{}, fmt.Errorf("at a difference of %g Elo the two games of a pair cannot have a correlation of %.3g",
			elo, correlation)
	}
	var r PairRates
	for i, p := range game {
		for j, q := range game {
			r[i+j] += p * q
		}
	}
	if share := math.Abs(correlation); share > 0 {
		share /= full
		for i := range r {
			r[i] += share * (coupled[i] - r[i])
		}
	}
	return r, nil
}

// coupling returns the probabilities of pairs in which one game's result determines the other as far as possible. The
// results are as equal as possible, or as opposite as possible if opposite is true. coupling also returns the
// correlation of the two games. game has the probabilities of loss, draw and win.
func coupling(game [3]float64, opposite bool) (r PairRates, correlation float64) {
	first, second := game, game
	if opposite {
		second[0], second[2] = game[2], game[0]
	}
	mean := (game[1] + 2*game[2]) / 2
	product := 0.0
	for i, j := 0, 0; i < 3 && j < 3; {
		p := min(first[i], second[j])
		other := j
		if opposite {
			other = 2 - j
		}
		r[i+other] += p
		product += p * (float64(i)/2 - mean) * (float64(other)/2 - mean)
		first[i] -= p
		second[j] -= p
		if first[i] <= second[j] {
			i++
		} else {
			j++
		}
	}
	variance := game[1]/4 + game[2] - mean*mean
	return r, product / variance
}

// quarters lists the scores of a pair per game, in the order of PairRates.
var quarters = []float64{0, 0.25, 0.5, 0.75, 1}

// moments returns the mean score of the pairs, in [0, 1], and the variance of the score.
func (r PairRates) moments() (mean, variance float64) { return moments(quarters, r[:]) }
