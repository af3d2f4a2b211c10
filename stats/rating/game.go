package rating

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
	wins, draws, losses float64 // Black's
}

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
	names []string
	cells []cell
}

func newTable(counts []Count) (table, error) {
	t := table{cells: make([]cell, 0, len(counts))}
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
		t.cells = append(t.cells, cell{
			black, white, int32(c.Handicap), c.Handicap > 0 && c.Receiver == c.White,
			float64(c.BlackWins), float64(c.Draws), float64(c.WhiteWins),
		})
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
	t.cells = merged(t.cells, len(t.names))
	return t, nil
}

// folded are the cells with both colours of each pair in one.
func (t table) folded() []cell {
	cells := slices.Clone(t.cells)
	for n := range cells {
		if c := &cells[n]; c.black > c.white {
			c.black, c.white = c.white, c.black
			c.wins, c.losses = c.losses, c.wins
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
			kept[last].wins += c.wins
			kept[last].draws += c.draws
			kept[last].losses += c.losses
		} else {
			kept = append(kept, c)
		}
	}
	return kept
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
	for _, c := range t.cells {
		if kept[c.black] && kept[c.white] {
			c.black, c.white = number[c.black], number[c.white]
			sub.cells = append(sub.cells, c)
		}
	}
	return sub
}

// totals are each player's games and points.
func (t table) totals() (games, points []float64) {
	games, points = make([]float64, len(t.names)), make([]float64, len(t.names))
	for n := range t.cells {
		c := &t.cells[n]
		games[c.black] += c.games()
		games[c.white] += c.games()
		points[c.black] += c.points()
		points[c.white] += c.games() - c.points()
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

func (t table) games() float64 { return t.sum(cell.games) }
func (t table) draws() float64 { return t.sum(func(c cell) float64 { return c.draws }) }
