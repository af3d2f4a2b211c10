package rating

import (
	"fmt"
	"slices"

	"gogi/stats/rating/crosstable"
)

// MMIterates returns the strengths after each of the first n steps of the MM algorithm (Hunter 2004) for the
// plain Bradley–Terry model. It starts from equal strengths. A draw is half a win. The strengths are in the
// order of the names and sum to 1. If cyclic is true, a step uses each new value at once, otherwise only
// values of the previous step (Jacobi). MMIterates returns an error for n < 1, and if [Rate] without a prior
// returns an error.
//
// Each step maximises a simpler function that is nowhere above the likelihood, so it raises the likelihood.
// The steps converge to the strengths of Rate, which uses the faster method of Newton.
func MMIterates(counts []crosstable.Count, n int, cyclic bool) ([][]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d iterations are none", n)
	}
	t, err := crosstable.New(counts)
	if err != nil {
		return nil, err
	}
	if t, _, err = t.Rated(); err != nil {
		return nil, err
	}
	of := make([][]crosstable.Cell, len(t.Names)) // the cells of each player
	for _, c := range t.Folded() {
		of[c.Black] = append(of[c.Black], c)
		of[c.White] = append(of[c.White], c)
	}
	gamma, iterates := slices.Repeat([]float64{1}, len(of)), make([][]float64, n)
	for k := range iterates {
		old := gamma
		if !cyclic {
			old = slices.Clone(gamma)
		}
		for i, cells := range of {
			gamma[i] = minorised(i, cells, old)
		}
		iterates[k] = shares(gamma)
	}
	return iterates, nil
}

// minorised returns the next strength of player i: the player's points, divided by the sum of n/(γ_a + γ_b) over the
// player's cells of n games.
func minorised(i int, cells []crosstable.Cell, gamma []float64) float64 {
	points, pull := 0.0, 0.0
	for n := range cells {
		c := &cells[n]
		if int(c.Black) == i {
			points += c.Points()
		} else {
			points += c.Games() - c.Points()
		}
		pull += c.Games() / (gamma[c.Black] + gamma[c.White])
	}
	return points / pull
}

// shares returns the numbers divided by their sum.
func shares(numbers []float64) []float64 {
	sum := 0.0
	for _, v := range numbers {
		sum += v
	}
	list := make([]float64, len(numbers))
	for i, v := range numbers {
		list[i] = v / sum
	}
	return list
}
