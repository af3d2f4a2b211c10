package rating

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gogi/stats"
)

// Game is one game of two players.
type Game struct {
	Black, White string        // names; they differ, and are not empty
	Outcome      stats.Outcome // from Black's side
	Handicap     int           // 0 is even; larger is heavier, at most 1,000,000
	Receiver     string        // the player who received it; empty is Black, as in shogi
}

// Count is the games of one Black against one White under one handicap.
type Count struct {
	Black, White                string // names; they differ, and are not empty
	BlackWins, Draws, WhiteWins int    // not negative
	Handicap                    int    // as in [Game]
	Receiver                    string // as in [Game]
	// Weight is what each game counts for as evidence, such as 1/3 where an
	// opening came up three times; 0 is 1.
	Weight float64
	// Cluster is the same positive number for games that depend on each other,
	// as the two of a colour-swapped pair, or all from one opening, do. 0 is for
	// games of which each is independent.
	Cluster int
}

// Games is the number of games counted.
func (c Count) Games() int { return c.BlackWins + c.Draws + c.WhiteWins }

// heaviest is the largest handicap; it only keeps numbers in their range.
const heaviest = 1_000_000

func (c Count) check() error {
	switch {
	case c.Black == "" || c.White == "":
		return errors.New("a player has no name")
	case c.Black == c.White:
		return fmt.Errorf("%s plays both sides", c.Black)
	case c.BlackWins < 0 || c.Draws < 0 || c.WhiteWins < 0:
		return fmt.Errorf("%s against %s: a count is negative", c.Black, c.White)
	case !(c.Weight >= 0) || math.IsInf(c.Weight, 1):
		return fmt.Errorf("%s against %s: games cannot weigh %v", c.Black, c.White, c.Weight)
	case c.Cluster < 0:
		return fmt.Errorf("%s against %s: cluster %d is negative", c.Black, c.White, c.Cluster)
	case c.Handicap < 0 || c.Handicap > heaviest:
		return fmt.Errorf("%s against %s: handicap %d is not between 0 and %d", c.Black, c.White, c.Handicap, heaviest)
	case c.Receiver != "" && c.Receiver != c.Black && c.Receiver != c.White:
		return fmt.Errorf("%s against %s: %s receives the handicap but does not play", c.Black, c.White, c.Receiver)
	}
	return nil
}

func (g Game) count() (Count, error) {
	c := Count{Black: g.Black, White: g.White, Handicap: g.Handicap, Receiver: g.Receiver}
	switch g.Outcome {
	case stats.Win:
		c.BlackWins = 1
	case stats.Draw:
		c.Draws = 1
	case stats.Loss:
		c.WhiteWins = 1
	default:
		return c, errors.New("it has no outcome")
	}
	return c, c.check()
}

// CountGames adds up games that have the same colours, handicap, and receiver,
// in the order in which each combination came first. It fails for a game that
// is impossible, and names it by its place (from 1).
func CountGames(games []Game) ([]Count, error) {
	type key struct {
		black, white string
		handicap     int
		byWhite      bool
	}
	var counts []Count
	places := map[key]int{}
	for n, g := range games {
		c, err := g.count()
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", n+1, err)
		}
		k := key{g.Black, g.White, g.Handicap, g.Handicap > 0 && g.Receiver == g.White}
		if at, ok := places[k]; ok {
			sum := &counts[at]
			sum.BlackWins += c.BlackWins
			sum.Draws += c.Draws
			sum.WhiteWins += c.WhiteWins
			continue
		}
		places[k] = len(counts)
		counts = append(counts, c)
	}
	return counts, nil
}

// cell is a Count with players as numbers and outcomes as weights.
type cell struct {
	black, white        int32
	handicap            int32
	byWhite             bool    // White received the handicap
	wins, draws, losses float64 // Black's, by weight
	clustered           float64 // how much of them belongs to clusters
	played, scored      float64 // games and Black's points, whatever they weigh
}

// games is what they count for as evidence.
func (c cell) games() float64 { return c.wins + c.draws + c.losses }

// points are Black's.
func (c cell) points() float64 { return c.wins + c.draws/2 }

func (c cell) sameTerms(o cell) bool {
	return c.black == o.black && c.white == o.white && c.handicap == o.handicap && c.byWhite == o.byWhite
}

// table is a set of counts by number: the names ascend, and so do the cells, of
// which no two are under the same terms. That makes every result independent of
// the order of the input.
type table struct {
	names    []string
	cells    []cell
	clusters [][]cell // the cells' games that depend on each other, apart
}

func newTable(counts []Count) (table, error) {
	t := table{cells: make([]cell, 0, len(counts))}
	var of []int                // the cells' clusters
	first := map[string]int32{} // numbers in the order of appearance
	number := func(name string) int32 {
		i, ok := first[name]
		if !ok {
			i = int32(len(first))
			first[name] = i
		}
		return i
	}
	for _, c := range counts {
		if err := c.check(); err != nil {
			return table{}, err
		}
		black, white := number(c.Black), number(c.White)
		if c.Games() == 0 {
			continue
		}
		t.cells = append(t.cells, c.cell(black, white))
		of = append(of, c.Cluster)
	}
	t.names = slices.Sorted(maps.Keys(first))
	final := make([]int32, len(t.names))
	for i, name := range t.names {
		final[first[name]] = int32(i)
	}
	for n := range t.cells {
		c := &t.cells[n]
		c.black, c.white = final[c.black], final[c.white]
	}
	t.clusters = grouped(t.cells, of)
	t.cells = merged(t.cells, len(t.names))
	return t, nil
}

func (c Count) cell(black, white int32) cell {
	weight := cmp.Or(c.Weight, 1)
	n := cell{
		black: black, white: white, handicap: int32(c.Handicap), byWhite: c.Handicap > 0 && c.Receiver == c.White,
		wins: weight * float64(c.BlackWins), draws: weight * float64(c.Draws), losses: weight * float64(c.WhiteWins),
		played: float64(c.Games()), scored: float64(c.BlackWins) + float64(c.Draws)/2,
	}
	if c.Cluster > 0 {
		n.clustered = n.games()
	}
	return n
}

// grouped are the cells of each cluster, by its number.
func grouped(cells []cell, of []int) [][]cell {
	groups := map[int][]cell{}
	for i, cluster := range of {
		if cluster > 0 {
			groups[cluster] = append(groups[cluster], cells[i])
		}
	}
	var list [][]cell
	for _, cluster := range slices.Sorted(maps.Keys(groups)) {
		list = append(list, groups[cluster])
	}
	return list
}

// folded are the cells with both colours of each pair in one.
func (t table) folded() []cell {
	cells := slices.Clone(t.cells)
	for n := range cells {
		if c := &cells[n]; c.black > c.white {
			c.black, c.white = c.white, c.black
			c.wins, c.losses = c.losses, c.wins
			c.scored = c.played - c.scored
		}
	}
	return merged(cells, len(t.names))
}

// merged sorts cells and adds up those under the same terms.
func merged(cells []cell, players int) []cell {
	if slices.ContainsFunc(cells, func(c cell) bool { return c.handicap > 0 }) {
		slices.SortStableFunc(cells, func(a, b cell) int {
			return cmp.Or(cmp.Compare(a.handicap, b.handicap), cmp.Compare(btoi(a.byWhite), btoi(b.byWhite)))
		})
	}
	cells = bucketed(cells, players, func(c *cell) int32 { return c.white })
	cells = bucketed(cells, players, func(c *cell) int32 { return c.black })
	kept := cells[:0]
	for _, c := range cells {
		if last := len(kept) - 1; last >= 0 && kept[last].sameTerms(c) {
			kept[last].add(c)
		} else {
			kept = append(kept, c)
		}
	}
	return kept
}

func (c *cell) add(o cell) {
	c.wins += o.wins
	c.draws += o.draws
	c.losses += o.losses
	c.clustered += o.clustered
	c.played += o.played
	c.scored += o.scored
}

// bucketed is a stable sort by a number below n. It does a million cells in the
// time in which comparing would do a tenth.
func bucketed(cells []cell, n int, key func(*cell) int32) []cell {
	next := make([]int, n+1)
	for i := range cells {
		next[key(&cells[i])+1]++
	}
	for k := range n {
		next[k+1] += next[k]
	}
	sorted := make([]cell, len(cells))
	for i := range cells {
		k := key(&cells[i])
		sorted[next[k]] = cells[i]
		next[k]++
	}
	return sorted
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// only is the table of the players kept and the games among them.
func (t table) only(kept []bool) table {
	number := make([]int32, len(t.names))
	var sub table
	for i, name := range t.names {
		if kept[i] {
			number[i] = int32(len(sub.names))
			sub.names = append(sub.names, name)
		}
	}
	if len(sub.names) == len(t.names) {
		return t
	}
	among := func(cells []cell) []cell {
		var list []cell
		for _, c := range cells {
			if kept[c.black] && kept[c.white] {
				c.black, c.white = number[c.black], number[c.white]
				list = append(list, c)
			}
		}
		return list
	}
	sub.cells = among(t.cells)
	for _, cluster := range t.clusters {
		if cells := among(cluster); len(cells) > 0 {
			sub.clusters = append(sub.clusters, cells)
		}
	}
	return sub
}

// totals are each player's games and points, whatever they weigh.
func (t table) totals() (games, points []float64) {
	games, points = make([]float64, len(t.names)), make([]float64, len(t.names))
	for n := range t.cells {
		c := &t.cells[n]
		games[c.black] += c.played
		games[c.white] += c.played
		points[c.black] += c.scored
		points[c.white] += c.played - c.scored
	}
	return games, points
}

func (t table) sum(of func(cell) float64) float64 {
	s := 0.0
	for _, c := range t.cells {
		s += of(c)
	}
	return s
}

func (t table) games() float64  { return t.sum(cell.games) }
func (t table) played() float64 { return t.sum(func(c cell) float64 { return c.played }) }
func (t table) draws() float64  { return t.sum(func(c cell) float64 { return c.draws }) }

// independent are the games outside of clusters.
func (t table) independent() []cell {
	var list []cell
	for _, c := range t.cells {
		share := 1 - c.clustered/c.games()
		if share < 1e-9 {
			continue
		}
		c.wins, c.draws, c.losses = share*c.wins, share*c.draws, share*c.losses
		list = append(list, c)
	}
	return list
}

// levels are the handicaps above 0 that occur, ascending.
func (t table) levels() []int {
	var list []int
	for _, c := range t.cells {
		if c.handicap > 0 {
			list = append(list, int(c.handicap))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
