package effects

import (
	"slices"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// The bounds of the classes. They are fixed, so that no user can choose bounds by the result.
const (
	// Decisive is the score, in centipawns, beyond which a game counts as decided.
	Decisive = 600
	// OpeningEnds and MiddleEnds are the last plies of the opening and of the middlegame, counted from the
	// start position.
	OpeningEnds = 30
	MiddleEnds  = 80
	// LowTime is the share of the main time, in percent, with which time trouble begins.
	LowTime = 10
)

// lengths returns the last ply of each class of game lengths. A further class has all longer games.
func lengths() []int { return []int{60, 100, 150} }

// grouping sorts games into groups. All groupings except colour are symmetric: if the players were
// interchangeable, A would score 50% in each group, and no row would differ from the rest.
type grouping struct {
	name    string // the name in JSON
	title   i18n.Message
	about   i18n.Message // how games are sorted
	classes []string     // groups in a fixed order. If it is nil, the groups are those of the games, the group with the most units first.
	byPair  bool         // the unit is the pair (without repeated pairs), not the opening.
	made    bool         // the group of a game depends on its result, so no row is tested.
	missing i18n.Message // the reason to print if no game has a group

	sort func(game) (group string, of int) // group is "" for a game that is left out; of is the player that the group is about

	cells map[cell]*sum
	order []cell // in the order of first use, so that rounding errors do not vary
	who   map[string][2]int
}

// The players that a group can be about.
const (
	nobody = iota - 1
	playerA
	playerB
)

func newGroupings() []*grouping {
	all := []*grouping{
		{
			name: "opening", title: i18n.Of("Opening"), byPair: true,
			about: i18n.Of("the opening, if enough of its pairs repeat no other pair"),
			sort:  func(g game) (string, int) { return g.opening.ID, nobody },
		}, {
			name: "family", title: i18n.Of("Family of openings"),
			about: i18n.Of("the handicap, or the opening's first two moves from the usual start; other positions are one family"),
			sort:  func(g game) (string, int) { return family(g.opening), nobody },
		}, {
			name: "colour", title: i18n.Of("Colour"), classes: []string{i18n.Phrase("as Black"), i18n.Phrase("as White")},
			about: i18n.Of("A's colour; with two players, the first-player score and a player's preference for a colour cannot be separated"),
			sort:  func(g game) (string, int) { return [2]string{"as Black", "as White"}[g.colour], nobody },
		}, {
			name: "swing", title: i18n.Of("Decisive swing"), classes: swings(), made: true,
			about: i18n.Of("the first ply from which the scores of both engines stay beyond %d centipawns for the winner until the end: to ply %d, to ply %d, later; unseen if there is no such ply; drawn games are separate", Decisive, OpeningEnds, MiddleEnds),
			sort:  func(g game) (string, int) { return swing(g), nobody },
		}, {
			name: "time_trouble", title: i18n.Of("Time trouble"), classes: []string{i18n.Phrase("neither"), i18n.Phrase("one alone"), i18n.Phrase("both")}, made: true,
			about:   i18n.Of("players with %d%% of their main time or less at some move, or with a loss on time; in brackets how often only one player", LowTime),
			missing: i18n.Of("no player had a main time to run out of"), sort: trouble,
		}, {
			name: "ponder_hits", title: i18n.Of("Ponder hits"), classes: []string{i18n.Phrase("under 40%"), i18n.Phrase("40% to 60%"), i18n.Phrase("over 60%")},
			about:   i18n.Of("how many of the opponent's moves both players together guessed right while pondering"),
			missing: i18n.Of("no player pondered"), sort: func(g game) (string, int) { return pondering(g.Sides), nobody },
		}, {
			name: "length", title: i18n.Of("Length"), classes: lengthNames(), made: true,
			about: i18n.Of("plies, the opening's included"),
			sort:  func(g game) (string, int) { return lengthName(g.Plies), nobody },
		}, {
			name: "termination", title: i18n.Of("End"), made: true,
			about: i18n.Of("the end of the game, with the number that A and B lost that way"),
			sort:  ending,
		},
	}
	for _, w := range all {
		w.cells, w.who = map[cell]*sum{}, map[string][2]int{}
	}
	return all
}

// family returns the handicap's name, or for the usual start position the first two moves of the opening.
func family(o match.Opening) string {
	if o.Start == "startpos" {
		switch len(o.Moves) {
		case 0:
			return "no moves"
		case 1:
			return o.Moves[0].String()
		}
		return o.Moves[0].String() + " " + o.Moves[1].String()
	}
	for _, h := range shogi.Handicaps() {
		if h.SFEN == o.Start {
			return h.Name
		}
	}
	return "another position"
}

// swings returns the names of the game's phases, which end at OpeningEnds and MiddleEnds.
func swings() []string {
	return []string{
		i18n.Phrase("opening (to ply 30)"), i18n.Phrase("middlegame (to 80)"), i18n.Phrase("endgame (from 81)"), i18n.Phrase("unseen"), i18n.Phrase("drawn"),
	}
}

// swing returns the phase in which the game was decided (see decidedAt). Drawn games, and games that no score
// decided, have their own names.
func swing(g game) string {
	names := swings()
	winner, ok := g.Outcome.Winner()
	if !ok {
		return names[4]
	}
	switch ply := decidedAt(g, winner); {
	case ply == 0:
		return names[3]
	case ply <= OpeningEnds:
		return names[0]
	case ply <= MiddleEnds:
		return names[1]
	}
	return names[2]
}

// decidedAt returns the first ply, counted from 1, after which all scores of both engines are beyond Decisive
// for the winner. It returns 0 without such a ply. Scores are from the mover's view; decidedAt converts them
// to the winner's.
func decidedAt(g game, winner shogi.Colour) int {
	ply, scored := 0, [2]bool{}
	for i, m := range slices.Backward(g.record.Moves) {
		if !m.HasScore {
			continue
		}
		mover, score := g.mover(i), m.Score
		if mover != winner {
			score = -score
		}
		if score < Decisive {
			break
		}
		ply, scored[mover] = i+1, true
	}
	if scored != [2]bool{true, true} {
		return 0
	}
	return ply
}

// mover returns the colour that made move i of the record.
func (g game) mover(i int) shogi.Colour {
	if i%2 == 1 {
		return g.first.Opponent()
	}
	return g.first
}

// firstMover returns the side with the first move in a record. If it cannot read the start position, it
// assumes the usual one.
func firstMover(record *kifu.Record) shogi.Colour {
	p, err := match.Opening{Start: record.Start}.Position()
	if err != nil {
		return shogi.Black
	}
	return p.Side()
}

// trouble returns the player who ran short of time.
func trouble(g game) (group string, of int) {
	if g.clocks[0].Main == 0 && g.clocks[1].Main == 0 {
		return "", nobody
	}
	short := g.short()
	if loser, ok := g.Outcome.Winner(); ok && g.Termination == match.TimeForfeit {
		short[loser.Opponent()] = true
	}
	switch a, b := short[g.colour], short[g.colour.Opponent()]; {
	case a && b:
		return i18n.Phrase("both"), nobody
	case a:
		return i18n.Phrase("one alone"), playerA
	case b:
		return i18n.Phrase("one alone"), playerB
	}
	return i18n.Phrase("neither"), nobody
}

// short reports for each colour whether that player began a move with at most LowTime percent of the main
// time left.
func (g game) short() (short [2]bool) {
	var clocks [2]arbiter.Clock
	for c := range clocks {
		clocks[c] = arbiter.NewClock(match.Limits{Clock: g.clocks[c]})
	}
	for i, m := range g.record.Moves {
		if m.Opening {
			continue
		}
		c := g.mover(i)
		main := g.clocks[c].Main
		if main > 0 && clocks[c].Sent()*100 <= main*LowTime {
			short[c] = true
		}
		clocks[c].Spend(m.Time)
	}
	return short
}

// pondering returns the class of the share of ponder hits. It returns "" if neither player pondered.
func pondering(sides [2]match.Side) string {
	hits := sides[0].PonderHits + sides[1].PonderHits
	all := hits + sides[0].PonderMisses + sides[1].PonderMisses
	switch {
	case all == 0:
		return ""
	case 100*hits < 40*all:
		return "under 40%"
	case 100*hits <= 60*all:
		return "40% to 60%"
	}
	return "over 60%"
}

// lengthNames returns the names of the classes of game lengths.
func lengthNames() []string {
	return []string{i18n.Phrase("1 to 60"), i18n.Phrase("61 to 100"), i18n.Phrase("101 to 150"), i18n.Phrase("from 151")}
}

func lengthName(plies int) string {
	i := 0
	for i < len(lengths()) && plies > lengths()[i] {
		i++
	}
	return lengthNames()[i]
}

// ending returns the game's termination as group, and the player who lost by it.
func ending(g game) (group string, of int) {
	winner, ok := g.Outcome.Winner()
	switch {
	case !ok:
		return g.Termination.String(), nobody
	case winner == g.colour:
		return g.Termination.String(), playerB
	}
	return g.Termination.String(), playerA
}
