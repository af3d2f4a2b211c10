package effects

import (
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/shogi"
)

// grouping sorts games into groups. All groupings except colour are symmetric: if the players were interchangeable, A
// would score 50% in each group, and no row would differ from the rest. There is no grouping by the length or the end
// of a game. A stronger player wins sooner, so such groups differ for any two players of unequal strength.
type grouping struct {
	name  string // the name in JSON
	title i18n.Message
	about i18n.Message // how games are sorted
	// the groups in their order; nil: all groups that sort returned, the group with the most units first
	classes []string
	byPair  bool         // the unit is the pair (without repeated pairs), not the opening.
	missing i18n.Message // the reason to print if no game has a group

	// sort returns the group of a game, or "" if the grouping omits the game. If byPair is set, all games of an opening
	// are in one group.
	sort func(o *opening, g game) (group string)
}

func newGroupings() []*grouping {
	return []*grouping{
		{
			name: "opening", title: i18n.Of("Opening"), byPair: true,
			about: i18n.Of("the opening, if enough of its pairs repeat no other pair"),
			sort:  func(o *opening, _ game) string { return o.ID },
		}, {
			name: "family", title: i18n.Of("Family of openings"),
			about: i18n.Of("the handicap, or the opening's first two moves from the usual start; other positions are one family"),
			sort:  func(o *opening, _ game) string { return family(o.Opening) },
		}, {
			name: "colour", title: i18n.Of("Colour"), classes: []string{i18n.Phrase("as Black"), i18n.Phrase("as White")},
			about: i18n.Of("A's colour; with two players, the first-player score and a player's preference for a colour cannot be separated"),
			sort:  func(_ *opening, g game) string { return [2]string{"as Black", "as White"}[g.colour] },
		}, {
			name: "ponder_hits", title: i18n.Of("Ponder hits"),
			classes: []string{i18n.Phrase("under 40%"), i18n.Phrase("40% to 60%"), i18n.Phrase("over 60%")},
			about:   i18n.Of("how many of the opponent's moves both players together guessed right while pondering"),
			missing: i18n.Of("no player pondered"), sort: func(_ *opening, g game) string { return ponderHits[g.hits] },
		},
	}
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

// ponderHits has the names of the classes of ponder hits. A game without pondering has no class.
var ponderHits = [...]string{"", "under 40%", "40% to 60%", "over 60%"}

// pondering returns the class of the share of ponder hits, an index in ponderHits.
func pondering(sides [2]match.Side) uint8 {
	hits := sides[0].PonderHits + sides[1].PonderHits
	all := hits + sides[0].PonderMisses + sides[1].PonderMisses
	switch {
	case all == 0:
		return 0
	case 100*hits < 40*all:
		return 1
	case 100*hits <= 60*all:
		return 2
	}
	return 3
}
