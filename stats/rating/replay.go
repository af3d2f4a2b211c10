package rating

import (
	"math"
	"math/rand/v2"
	"slices"
)

// stage is where games are played again as a fit predicts them.
type stage struct {
	t         table
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
	s := &stage{t: t, p: f.probabilities(), back: make([]int, len(t.cells)), available: make([]int, len(t.cells))}
	at := map[terms]int{}
	for n, c := range t.cells {
		at[terms{c.black, c.white, c.handicap, c.byWhite}] = n
		s.available[n] = int(math.Round(c.clustered))
	}
	for n, c := range t.cells {
		s.back[n] = -1
		if m, ok := at[terms{c.white, c.black, c.handicap, c.byWhite}]; ok {
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
	key := func(c cell) terms {
		return terms{c.black, c.white, c.handicap, c.byWhite}
	}
	for n, c := range s.t.cells {
		mean[key(c)] = s.p[n][0] + s.p[n][1]/2
	}
	var both, first, second, n float64
	for _, cluster := range s.t.clusters {
		var e [2]float64 // of the player with the smaller number, as Black and as White
		for _, c := range cluster {
			excess := c.points() - c.games()*mean[key(c)]
			if c.black < c.white {
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
func (s *stage) play(random *rand.Rand) table {
	cells := slices.Clone(s.t.cells)
	for n := range cells {
		c := &cells[n]
		c.wins, c.draws, c.losses = 0, 0, 0
	}
	for n := range cells {
		games := int(math.Round(s.t.cells[n].games()))
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
		c.played, c.scored, c.clustered = c.games(), c.points(), 0
	}
	return table{names: s.t.names, cells: cells}
}

// playPairs lets the two games of a pair share their luck as often as makes
// their results correlate so much: what is small for Black of one game is, for
// the same player, large for Black of the other.
func (s *stage) playPairs(random *rand.Rand, cells []cell, n, m, pairs int) {
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
func (s *stage) give(cells []cell, n int, u float64) {
	switch c, p := &cells[n], s.p[n]; {
	case u < p[0]:
		c.wins++
	case u < p[0]+p[1]:
		c.draws++
	default:
		c.losses++
	}
}
