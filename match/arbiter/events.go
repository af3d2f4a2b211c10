package arbiter

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"gogi/match"
	"gogi/shogi/kifu"
)

// maxVote is the largest accepted size of a council's record of one vote, in bytes. The records that gogi writes are
// much smaller.
const maxVote = 1 << 18

// verifyReported checks the stored parts of a game that do not change its result. It returns an error for texts
// that are too long, for numbers that would overflow a sum, and for votes of a player that is not a council.
func verifyReported(plan *match.Plan, want match.Game, g *match.Result) error {
	if err := g.Check(); err != nil {
		return err
	}
	if plan.Design.Kind == match.DesignImported {
		return nil // an imported game: gogi cannot check data other than the moves
	}
	start, err := want.Opening.Position()
	if err != nil {
		return err
	}
	side := int(start.Side())
	council := func(i int) bool { return plan.Players[want.Players[(side+i)%2]].Council != nil }
	moves := g.Record.Moves
	for i := range moves {
		if err := checkMove(&moves[i], council(i)); err != nil {
			return fmt.Errorf("move %d (%s): %w", i+1, moves[i].Move, err)
		}
	}
	if g.Termination == match.MateAdjudication {
		return nil // the last answer is the proof, which gogi has already repeated
	}
	if err := checkVote(g.Record.Final, council(len(moves))); err != nil {
		return fmt.Errorf("the last answer: %w", err)
	}
	return nil
}

func checkMove(m *kifu.Move, council bool) error {
	for _, n := range [...]int{m.Score, m.Depth, m.SelDepth} {
		if n < math.MinInt32 || n > math.MaxInt32 {
			return fmt.Errorf("a score or depth of %d", n)
		}
	}
	return checkVote(m.Vote(), council) // a move from an engine's book is marked, and is not a vote
}

// checkVote returns an error if the data cannot be the record of a council's vote. Package ensemble/voting
// defines the content of the record.
func checkVote(record []byte, council bool) error {
	switch {
	case len(record) == 0:
		return nil
	case !council:
		return fmt.Errorf("it has a record of a vote, of a player that is no council")
	case len(record) > maxVote:
		return fmt.Errorf("the record of its vote has %d bytes: expected at most %d", len(record), maxVote)
	case !utf8.Valid(record) || !json.Valid(record):
		return fmt.Errorf("the record of its vote is no JSON")
	}
	return nil
}
