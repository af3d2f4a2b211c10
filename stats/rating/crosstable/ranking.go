package crosstable

import (
	"cmp"
	"math"
	"slices"

	"gogi/stats/binomial"
	"gogi/stats/rating/newton"
)

// Player is the rating of one player.
type Player struct {
	Name     string
	Elo      float64 // mean 0 over the players rated
	Strength float64 // π, which sums to 50 per player rated
	Games    int     // against players rated
	Points   float64 // of these games; a draw is half a point
}

// Ranking turns log strengths, by the players' numbers in the table, into ratings, best
// first, and says which number each has; equals stay by name. Only the strengths of
// players of the table are looked at.
func Ranking(t Table, x []float64) ([]Player, []int) {
	logs := slices.Clone(x[:len(t.Names)])
	newton.SubtractMean(logs)
	top, sum := slices.Max(logs), 0.0
	for _, v := range logs {
		sum += math.Exp(v - top)
	}
	games, points := t.Totals()
	rank := make([]int, len(logs))
	for i := range rank {
		rank[i] = i
	}
	// Equals are equal to nine digits: what rounding leaves beyond orders nobody.
	digits := func(i int) float64 { return math.Round(logs[i] * 1e9) }
	slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(digits(b), digits(a)) })
	players := make([]Player, len(logs))
	for place, i := range rank {
		players[place] = Player{
			Name:     t.Names[i],
			Elo:      binomial.EloPerNat * logs[i],
			Strength: 50 * float64(len(logs)) * math.Exp(logs[i]-top) / sum,
			Games:    int(games[i]),
			Points:   points[i],
		}
	}
	return players, rank
}
