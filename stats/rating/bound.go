package rating

import (
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// Bound returns the one-sided bound of a player without a rating, who won or lost all games against rated
// players. The bound is [Lo, +Inf] or [-Inf, Hi] in Elo; the mean of the rated players is 0. If the true
// rating is at the finite end, the results of these games have a probability of at most 1 - level, for any
// strengths of the other players. For n games against one equal opponent it is the exact bound of Clopper and
// Pearson. The games of a cluster count as one game, because they may depend on each other.
//
// Bound returns an error for other players, and for players without a game against a rated player. It also
// returns an error for fits with a prior, and for a level outside (0, 1).
func (f *Fit) Bound(player string, level float64) (binomial.Interval, error) {
	if f.Model.FirstMove == Additive || f.Model.Prior.exists() {
		return binomial.Interval{}, fmt.Errorf("%s has no bound under this model", player)
	}
	return f.bound(player, level, func(t crosstable.Table) newton.Problem { return newLadder(t, f.Model) })
}

// Bound returns the bound in the handicap model; see [Fit.Bound]. It also returns an error if a strength or
// parameter has no finite estimate.
func (f *HandicapFit) Bound(player string, level float64) (binomial.Interval, error) {
	if len(f.at.Drifting) > 0 {
		return binomial.Interval{}, fmt.Errorf("%s has no bound where other numbers have no estimate", player)
	}
	return f.bound(player, level, func(t crosstable.Table) newton.Problem { return f.shape.on(t) })
}

// bound returns the bound of a player without a rating. on returns the model's likelihood for a table of games.
func (f *fitted) bound(player string, level float64, on func(crosstable.Table) newton.Problem) (binomial.Interval, error) {
	none := binomial.Interval{}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return none, err
	}
	place := slices.IndexFunc(f.SetAside, func(a crosstable.Excluded) bool { return a.Player == player && a.Kind != crosstable.NoGame })
	if place < 0 {
		return none, fmt.Errorf("%s was not set aside for winning or losing every game", player)
	}
	t, i := f.with(player)
	if !slices.ContainsFunc(t.Cells, func(c crosstable.Cell) bool { return plays(c, i) }) {
		return none, fmt.Errorf("%s played no game against players who are rated", player)
	}
	deviance := -2 * math.Log(1-level) * perUnit(t, i)
	interval := binomial.Interval{Method: "likelihood_bound", Level: level, Lo: math.Inf(-1), Hi: math.Inf(1)}
	var err error
	if f.SetAside[place].Kind == crosstable.WonAll {
		interval.Lo, err = f.crossing(on(t), i, deviance, 1)
	} else {
		interval.Hi, err = f.crossing(on(t), i, deviance, -1)
	}
	return interval, err
}

func plays(c crosstable.Cell, player int) bool {
	return int(c.Black) == player || int(c.White) == player
}

// with returns the table of the rated players and one more player. i is the number of this player in the
// table.
func (f *fitted) with(player string) (t crosstable.Table, i int) {
	kept := make([]bool, len(f.all.Names))
	for n, name := range f.all.Names {
		_, rated := slices.BinarySearch(f.table.Names, name)
		kept[n] = rated || name == player
	}
	t = f.all.Only(kept)
	i, _ = slices.BinarySearch(t.Names, player)
	return t, i
}

// perUnit returns the number of a player's games per independent observation.
func perUnit(t crosstable.Table, player int) float64 {
	games, units := 0.0, 0.0
	for _, c := range t.Cells {
		if plays(c, player) {
			games += c.Games()
			units += c.Games() - c.Clustered
		}
	}
	for _, cluster := range t.Clusters {
		if slices.ContainsFunc(cluster, func(c crosstable.Cell) bool { return plays(c, player) }) {
			units++
		}
	}
	return max(1, games/units)
}

// widestBound is the largest distance of a bound from the other players' strengths, in natural units.
const widestBound = 40

// crossing returns the strength of a player at which the profile likelihood has fallen by the deviance, compared with
// the likelihood without this player. side is 1 if the likelihood rises with the player's strength.
func (f *fitted) crossing(p newton.Problem, player int, deviance, side float64) (float64, error) {
	x := slices.Insert(slices.Clone(f.at.X), player, 0)
	mean := 0.0
	weights := make([]float64, len(x))
	for n := range len(f.table.Names) + 1 {
		if n != player {
			weights[n] = -1 / float64(len(f.table.Names))
			mean -= weights[n] * x[n]
		}
	}
	weights[player] = 1
	low, high := -float64(widestBound), float64(widestBound)
	for high-low > 1e-9 {
		middle := (low + high) / 2
		x[player] = mean + side*middle
		best, err := newton.Climb(p, x, &newton.Contrast{Weights: weights, At: side * middle})
		if err != nil {
			return 0, err
		}
		if 2*(f.at.Value-best.Value) > deviance {
			low = middle
		} else {
			high = middle
		}
	}
	return side * binomial.EloPerNat * low, nil
}
