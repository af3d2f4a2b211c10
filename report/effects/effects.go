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
	Pairs    int    // number of pairs that the caller will add, if known; a Gatherer then needs less memory
}

// Gatherer sorts the games of a run into groups, such as all games from one family of openings or all games
// with Black for A, so that a Table can compare the groups. A long run has many pairs of few kinds, so the Gatherer
// counts the pairs of each kind, and sorts the kinds at the end.
type Gatherer struct {
	run       Run
	groupings []*grouping
	numbers   map[string]int // number of each opening by its text, in the order of first use
	places    map[named]int  // index in openings
	openings  []opening
	known     map[kind]int // index in kinds
	kinds     []counted    // in the order of first use, so that rounding errors do not vary
	plays     []play       // the pairs in the order of Add
	copies    []int        // indices in plays of the pairs that repeat an earlier pair
	series    stats.Series
	games     int
}

// New returns a Gatherer for a run, without games.
func New(run Run) *Gatherer {
	return &Gatherer{run: run, groupings: newGroupings(), numbers: map[string]int{}, places: map[named]int{},
		known: map[kind]int{}, plays: make([]play, 0, run.Pairs)}
}

// NewBoards returns a Gatherer for Boards.
func NewBoards(run Run) *Gatherer {
	g := New(run)
	g.groupings = slices.DeleteFunc(g.groupings, func(w *grouping) bool {
		return w.name != "opening" && w.name != "family"
	})
	for _, w := range g.groupings {
		if w.name == "opening" { // imported runs may have two openings with one name
			w.sort = func(o *opening, _ game) string { return o.String() }
		}
	}
	return g
}

// named is the key of an opening. An imported run may have two names for one opening, and one name for two openings.
type named struct{ id, text string }

// opening is an opening with its number. Openings with the same text have the same number.
type opening struct {
	match.Opening
	number int
}

// kind is a class of pairs that no grouping distinguishes: pairs from one opening with the same colours and results.
type kind struct {
	opening int32 // index in Gatherer.openings
	legs    int32 // number of games
	games   [2]game
}

// game has the facts about a game, from A's side, by which groupings sort and count it.
type game struct {
	colour shogi.Colour // A's
	hits   uint8        // class of the ponder hits, see pondering
	won    bool
	drawn  bool
	points int16 // in thousandths
}

// counted is a kind with the number of its pairs and its first game.
type counted struct {
	kind
	pairs     int
	pair, leg int
}

// play is one pair: its kind, and a hash of its games. Two pairs from one opening with equal hashes repeat each other.
type play struct {
	hash uint64
	kind int32
}

// hashOf mixes the hashes of a pair's games into one, because a long run has many pairs. The colours have different
// factors, so that a pair with exchanged games has another hash.
func hashOf(print [2]uint64) uint64 { return print[0]*0x9e3779b97f4a7c15 + print[1] }

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
	text := opening.String()
	pair := gate.OfRowsFor(g.run.A, rows)
	pair.Opening = text
	repeats, err := g.series.Add(pair)
	if err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, g.run.Name, err)
	}
	if repeats {
		g.copies = append(g.copies, len(g.plays))
	}
	at := g.count(g.place(opening, text), rows)
	g.plays = append(g.plays, play{hashOf(pair.Print()), int32(at)})
	g.games += len(rows)
	return nil
}

// place returns the index of an opening in g.openings. text is the opening's text.
func (g *Gatherer) place(o match.Opening, text string) int {
	at, known := g.places[named{o.ID, text}]
	if !known {
		number, known := g.numbers[text]
		if !known {
			number = len(g.numbers)
			g.numbers[text] = number
		}
		at = len(g.openings)
		g.places[named{o.ID, text}], g.openings = at, append(g.openings, opening{o, number})
	}
	return at
}

// count counts a pair, and returns the index of its kind. opening is an index in g.openings.
func (g *Gatherer) count(opening int, rows []match.Row) int {
	one := kind{opening: int32(opening), legs: int32(len(rows))}
	for i := range rows {
		one.games[i] = gameOf(&rows[i], g.run.A)
	}
	at, known := g.known[one]
	if !known {
		at = len(g.kinds)
		g.known[one], g.kinds = at, append(g.kinds, counted{kind: one, pair: rows[0].Pair, leg: rows[0].Leg})
	}
	g.kinds[at].pairs++
	return at
}

func gameOf(r *match.Row, player string) game {
	g := game{colour: colourOf(r, player), hits: pondering(r.Sides)}
	g.points = int16(math.Round(1000 * r.Points[g.colour]))
	winner, decided := r.Outcome.Winner()
	g.won, g.drawn = decided && winner == g.colour, !decided
	return g
}

func colourOf(r *match.Row, player string) shogi.Colour {
	if r.Black == player {
		return shogi.Black
	}
	return shogi.White
}

// sum adds up A's games in a cell.
type sum struct {
	games  int
	won    int
	drawn  int
	points int // in thousandths
}

// add adds a game that was played some number of times.
func (s *sum) add(g game, times int) {
	s.games += times
	s.points += times * int(g.points)
	if g.won {
		s.won += times
	}
	if g.drawn {
		s.drawn += times
	}
}

// share returns A's mean score, rounded to a thousandth of a point.
func (s sum) share() float64 {
	return math.Round(float64(s.points)/float64(s.games)) / 1000
}
