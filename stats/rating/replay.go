package rating

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

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

// play draws each cell's outcomes, at a cost that does not depend on how many games it
// has.
func (s *stage) play(random *rand.Rand) crosstable.Table {
	cells := slices.Clone(s.t.Cells)
	alone := make([]int, len(cells)) // games that share their luck with none
	for n := range cells {
		c := &cells[n]
		alone[n] = int(math.Round(c.Games()))
		c.Wins, c.Draws, c.Losses = 0, 0, 0
	}
	for n, m := range s.back {
		if n < m {
			alike := drawBinomial(random, min(s.available[n], s.available[m]), math.Abs(s.alike))
			s.playAlike(random, cells, n, m, alike)
			alone[n] -= alike
			alone[m] -= alike
		}
	}
	for n, games := range alone {
		p := s.p[n]
		for k, count := range multinomial(random, games, p[:]) {
			give(&cells[n], k, count)
		}
	}
	for n := range cells {
		c := &cells[n]
		c.Played, c.Scored, c.Clustered = c.Games(), c.Points(), 0
	}
	return crosstable.Table{Names: s.t.Names, Cells: cells}
}

// playAlike plays pairs whose two games share their luck, a number from 0 to 1 of which
// what is small is good for Black of the first game. For the same player in the other game,
// as White, it is what is large where results of pairs are alike, and else what is small:
// then they are opposite. Where one outcome of either game passes into another, such
// numbers are cut into intervals in which both are the same.
func (s *stage) playAlike(random *rand.Rand, cells []crosstable.Cell, n, m, pairs int) {
	other := func(u float64) float64 {
		if s.alike > 0 {
			return 1 - u
		}
		return u
	}
	cuts := []float64{0, 1}
	for _, at := range []float64{s.p[n][0], s.p[n][0] + s.p[n][1], other(s.p[m][0]), other(s.p[m][0] + s.p[m][1])} {
		cuts = append(cuts, max(0, min(at, 1))) // but for rounding it is in there
	}
	slices.Sort(cuts)
	widths := make([]float64, len(cuts)-1)
	for i := range widths {
		widths[i] = cuts[i+1] - cuts[i]
	}
	for i, count := range multinomial(random, pairs, widths) {
		u := (cuts[i] + cuts[i+1]) / 2
		give(&cells[n], outcomeAt(s.p[n], u), count)
		give(&cells[m], outcomeAt(s.p[m], other(u)), count)
	}
}

// outcomeAt is the outcome of a number from 0 to 1: a win for Black where it is small.
func outcomeAt(p [3]float64, u float64) int {
	switch {
	case u < p[0]:
		return 0
	case u < p[0]+p[1]:
		return 1
	}
	return 2
}

// give counts games with one outcome, in the order of probabilities.
func give(c *crosstable.Cell, outcome, games int) {
	*[]*float64{&c.Wins, &c.Draws, &c.Losses}[outcome] += float64(games)
}

// multinomial draws how often each of some outcomes comes in n independent tries: each by
// a binomial of those that the ones before have left (Devroye 1986, Non-Uniform Random
// Variate Generation, XI.1.4). The weights sum to 1 but for rounding, which is the last
// one's that has any.
func multinomial(random *rand.Rand, n int, weights []float64) []int {
	counts := make([]int, len(weights))
	rest, last := 1.0, 0
	for k, w := range weights {
		if w <= 0 {
			continue
		}
		counts[k] = drawBinomial(random, n, w/rest)
		n -= counts[k]
		rest, last = rest-w, k
	}
	counts[last] += n
	return counts
}

// binomial draws a binomial number, in bounded time: by rejection, after Numerical
// Recipes. p may be out of [0, 1] by rounding.
func drawBinomial(random *rand.Rand, n int, p float64) int {
	if p <= 0 || math.IsNaN(p) {
		return 0
	}
	return int(distuv.Binomial{N: float64(n), P: min(p, 1), Src: random}.Rand())
}
