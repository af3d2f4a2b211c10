package rating

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gogi/stats"
)

// Cycle is three players each of whom scored more than half against the next,
// which no order of strengths explains (Condorcet's paradox).
type Cycle struct {
	Players [3]string  // each beat the next, and the last the first; the first name is the smallest
	Scores  [3]float64 // points per game of each against the next
	// P is the largest of the three exact one-sided p values of these scores
	// against ½, draws left out. It is not adjusted for the number of triples.
	P float64
}

// Cycles are the majority cycles of three players in the even games, the surest
// first, at most limit. A tournament of majorities has a longer cycle only if
// it has one of three, when all players met. It takes N³ steps for N players
// who all met. It fails for impossible counts and for a negative limit.
func Cycles(counts []Count, limit int) ([]Cycle, error) {
	if limit < 0 {
		return nil, fmt.Errorf("a limit of %d cycles is impossible", limit)
	}
	t, err := newTable(counts)
	if err != nil {
		return nil, err
	}
	m := t.majorities()
	var list []Cycle
	for a := range t.names {
		for _, b := range m.beaten[a] {
			for _, c := range m.beaten[b] {
				if a < b && a < c && m.score[c*len(t.names)+a] > 0.5 {
					list = append(list, m.cycle(t, a, b, c))
				}
				if len(list) > 10000+2*limit { // there may be millions
					list = surest(list, limit)
				}
			}
		}
	}
	return surest(list, limit), nil
}

func surest(list []Cycle, limit int) []Cycle {
	slices.SortStableFunc(list, func(a, b Cycle) int { return cmp.Compare(a.P, b.P) })
	return list[:min(limit, len(list))]
}

// majorities are all pairs' scores over even games.
type majorities struct {
	score  []float64 // points per game of a against b at a·N + b; 0 where they never met
	p      map[[2]int]float64
	beaten [][]int
}

func (t table) majorities() majorities {
	n := len(t.names)
	games, wins, draws := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for _, c := range t.cells {
		if c.handicap > 0 {
			continue
		}
		black, white := int(c.black), int(c.white)
		bw, wb := black*n+white, white*n+black
		games[bw] += c.games()
		games[wb] += c.games()
		wins[bw] += c.wins
		wins[wb] += c.losses
		draws[bw] += c.draws
		draws[wb] += c.draws
	}
	m := majorities{score: make([]float64, n*n), p: map[[2]int]float64{}, beaten: make([][]int, n)}
	for a := range n {
		for b := range n {
			at := a*n + b
			if games[at] == 0 {
				continue
			}
			if m.score[at] = (wins[at] + draws[at]/2) / games[at]; m.score[at] > 0.5 {
				m.beaten[a] = append(m.beaten[a], b)
				m.p[[2]int{a, b}] = majorityP(wins[at], games[at]-draws[at])
			}
		}
	}
	return m
}

func majorityP(wins, decisive float64) float64 {
	test, err := stats.BinomialTest(int(wins), int(decisive), 0.5, stats.Greater)
	if err != nil {
		return 1
	}
	return test.P
}

func (m majorities) cycle(t table, a, b, c int) Cycle {
	score := func(i, j int) float64 { return m.score[i*len(t.names)+j] }
	return Cycle{
		Players: [3]string{t.names[a], t.names[b], t.names[c]},
		Scores:  [3]float64{score(a, b), score(b, c), score(c, a)},
		P:       math.Max(m.p[[2]int{a, b}], math.Max(m.p[[2]int{b, c}], m.p[[2]int{c, a}])),
	}
}
