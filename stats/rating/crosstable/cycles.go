package crosstable

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"
)

// A Cycle is a circle of three players, each of whom scored more than half against the next. No order of strengths
// explains such a circle (Condorcet's paradox).
type Cycle struct {
	Players [3]string  // each player beat the next, and the last beat the first. The first name is the smallest.
	Scores  [3]float64 // points per game of each player against the next player
	// P is the largest of the three exact one-sided p values of these scores against ½. Each is a sign test
	// over independent units. The units are clusters, and decisive games outside of clusters. P is valid only
	// for this cycle alone.
	P float64
	// PHolm is P, adjusted for both directions of all triples of players who met (Holm 1979). If the true
	// strengths contain no cycle, at most 1 of 20 sets of games has a cycle with a PHolm of 0.05 or less.
	PHolm float64
}

// Cycles returns circles of three players in even games, each of whom scored more than half against the next.
// It returns at most limit cycles, those with the smallest p values first. If all players met, a longer cycle
// exists only if a cycle of three exists. For N players who all met, Cycles takes N³ steps. It returns an
// error for a negative limit.
func (t Table) Cycles(limit int) ([]Cycle, error) {
	if limit < 0 {
		return nil, fmt.Errorf("a limit of %d cycles is impossible", limit)
	}
	m := t.majorities()
	var list []Cycle
	for a := range t.Names {
		for _, b := range m.beaten[a] {
			for _, c := range m.beaten[b] {
				if a < b && a < c && m.score[c*len(t.Names)+a] > 0.5 {
					list = append(list, m.cycle(t, a, b, c))
				}
				if len(list) > 10000+2*limit { // millions are possible
					list = surest(list, limit)
				}
			}
		}
	}
	list = surest(list, limit)
	last, hypotheses := 0.0, float64(2*m.triples())
	for i := range list {
		last = max(last, min(1, list[i].P*(hypotheses-float64(i))))
		list[i].PHolm = last
	}
	return list, nil
}

func surest(list []Cycle, limit int) []Cycle {
	slices.SortStableFunc(list, func(a, b Cycle) int { return cmp.Compare(a.P, b.P) })
	return list[:min(limit, len(list))]
}

// A majorities has the scores of all pairs of players in even games. The index of the pair (a, b) is a·N + b.
type majorities struct {
	score  []float64 // weighted points per game of a against b. It is 0 if the players never met.
	met    []bool
	p      []float64 // p value of the hypothesis that a is not the better player.
	beaten [][]int
}

func (t Table) majorities() majorities {
	n := len(t.Names)
	games, points := make([]float64, n*n), make([]float64, n*n)
	for _, c := range t.Cells {
		if c.Handicap > 0 {
			continue
		}
		bw, wb := int(c.Black)*n+int(c.White), int(c.White)*n+int(c.Black)
		games[bw] += c.Games()
		games[wb] += c.Games()
		points[bw] += c.Points()
		points[wb] += c.Games() - c.Points()
	}
	won := t.unitsWon()
	m := majorities{score: make([]float64, n*n), met: make([]bool, n*n), p: make([]float64, n*n), beaten: make([][]int, n)}
	for a := range n {
		for b := range n {
			at := a*n + b
			if games[at] == 0 {
				continue
			}
			m.met[at] = true
			if m.score[at] = points[at] / games[at]; m.score[at] > 0.5 {
				m.beaten[a] = append(m.beaten[a], b)
				m.p[at] = signP(won[at], won[at]+won[b*n+a])
			}
		}
	}
	return m
}

// unitsWon returns, at the index a·N + b, the number of independent observations in which a scored more than b in even
// games. The observations are clusters, and decisive games outside of clusters.
func (t Table) unitsWon() []int {
	n := len(t.Names)
	won := make([]int, n*n)
	for _, cluster := range t.Clusters {
		lead := map[[2]int32]float64{}
		for _, c := range cluster {
			switch {
			case c.Handicap > 0:
			case c.Black < c.White:
				lead[[2]int32{c.Black, c.White}] += c.Wins - c.Losses
			default:
				lead[[2]int32{c.White, c.Black}] -= c.Wins - c.Losses
			}
		}
		for pair, l := range lead {
			switch {
			case l > 1e-9:
				won[int(pair[0])*n+int(pair[1])]++
			case l < -1e-9:
				won[int(pair[1])*n+int(pair[0])]++
			}
		}
	}
	for _, c := range t.Independent() {
		if c.Handicap == 0 {
			won[int(c.Black)*n+int(c.White)] += int(math.Round(c.Wins))
			won[int(c.White)*n+int(c.Black)] += int(math.Round(c.Losses))
		}
	}
	return won
}

// triples returns the number of triples of players who all met.
func (m majorities) triples() int {
	n, count := len(m.beaten), 0
	for a := range n {
		for b := a + 1; b < n; b++ {
			for c := b + 1; m.met[a*n+b] && c < n; c++ {
				if m.met[a*n+c] && m.met[b*n+c] {
					count++
				}
			}
		}
	}
	return count
}

// signP returns the p value of the exact one-sided sign test, after a player won the number won of units. The null
// hypothesis is that the player wins half of the units. signP returns 1 without units.
func signP(won, units int) float64 {
	test, err := binomial.Exact(won, units, 0.5, binomial.Greater)
	if err != nil {
		return 1
	}
	return test.P
}

func (m majorities) cycle(t Table, a, b, c int) Cycle {
	score := func(i, j int) float64 { return m.score[i*len(t.Names)+j] }
	return Cycle{
		Players: [3]string{t.Names[a], t.Names[b], t.Names[c]},
		Scores:  [3]float64{score(a, b), score(b, c), score(c, a)},
		P:       max(m.p[a*len(t.Names)+b], m.p[b*len(t.Names)+c], m.p[c*len(t.Names)+a]),
	}
}
