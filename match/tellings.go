package match

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"gogi/kifu"
)

// The bounds of what is told in words, and of a council's record of one vote: far above
// what a runner writes.
const (
	MaxWords = 1 << 16 // bytes of a note, or of an attempt's reason
	MaxVote  = 1 << 18 // bytes
)

// maxSlot bounds the slot that a game is said to have been played in.
const maxSlot = 1 << 20

// verifyTold refuses what of a game decides nothing and yet is kept and read: words
// without end, numbers that no sum has room for, votes of who is no council.
func verifyTold(plan *Plan, want Game, g *Result) error {
	if err := checkWords("the note", g.Note); err != nil {
		return err
	}
	if g.Slot < 0 || g.Slot > maxSlot {
		return fmt.Errorf("it was played in slot %d", g.Slot)
	}
	for c := range g.Sides {
		if err := g.Sides[c].check(); err != nil {
			return err
		}
	}
	if plan.Design.Kind == DesignImported {
		return nil // its players are names: what is beside its moves was read from a file
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
	if g.Termination == MateAdjudication {
		return nil // the last answer is the proof, which was proven again
	}
	if err := checkVote(g.Record.Final, council(len(moves))); err != nil {
		return fmt.Errorf("the last answer: %w", err)
	}
	return nil
}

func checkWords(what, text string) error {
	switch {
	case len(text) > MaxWords:
		return fmt.Errorf("%s has %d bytes: expected at most %d", what, len(text), MaxWords)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", what)
	}
	return nil
}

// check says what sums cannot be, beside those that are held against the moves.
func (s *Side) check() error {
	for _, n := range [...]int{s.PonderHits, s.PonderMisses, s.Incomplete} {
		if n < 0 || n > s.Plies {
			return fmt.Errorf("the sums %+v count more than the %d moves, or less than none", *s, s.Plies)
		}
	}
	if s.WorstOverrun < 0 {
		return fmt.Errorf("a move was %v over its limit", s.WorstOverrun)
	}
	return nil
}

func checkMove(m *kifu.Move, council bool) error {
	for _, n := range [...]int{m.Score, m.Depth, m.SelDepth} {
		if n < math.MinInt32 || n > math.MaxInt32 {
			return fmt.Errorf("a score or depth of %d", n)
		}
	}
	return checkVote(m.Vote(), council) // a move of an engine's book says so, and is no vote
}

// checkVote refuses what cannot be a council's record; package ensemble/voting knows what
// is in one.
func checkVote(record []byte, council bool) error {
	switch {
	case len(record) == 0:
		return nil
	case !council:
		return fmt.Errorf("it has a record of a vote, of a player that is no council")
	case len(record) > MaxVote:
		return fmt.Errorf("the record of its vote has %d bytes: expected at most %d", len(record), MaxVote)
	case !utf8.Valid(record) || !json.Valid(record):
		return fmt.Errorf("the record of its vote is no JSON")
	}
	return nil
}
