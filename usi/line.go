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

// Follow brings the line to a position, playing only what is new. An illegal move
// is an error; then the line is where it came to.
func (l *Line) Follow(p Position) error {
	if !p.continues(l.Start, l.Moves) {
		start, err := p.StartPosition()
		if err != nil {
			return err
		}
		*l = Line{p.Start, l.Moves[:0], start}
	}
	for _, m := range p.Moves[len(l.Moves):] {
		if err := legal(&l.Position, len(l.Moves), m); err != nil {
			return err
		}
		l.Position.Apply(m)
		l.Moves = append(l.Moves, m)
	}
	return nil
}

// Replay is a [Line] that remembers every position, as repetitions want it. The zero
// value has followed none.
type Replay struct {
	start   string
	history shogi.History
}

// Follow brings the game to a position, playing only what is new, and returns it: it is
// the Replay's own and valid until the next call. An illegal move is an error; then the
// game is where it came to.
func (r *Replay) Follow(p Position) (*shogi.History, error) {
	if !p.continues(r.start, r.history.Moves()) {
		start, err := p.StartPosition()
		if err != nil {
			return nil, err
		}
		r.start = p.Start
		r.history.Restart(start)
	}
	for n := r.history.MoveCount(); n < len(p.Moves); n++ {
		if err := legal(r.history.Position(), n, p.Moves[n]); err != nil {
			return nil, err
		}
		r.history.Push(p.Moves[n])
	}
	return &r.history, nil
}

// continues reports whether the position is one of the game, or a later one.
func (p Position) continues(start string, moves []shogi.Move) bool {
	return start != "" && start == p.Start && len(moves) <= len(p.Moves) && slices.Equal(moves, p.Moves[:len(moves)])
}

// legal says which move, played moves after the start, cannot be played and why.
func legal(p *shogi.Position, played int, m shogi.Move) error {
	if err := p.CheckLegal(m); err != nil {
		return fmt.Errorf("move %d (%s): %w", played+1, m, err)
	}
	return nil
}
