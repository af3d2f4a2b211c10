// Package effects shows in which games the difference between two players arises. It sorts the games of a run
// by opening, colour and ponder hits, and compares each group with the rest. [New] returns a [Gatherer]. The
// caller adds whole pairs with their openings in plan order, and then gets a [Table].
//
// The p values are corrected only for the number of rows. To confirm that a group differs, play a new run.
package effects

import (
	"fmt"
	"math"
	"slices"

	"gogi/match"
	"gogi/match/gate"
	"gogi/shogi"
	"gogi/stats"
)

// Level is the confidence level of all intervals. The significance level of all tests is 1 - Level.
const Level = 0.95

// Run has the facts about a run that are not stored with its games.
type Run struct {
	Name     string
	A, B     string // the two players; the table has A's scores against B
	Finished bool   // no more pairs will come
	Gate     string // text that describes the run's sequential test; "" without one
}

// Gatherer sorts the games of a run into groups, such as all games from one family of openings or all games
// with Black for A, so that a Table can compare the groups.
type Gatherer struct {
	run       Run
	groupings []*grouping
	openings  map[string]int    // number of each opening by its text, in the order of first use.
	seen      map[[3]uint64]int // the distinct pairs. The key is the opening and the hashes of the games, by A's colour.
	series    stats.Series
	games     int
	firsts    map[cell]first // first game of each group; only for Boards
}

// New returns a Gatherer for a run, without games.
func New(run Run) *Gatherer {
	return &Gatherer{run: run, groupings: newGroupings(), openings: map[string]int{}, seen: map[[3]uint64]int{}}
}

// NewBoards returns a Gatherer for Boards.
func NewBoards(run Run) *Gatherer {
	g := New(run)
	g.groupings = slices.DeleteFunc(g.groupings, func(w *grouping) bool {
		return w.name != "opening" && w.name != "family"
	})
	for _, w := range g.groupings {
		if w.name == "opening" { // imported runs may have two openings with one name
			w.sort = func(g game) string { return g.opening.String() }
		}
	}
	g.firsts = map[cell]first{}
	return g
}

// game is one game from A's side, with the data that groupings need.
type game struct {
	match.Row
	opening match.Opening
	colour  shogi.Colour // A's
}

// wants reports whether the pair is one of A against B.
func (g *Gatherer) wants(rows []match.Row) bool {
	return len(rows) > 0 && (rows[0].PairA == g.run.A && rows[0].PairB == g.run.B || rows[0].PairA == g.run.B &&
		rows[0].PairB == g.run.A)
}

// Add adds the next whole pair in plan order, with its opening. rows has the games of the pair in the order
// of their legs (numbers within the pair). Add ignores a pair of other players. It returns an error for games
// that package stats rejects.
func (g *Gatherer) Add(opening match.Opening, rows []match.Row) error {
	if !g.wants(rows) {
		return nil
	}
	number, known := g.openings[opening.String()]
	if !known {
		number = len(g.openings)
		g.openings[opening.String()] = number
	}
	ours := slices.Clone(rows)
	for i := range ours {
		ours[i].PairA = g.run.A
	}
	play := gate.OfRows(ours)
	play.Opening = opening.String()
	if _, err := g.series.Add(play); err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, g.run.Name, err)
	}
	pair := g.distinct(number, play)
	for _, r := range rows {
		g.games++
		for _, way := range g.groupings {
			one := game{Row: r, opening: opening, colour: colourOf(r, g.run.A)}
			way.add(one, number, pair)
			if at := (cell{way.name + " " + way.sort(one), 0}); g.firsts != nil {
				if _, known := g.firsts[at]; !known {
					g.firsts[at] = first{r.Pair, r.Leg, opening}
				}
			}
		}
	}
	return nil
}

// distinct returns a number for the pair. A pair that repeats an earlier pair from the same opening gets the
// number of the earlier pair.
func (g *Gatherer) distinct(opening int, p stats.Play) int {
	key := [3]uint64{uint64(opening)} // counts up from 0
	for i, leg := range p.Pair {
		at := 2
		if leg.AIsBlack {
			at = 1
		}
		key[at] = p.Games[i]
	}
	number, known := g.seen[key]
	if !known {
		number = len(g.seen)
		g.seen[key] = number
	}
	return number
}

func colourOf(r match.Row, player string) shogi.Colour {
	if r.Black == player {
		return shogi.Black
	}
	return shogi.White
}

// cell is a place in the table: a group of games, and the observation (unit) to which the games belong, such as an
// opening.
type cell struct {
	group string
	unit  int
}

// sum adds up A's games in a cell.
type sum struct {
	games  int
	won    int
	drawn  int
	points int // in thousandths
}

func (s *sum) merge(o sum) {
	s.games += o.games
	s.won += o.won
	s.drawn += o.drawn
	s.points += o.points
}

// share returns A's mean score, rounded to a thousandth of a point.
func (s sum) share() float64 {
	return math.Round(float64(s.points)/float64(s.games)) / 1000
}

// add adds a game to its group. opening is the number of the game's opening. pair is the number of its pair; pairs that
// repeat each other have the same number.
func (w *grouping) add(g game, opening, pair int) {
	group := w.sort(g)
	if group == "" {
		return
	}
	at := cell{group, opening}
	if w.byPair {
		at.unit = pair
	}
	s, known := w.cells[at]
	if !known {
		s = &sum{}
		w.cells[at], w.order = s, append(w.order, at)
	}
	one := sum{games: 1, points: int(math.Round(1000 * g.Points[g.colour]))}
	if winner, decided := g.Outcome.Winner(); !decided {
		one.drawn = 1
	} else if winner == g.colour {
		one.won = 1
	}
	s.merge(one)
}
