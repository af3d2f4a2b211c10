package usi

import (
	"fmt"
	"slices"

	"gogi/shogi"
)

// Line is the current position of a game that grows move by move. Follow advances it and plays only the new
// moves. The zero value means no game.
type Line struct {
	Start    string // as in a Position
	Moves    []shogi.Move
	Position shogi.Position // after the moves
}

// Follow advances the line to the position p. If p continues the game of the last call, Follow plays only the
// new moves. It returns an error for an illegal move and stops before that move.
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

// Replay is a [Line] that also stores every position of the game, to detect repetition. The zero value means
// no game.
type Replay struct {
	start   string
	history shogi.History
}

// Follow advances the game to the position p and returns the game. If p continues the game of the last call,
// Follow plays only the new moves. The Replay owns the result, which is valid until the next call. Follow
// returns an error for an illegal move and stops before that move.
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

// continues reports whether p is the current position of a game or a later position of the same game. start and moves
// are the current position of that game.
func (p Position) continues(start string, moves []shogi.Move) bool {
	return start != "" && start == p.Start && len(moves) <= len(p.Moves) && slices.Equal(moves, p.Moves[:len(moves)])
}

// legal returns an error that names the move m if m is illegal. played is the number of moves before m.
func legal(p *shogi.Position, played int, m shogi.Move) error {
	if err := p.CheckLegal(m); err != nil {
		return fmt.Errorf("move %d (%s): %w", played+1, m, err)
	}
	return nil
}
