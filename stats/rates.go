package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// PairRates are the probabilities of a colour-swapped pair's score, in quarters
// of its points from A's side: LL, LD, a win and a loss or two draws, WD, WW.
type PairRates [5]float64

// Conditions are those of the pairs of an earlier series: its draw rate, and the
// correlation between the games of a pair that makes up their variance. It fails
// for a series without colour-swapped pairs, and one whose games all ended alike.
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

// PairRates are the probabilities of pairs where the true difference is elo: each
// game has the draw rate, and the two are as much dependent as they are
// correlated: a mixture of independent games with games that are as equal, or as
// opposite, as they can be. It fails for a difference that leaves no room for the
// draws, or none for the correlation.
func (c Conditions) PairRates(elo float64) (PairRates, error) {
	variance, err := c.variance()
	if err = errors.Join(err, binomial.CheckFinite(elo)); err != nil {
		return PairRates{}, err
	}
	score := binomial.Expected(elo)
	game := [3]float64{1 - score - c.DrawRate/2, c.DrawRate, score - c.DrawRate/2}
	if min(game[0], game[2]) < 0 {
		return PairRates{}, fmt.Errorf("a draw rate of %v leaves no room for a difference of %v Elo", c.DrawRate, elo)
	}
	correlation := variance/((1-c.DrawRate)/4) - 1 // the opening's bias included
	coupled, full := coupling(game, correlation < 0)
	if full = math.Abs(full); math.Abs(correlation) > full {
		return PairRates{}, fmt.Errorf("two games of which one side scores %.3g cannot have a correlation of %.3g", score, correlation)
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

// coupling is the pair of two games with these probabilities of loss, draw and
// win that have the same quantiles, or opposite ones, and their correlation.
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

// moments are the mean score, in [0, 1], and its variance over pairs.
func (r PairRates) moments() (mean, variance float64) {
	for i, p := range r {
		mean += p * float64(i) / 4
	}
	for i, p := range r {
		d := float64(i)/4 - mean
		variance += p * d * d
	}
	return mean, variance
}
