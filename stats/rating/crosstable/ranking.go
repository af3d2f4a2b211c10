package crosstable

import (
	"cmp"
	"math"
	"slices"

	"gogi/stats/binomial"
	"gogi/stats/rating/newton"
)

// A Player holds the rating and the results of one player.
type Player struct {
	Name     string
	Elo      float64 // rating in Elo. The mean of the rated players is 0.
	Strength float64 // strength π. The sum is 50 per rated player.
	Games    int     // number of games against rated players.
	Points   float64 // points in these games. A draw is half a point.
}

// Ranking converts log strengths to ratings, best first. x has the log strengths by the players' numbers in the table;
// it may have further coordinates. The second result has the player number of each rating. Equal ratings are in the
// order of names.
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
	// Ratings count as equal if they agree to nine digits, because smaller differences are rounding errors.
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
