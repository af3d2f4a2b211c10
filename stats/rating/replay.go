package rating

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/stats/rating/crosstable"
)

// A stage simulates the games of a fit, with the probabilities of the fit.
type stage struct {
	t         crosstable.Table
	p         [][3]float64
	back      []int   // index of the cell with the same terms and swapped colours, or -1.
	alike     float64 // correlation of the results of the games of a pair, from one player's point of view.
	available []int   // number of games of each cell that belong to pairs
}

// A terms holds what all games of a cell have in common.
type terms struct {
	black, white, handicap int32
	byWhite                bool
}

func termsOf(c crosstable.Cell) terms { return terms{c.Black, c.White, c.Handicap, c.ByWhite} }

func newStage(f *fitted) *stage {
	t := f.table
	s := &stage{t: t, p: f.probabilities(), back: make([]int, len(t.Cells)), available: make([]int, len(t.Cells))}
	at := map[terms]int{}
	for n, c := range t.Cells {
		at[termsOf(c)] = n
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

// correlation returns how strongly the results of games with swapped colours are correlated within a cluster, from
// one player's point of view. To avoid an extreme value from few clusters, it adds one cluster of independent games.
func (s *stage) correlation() float64 {
	mean := map[terms]float64{} // Black's expected points
	for n, c := range s.t.Cells {
		mean[termsOf(c)] = s.p[n][0] + s.p[n][1]/2
	}
	var both, first, second, n float64
	for _, cluster := range s.t.Clusters {
		var e [2]float64 // excess of the player with the smaller number, as Black and as White
		for _, c := range cluster {
			excess := c.Points() - c.Games()*mean[termsOf(c)]
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

// play simulates the outcomes of every cell. The time that it takes does not depend on the number of games.
func (s *stage) play(random *rand.Rand) crosstable.Table {
	cells := slices.Clone(s.t.Cells)
	// number of games in each cell that do not share their random number with another game
	alone := make([]int, len(cells))
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

// playAlike simulates pairs of games with swapped colours whose results have the correlation s.alike. n and m are the
// cells of the two games, and pairs is the number of pairs. Both games of a pair use one random number from 0 to 1. In
// the first game a small number is good for Black. In the second game the same player is White. There a small number is
// good for this player if the correlation is positive, and a large number otherwise. The range of the number consists
// of intervals with the same two outcomes, so playAlike draws only the number of pairs for each interval.
func (s *stage) playAlike(random *rand.Rand, cells []crosstable.Cell, n, m, pairs int) {
	other := func(u float64) float64 {
		if s.alike > 0 {
			return 1 - u
		}
		return u
	}
	cuts := []float64{0, 1}
	for _, at := range []float64{s.p[n][0], s.p[n][0] + s.p[n][1], other(s.p[m][0]), other(s.p[m][0] + s.p[m][1])} {
		cuts = append(cuts, max(0, min(at, 1))) // in range, except for rounding
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

// outcomeAt returns the outcome for a random number u from 0 to 1. A small u is a win for Black, and a large u is a
// loss.
func outcomeAt(p [3]float64, u float64) int {
	switch {
	case u < p[0]:
		return 0
	case u < p[0]+p[1]:
		return 1
	}
	return 2
}

// give adds games with one outcome to a cell. outcome is an index: 0 for a win, 1 for a draw, 2 for a loss.
func give(c *crosstable.Cell, outcome, games int) {
	*[]*float64{&c.Wins, &c.Draws, &c.Losses}[outcome] += float64(games)
}

// multinomial returns random numbers: how often each outcome occurs in n independent tries. It generates a binomial
// number for each outcome, from the tries that remain (Devroye 1986, Non-Uniform Random Variate Generation, XI.1.4).
// The weights sum to 1 except for rounding errors, which the last positive weight absorbs.
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

// drawBinomial returns a random binomial number in bounded time, by rejection, after Numerical Recipes.
// Rounding errors may put p outside [0, 1].
func drawBinomial(random *rand.Rand, n int, p float64) int {
	if p <= 0 || math.IsNaN(p) {
		return 0
	}
	return int(distuv.Binomial{N: float64(n), P: min(p, 1), Src: random}.Rand())
}
