package events

import (
	"slices"
	"strings"

	"gogi/match"
	"gogi/shogi"
)

// board is a game in a slot. While sound is true, position is the position after the moves. After a move that is
// illegal in position, sound is false until an event contains a position.
type board struct {
	match.Board // snapshot sets Moves and Position
	position    shogi.Position
	sound       bool
	moves       []byte
}

// newBoard returns the board of an event that begins or ends a game. After an end event the start position is unknown.
func newBoard(ev *match.Event) *board {
	b := &board{Board: match.Board{Pair: *ev.Pair, Leg: *ev.Leg, GameHead: ev.GameHead}}
	b.Limits, b.Clocks, b.Plies = slices.Clone(ev.Limits), slices.Clone(ev.Clocks), 0
	if ev.Type == match.EventGame {
		b.Plies, b.Ply = ev.Plies, ev.Plies
		b.sound = b.set(ev.Start) && b.playAll(ev.Moves)
	}
	return b
}

func (b *board) isOf(ev *match.Event) bool {
	return b.Pair == *ev.Pair && b.Leg == *ev.Leg && b.Outcome == ""
}

// set puts a position on the board. It reports whether sfen is valid.
func (b *board) set(sfen string) bool {
	p, err := shogi.ParseSFEN(sfen)
	if err == nil {
		b.position = p
	}
	return err == nil
}

func (b *board) playAll(moves string) bool {
	for text := range strings.FieldsSeq(moves) {
		if !b.play(text) {
			return false
		}
	}
	return true
}

// play plays a move and reports whether the move is legal.
func (b *board) play(text string) bool {
	m, err := shogi.ParseMove(text)
	if err != nil || b.position.CheckLegal(m) != nil {
		return false
	}
	b.position.Apply(m)
	if len(b.moves) > 0 {
		b.moves = append(b.moves, ' ')
	}
	b.moves = m.Append(b.moves)
	return true
}

// move applies a move event of this game, and returns the number of missing moves before it.
func (b *board) move(ev *match.Event) (missed int) {
	fits := b.sound && ev.Ply == b.Ply+1 && b.play(ev.Move)
	missed = max(0, ev.Ply-b.Ply-1)
	b.Ply = ev.Ply
	if !fits {
		b.repair(ev.Position)
	}
	if b.sound {
		b.setThought(b.position.Side().Opponent(), ev)
	}
	return missed
}

// repair restarts the board from the position sfen of an event. If sfen is "", the board stays unsound.
func (b *board) repair(sfen string) {
	if b.sound = b.set(sfen); b.sound {
		b.Start, b.StartPly, b.moves = b.position.SFEN(), b.Ply, nil
	}
}

// setThought stores the search data and the clock of the player that moved.
func (b *board) setThought(c shogi.Colour, ev *match.Event) {
	b.Thoughts[c] = new(ev.Thought)
	if ev.ClockMS != nil {
		if len(b.Clocks) != 2 {
			b.Clocks = []*float64{nil, nil}
		}
		b.Clocks[c] = ev.ClockMS
	}
}

// end applies the end event of this game, and returns the number of missing last moves.
func (b *board) end(ev *match.Event) (missed int) {
	b.Black, b.White, b.Outcome, b.Termination = ev.Black, ev.White, ev.Outcome, ev.Termination
	missed = max(0, ev.Plies-b.Ply)
	if missed > 0 || !b.sound {
		b.Ply = ev.Plies
		b.repair(ev.Position)
	}
	return missed
}

// snapshot returns a copy of the board, or nil for a nil board.
func (b *board) snapshot() *match.Board {
	if b == nil {
		return nil
	}
	c := b.Board
	c.Limits, c.Clocks = slices.Clone(c.Limits), slices.Clone(c.Clocks)
	c.Moves, c.Position = string(b.moves), ""
	if b.sound {
		c.Position = b.position.SFEN()
	}
	return &c
}

func restoreBoard(from *match.Board) *board {
	if from == nil {
		return nil
	}
	b := &board{Board: *from, moves: []byte(from.Moves)}
	b.Limits, b.Clocks = slices.Clone(b.Limits), slices.Clone(b.Clocks)
	b.sound = b.set(from.Position)
	return b
}
