package crosstable

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Count holds the results of the games of one Black against one White under one handicap.
type Count struct {
	Black, White                string // names. They are different, and not empty.
	BlackWins, Draws, WhiteWins int    // not negative
	// 0 is an even game. Larger numbers are heavier handicaps, at most HeaviestHandicap.
	Handicap int
	Receiver string // the player with the handicap. "" means Black, as in shogi.
	// Weight is the weight of each game, such as 1/3 if an opening was played three times. 0 means 1.
	Weight float64
	// Cluster is a positive number that games have in common if they depend on each other. Examples are the
	// two games of a colour-swapped pair, or all games from one opening. 0 means that the games are
	// independent.
	Cluster int
	// Opening is a positive number that all clusters from one opening have in common, even if other players
	// played the games. 0 means that no other cluster has the opening.
	Opening int
}

// Games returns the number of games.
func (c Count) Games() int { return c.BlackWins + c.Draws + c.WhiteWins }

// HeaviestHandicap is the largest possible number of a handicap. It is much larger than any real handicap.
const HeaviestHandicap = 1_000_000

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
	case c.Cluster < 0 || c.Opening < 0:
		return fmt.Errorf("%s against %s: cluster %d or opening %d is negative", c.Black, c.White, c.Cluster, c.Opening)
	case c.Handicap < 0 || c.Handicap > HeaviestHandicap:
		return fmt.Errorf("%s against %s: handicap %d is not between 0 and %d", c.Black, c.White, c.Handicap,
			HeaviestHandicap)
	case c.Receiver != "" && c.Receiver != c.Black && c.Receiver != c.White:
		return fmt.Errorf("%s against %s: %s receives the handicap but does not play", c.Black, c.White, c.Receiver)
	}
	return nil
}

// A Cell is a [Count] in a [Table]. It has the numbers of the players instead of their names. Its results are
// sums of the weights of games.
type Cell struct {
	Black, White        int32   // indices in Table.Names
	Handicap            int32   // 0 is an even game.
	ByWhite             bool    // White received the handicap.
	Wins, Draws, Losses float64 // Black's wins, draws and losses, as sums of weights
	Clustered           float64 // the part of Wins, Draws and Losses that belongs to clusters.
	Played, Scored      float64 // games and Black's points, without weights
}

// Games returns the sum of the games' weights.
func (c Cell) Games() float64 { return c.Wins + c.Draws + c.Losses }

// Points returns Black's points. Each game counts with its weight.
func (c Cell) Points() float64 { return c.Wins + c.Draws/2 }

func (c Cell) sameTerms(o Cell) bool {
	return c.Black == o.Black && c.White == o.White && c.Handicap == o.Handicap && c.ByWhite == o.ByWhite
}

// A Table has the results of games between players, as one [Cell] for each combination of Black, White and
// handicap. Names and cells are in ascending order, so no result depends on the order of the input.
type Table struct {
	Names    []string
	Cells    []Cell
	Clusters [][]Cell // copies of the cells' games that depend on each other, by cluster
	Openings []int    // opening of each cluster, as in [Count]
}

// New makes a table from counts. It returns an error for impossible counts.
func New(counts []Count) (Table, error) {
	return Collect(len(counts), func(i int) Count { return counts[i] })
}

// Collect makes a table from n counts. It calls count(i) up to twice for each i from 0 to n-1, so that the
// caller need not store all counts. It returns an error for impossible counts.
func Collect(n int, count func(int) Count) (Table, error) {
	f := filing{terms: make([]terms, 0, n), number: map[string]int32{}}
	for i := range n {
		if err := f.see(count(i)); err != nil {
			return Table{}, err
		}
	}
	t := Table{Names: slices.Sorted(maps.Keys(f.number))}
	f.rename(t.Names)
	order := f.order(len(t.Names))
	t.Cells = make([]Cell, 0, f.distinct(order))
	groups := map[int][]int32{} // indices of the counts of each cluster
	for _, i := range order {
		c := count(int(i))
		if c.Cluster > 0 {
			groups[c.Cluster] = append(groups[c.Cluster], i)
		}
		cell := c.cell(f.terms[i].black, f.terms[i].white)
		if last := len(t.Cells) - 1; last >= 0 && t.Cells[last].sameTerms(cell) {
			t.Cells[last].add(cell)
		} else {
			t.Cells = append(t.Cells, cell)
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[cluster]) // in the order of the counts
		var cells []Cell
		opening := 0
		for _, i := range groups[cluster] {
			c := count(int(i))
			cells, opening = append(cells, c.cell(f.terms[i].black, f.terms[i].white)), c.Opening
		}
		t.Clusters, t.Openings = append(t.Clusters, cells), append(t.Openings, opening)
	}
	return t, nil
}

// A terms holds the players' numbers and the handicap of a count. none is true for a count without games.
type terms struct {
	black, white int32
	handicap     int32
	byWhite      bool
	none         bool
}

// A filing sorts counts by their players and handicap.
type filing struct {
	terms  []terms
	number map[string]int32 // number of each player, in the order of appearance
}

func (f *filing) see(c Count) error {
	if err := c.check(); err != nil {
		return err
	}
	f.terms = append(f.terms, terms{f.numbered(c.Black), f.numbered(c.White), int32(c.Handicap), c.toWhite(),
		c.Games() == 0})
	return nil
}

func (f *filing) numbered(name string) int32 {
	i, known := f.number[name]
	if !known {
		i = int32(len(f.number))
		f.number[name] = i
	}
	return i
}

// rename changes the players' numbers in f.terms to their indices in names.
func (f *filing) rename(names []string) {
	final := make([]int32, len(names))
	for i, name := range names {
		final[f.number[name]] = int32(i)
	}
	for n := range f.terms {
		c := &f.terms[n]
		c.black, c.white = final[c.black], final[c.white]
	}
}

// order returns the indices of the counts with games, sorted by their terms.
func (f *filing) order(players int) []int32 {
	list := make([]int32, 0, len(f.terms))
	handicaps := false
	for i, c := range f.terms {
		if !c.none {
			list = append(list, int32(i))
			handicaps = handicaps || c.handicap > 0
		}
	}
	if handicaps {
		slices.SortStableFunc(list, func(i, j int32) int {
			a, b := &f.terms[i], &f.terms[j]
			return cmp.Or(cmp.Compare(a.handicap, b.handicap), cmp.Compare(btoi(a.byWhite), btoi(b.byWhite)))
		})
	}
	list = sorted(list, players, func(i int32) int32 { return f.terms[i].white })
	return sorted(list, players, func(i int32) int32 { return f.terms[i].black })
}

// distinct returns the number of different combinations of players and handicap (terms). order has the indices of the
// counts, sorted by their terms.
func (f *filing) distinct(order []int32) int {
	n := 0
	for k, i := range order {
		if k == 0 || f.terms[order[k-1]] != f.terms[i] {
			n++
		}
	}
	return n
}

func (c Count) toWhite() bool { return c.Handicap > 0 && c.Receiver == c.White }

func (c Count) cell(black, white int32) Cell {
	weight := cmp.Or(c.Weight, 1)
	n := Cell{
		Black: black, White: white, Handicap: int32(c.Handicap), ByWhite: c.toWhite(),
		Wins: weight * float64(c.BlackWins), Draws: weight * float64(c.Draws), Losses: weight * float64(c.WhiteWins),
		Played: float64(c.Games()), Scored: float64(c.BlackWins) + float64(c.Draws)/2,
	}
	if c.Cluster > 0 {
		n.Clustered = n.Games()
	}
	return n
}

// Pairs numbers the pairs of players who met. place has the number of the pair for each cell, and count is
// the number of pairs. Colours and handicaps do not matter. The pairs are sorted by the smaller player
// number, then by the larger one.
func (t Table) Pairs() (place []int32, count int) {
	order := make([]int32, len(t.Cells))
	for i := range order {
		order[i] = int32(i)
	}
	order = sorted(order, len(t.Names), func(i int32) int32 { return max(t.Cells[i].Black, t.Cells[i].White) })
	order = sorted(order, len(t.Names), func(i int32) int32 { return min(t.Cells[i].Black, t.Cells[i].White) })
	place = make([]int32, len(t.Cells))
	var last *Cell
	for _, i := range order {
		c := &t.Cells[i]
		if last == nil || min(last.Black, last.White) != min(c.Black, c.White) ||
			max(last.Black, last.White) != max(c.Black, c.White) {
			count++
		}
		place[i], last = int32(count-1), c
	}
	return place, count
}

// Folded returns the results of even games without regard to colours: one cell for each pair of players, in
// the order of [Table.Pairs].
func (t Table) Folded() []Cell {
	place, count := t.Pairs()
	cells := make([]Cell, count)
	for n, c := range t.Cells {
		if c.Black > c.White {
			c.Black, c.White = c.White, c.Black
			c.Wins, c.Losses = c.Losses, c.Wins
			c.Scored = c.Played - c.Scored
		}
		if sum := &cells[place[n]]; sum.Played > 0 {
			sum.add(c)
		} else {
			*sum = c
		}
	}
	return cells
}

func (c *Cell) add(o Cell) {
	c.Wins += o.Wins
	c.Draws += o.Draws
	c.Losses += o.Losses
	c.Clustered += o.Clustered
	c.Played += o.Played
	c.Scored += o.Scored
}

// sorted returns places, stably sorted by key. All values of key are below n. For a million places it takes a tenth
// of the time of a comparison sort.
func sorted(places []int32, n int, key func(place int32) int32) []int32 {
	next := make([]int32, n+1)
	for _, i := range places {
		next[key(i)+1]++
	}
	for k := range n {
		next[k+1] += next[k]
	}
	list := make([]int32, len(places))
	for _, i := range places {
		k := key(i)
		list[next[k]] = i
		next[k]++
	}
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Only returns the table of the kept players and the games between them. kept[i] reports whether to keep
// player number i.
func (t Table) Only(kept []bool) Table {
	number := make([]int32, len(t.Names))
	var sub Table
	for i, name := range t.Names {
		if kept[i] {
			number[i] = int32(len(sub.Names))
			sub.Names = append(sub.Names, name)
		}
	}
	if len(sub.Names) == len(t.Names) {
		return t
	}
	among := func(cells []Cell) []Cell {
		var list []Cell
		for _, c := range cells {
			if kept[c.Black] && kept[c.White] {
				c.Black, c.White = number[c.Black], number[c.White]
				list = append(list, c)
			}
		}
		return list
	}
	sub.Cells = among(t.Cells)
	for n, cluster := range t.Clusters {
		if cells := among(cluster); len(cells) > 0 {
			sub.Clusters, sub.Openings = append(sub.Clusters, cells), append(sub.Openings, t.Openings[n])
		}
	}
	return sub
}

// Totals returns each player's number of games and points. Each game counts fully; weights do not matter.
func (t Table) Totals() (games, points []float64) { return t.among(nil) }

// Sum returns the sum of value(cell) over all cells.
func (t Table) Sum(value func(*Cell) float64) float64 {
	s := 0.0
	for i := range t.Cells {
		s += value(&t.Cells[i])
	}
	return s
}

// Games returns the number of games, with each game counted by its weight.
func (t Table) Games() float64 {
	return t.Sum(func(c *Cell) float64 { return c.Wins + c.Draws + c.Losses })
}

// Played returns the number of games. Each game counts fully; weights do not matter.
func (t Table) Played() float64 { return t.Sum(func(c *Cell) float64 { return c.Played }) }

// Draws returns the number of drawn games, with each game counted by its weight.
func (t Table) Draws() float64 { return t.Sum(func(c *Cell) float64 { return c.Draws }) }

// EvenColours reports whether every two players had both colours against each other equally often.
func (t Table) EvenColours() bool {
	place, count := t.Pairs()
	surplus := make([]float64, count) // games in which the player with the smaller number was Black
	for n := range t.Cells {
		if c := &t.Cells[n]; c.Black < c.White {
			surplus[place[n]] += c.Played
		} else {
			surplus[place[n]] -= c.Played
		}
	}
	return !slices.ContainsFunc(surplus, func(s float64) bool { return s != 0 })
}

// Independent returns the cells with only those games that depend on no other game ([Count].Cluster is 0).
func (t Table) Independent() []Cell {
	var list []Cell
	for _, c := range t.Cells {
		share := 1 - c.Clustered/c.Games()
		if share < 1e-9 {
			continue
		}
		c.Wins, c.Draws, c.Losses = share*c.Wins, share*c.Draws, share*c.Losses
		list = append(list, c)
	}
	return list
}

// Levels returns the handicaps above 0 that occur, in ascending order.
func (t Table) Levels() []int {
	var list []int
	for _, c := range t.Cells {
		if c.Handicap > 0 {
			list = append(list, int(c.Handicap))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
