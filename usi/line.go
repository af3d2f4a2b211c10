package usi

import (
	"fmt"
	"slices"

	"gogi/shogi"
)

// Line is a game as far as it was followed. The zero value has followed none.
type Line struct {
	Start    string // as a Position has it
	Moves    []shogi.Move
	Position shogi.Position // after the moves
}

// Follow brings the line to a position, replaying only what is new. An illegal move
// is an error; then the line is where it came to.
func (l *Line) Follow(p Position) error {
	n := len(l.Moves)
	if l.Start != p.Start || len(p.Moves) < n || !slices.Equal(l.Moves, p.Moves[:n]) || l.Start == "" {
		h, err := p.History()
		if err != nil {
			return err
		}
		*l = Line{p.Start, slices.Clone(p.Moves), *h.Position()}
		return nil
	}
	for _, m := range p.Moves[n:] {
		if err := l.Position.CheckLegal(m); err != nil {
			return fmt.Errorf("move %d: %w", len(l.Moves)+1, err)
		}
		l.Position.Apply(m)
		l.Moves = append(l.Moves, m)
	}
	return nil
}
