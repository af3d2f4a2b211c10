package games

import (
	"fmt"

	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Completer adds facts about the run and the game to stored records, so that an exported file contains them.
type Completer struct {
	run        string
	plan       *match.Plan // names, limits and rules
	identities []string    // by player
	numbers    map[string]int
}

// NewCompleter returns a Completer with the facts that all records of a run share.
func NewCompleter(info *results.RunInfo) (*Completer, error) {
	canonical, err := info.ParsePlan()
	if err != nil {
		return nil, err
	}
	c := &Completer{run: info.Name, numbers: map[string]int{}}
	if c.plan, err = canonical.Replayable(); err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	for i, e := range info.Engines {
		c.numbers[e.Name] = i
		c.identities = append(c.identities, e.Identity.String())
	}
	return c, nil
}

// Complete adds the header to a stored record: the event (run, pair and leg), the clocks, limits and
// identities of both sides, and the rules that a file can name. It also adds how, why and when the game
// ended, and the time of the last answer. It removes an illegal move at the end of a record of an older gogi,
// because formats cannot store it; the note describes the move.
//
// A record of an imported game keeps its own header.
func (c *Completer) Complete(row match.Row, record *kifu.Record) {
	if c.plan.Design.Kind == match.DesignImported {
		restore(record)
		record.Ended, record.Note = row.Ended, row.Note
		return
	}
	record.Event, record.OpenedBy = event(c.run, row.Pair, row.Leg), row.OpeningID
	record.Ended, record.Note = row.Ended, row.Note
	record.MaxMoves, record.Jishogi = c.plan.Rules.MaxPlies, jishogi(c.plan.Rules.Declaration)
	for colour, name := range record.Names() {
		number, ok := c.numbers[name]
		if !ok || number >= len(c.plan.Players) {
			continue
		}
		limits := c.plan.LimitsOf(number, shogi.Colour(colour))
		record.Clocks[colour] = kifu.Clock(limits.Clock)
		if text := limits.String(); text != "" {
			record.About[colour] = text + "; " + c.identities[number]
		}
	}
	cutIllegal(record)
	lastAnswer(row, record)
}

// jishogi returns the number that a record's header uses for the points rule of declarations: 24 or 27. It
// returns 0 if records have no number for the rule.
func jishogi(rule shogi.DeclarationRule) int {
	switch rule {
	case shogi.CSARule24, shogi.CSARule24H:
		return 24
	case shogi.CSARule27, shogi.CSARule27H:
		return 27
	default:
		return 0
	}
}

// cutIllegal removes an illegal last move from a record.
func cutIllegal(record *kifu.Record) {
	if record.Result != string(match.IllegalMove) || len(record.Moves) == 0 {
		return
	}
	p, err := shogi.ParseSFEN(record.Start)
	if err != nil {
		return // the writer of the file returns this error
	}
	for i := range record.Moves {
		if p.CheckLegal(record.Moves[i].Move) != nil {
			record.Moves = record.Moves[:i]
			return
		}
		p.Apply(record.Moves[i].Move)
	}
}

// lastAnswer sets the time of a last answer without a move, such as a resignation. The total time of a side
// includes that time.
func lastAnswer(row match.Row, record *kifu.Record) {
	first, err := shogi.ParseSFEN(record.Start)
	if err != nil {
		return
	}
	var own [2]match.Side
	side := first.Side()
	for i := range record.Moves {
		if !record.Moves[i].Opening {
			own[side].Add(record.Moves[i], 0)
		}
		side = side.Opponent()
	}
	if row.Sides[side].Plies == own[side].Plies+1 {
		record.LastTime, record.HasLast = max(0, row.Sides[side].Time-own[side].Time), true
	}
}
