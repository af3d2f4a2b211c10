package rating

import (
	"math"
	"math/rand/v2"
	"slices"

	"gogi/stats/rating/crosstable"
)

// stage is where games are played again as a fit predicts them.
type stage struct {
	t         crosstable.Table
	p         [][3]float64
	back      []int   // the cell of the same terms with colours swapped, or -1
	alike     float64 // the correlation of the games of a pair, from one player's view
	available []int   // games of each cell that belong to pairs
}

// terms are what games of one cell have in common.
type terms struct {
	black, white, handicap int32
	byWhite                bool
}

func newStage(f replica) *stage {
	t := f.games()
	s := &stage{t: t, p: f.probabilities(), back: make([]int, len(t.Cells)), available: make([]int, len(t.Cells))}
	at := map[terms]int{}
	for n, c := range t.Cells {
		at[terms{c.Black, c.White, c.Handicap, c.ByWhite}] = n
		s.available[n] = int(math.Round(c.Clustered))
	}
	for n, c := range t.Cells {
		s.back[n] = -1
		if m, ok := at[terms{c.White, c.Black, c.Handicap, c.ByWhite}]; ok {
			s.back[n] = m
		}
	}
	s.alike = s.correlation()
	return s
}

// correlation of the results of the two colours within clusters, from one
// player's view; one more cluster, of independent games, tames small numbers.
func (s *stage) correlation() float64 {
	mean := map[terms]float64{} // Black's expected points
	key := func(c crosstable.Cell) terms {
		return terms{c.Black, c.White, c.Handicap, c.ByWhite}
	}
	for n, c := range s.t.Cells {
		mean[key(c)] = s.p[n][0] + s.p[n][1]/2
	}
	var both, first, second, n float64
	for _, cluster := range s.t.Clusters {
		var e [2]float64 // of the player with the smaller number, as Black and as White
		for _, c := range cluster {
			excess := c.Points() - c.Games()*mean[key(c)]
			if c.Black < c.White {
				e[0] += excess
			} else {
				e[1] -= excess
			}
		}
		if e[0] == 0 && e[1] == 0 {
			continue
		}
		both, first, second, n = both+e[0]*e[1], first+e[0]*e[0], second+e[1]*e[1], n+1
	}
	if first == 0 || second == 0 {
		return 0
	}
	return max(-1, min(1, both/math.Sqrt(first*second))) * n / (n + 1)
}

// play draws each cell's outcomes. One random number a game is exact, and fast
// enough beside the fit.
func (s *stage) play(random *rand.Rand) crosstable.Table {
	cells := slices.Clone(s.t.Cells)
	for n := range cells {
		c := &cells[n]
		c.Wins, c.Draws, c.Losses = 0, 0, 0
	}
	for n := range cells {
		games := int(math.Round(s.t.Cells[n].Games()))
		if m := s.back[n]; m >= 0 {
			pairs := min(s.available[n], s.available[m])
			games -= pairs
			if n < m {
				s.playPairs(random, cells, n, m, pairs)
			}
		}
		for range games {
			s.give(cells, n, random.Float64())
		}
	}
	for n := range cells {
		c := &cells[n]
		c.Played, c.Scored, c.Clustered = c.Games(), c.Points(), 0
	}
	return crosstable.Table{Names: s.t.Names, Cells: cells}
}

// playPairs lets the two games of a pair share their luck as often as makes
// their results correlate so much: what is small for Black of one game is, for
// the same player, large for Black of the other.
func (s *stage) playPairs(random *rand.Rand, cells []crosstable.Cell, n, m, pairs int) {
	for range pairs {
		u, v := random.Float64(), random.Float64()
		if random.Float64() < math.Abs(s.alike) {
			v = u
			if s.alike > 0 {
				v = 1 - u
			}
		}
		s.give(cells, n, u)
		s.give(cells, m, v)
	}
}

// give counts the outcome of a random number from 0 to 1: a win for Black where
// it is small.
func (s *stage) give(cells []crosstable.Cell, n int, u float64) {
	switch c, p := &cells[n], s.p[n]; {
	case u < p[0]:
		c.Wins++
	case u < p[0]+p[1]:
		c.Draws++
	default:
		c.Losses++
	}
}
