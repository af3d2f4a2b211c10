// Package review analyses one game with an engine and marks the moves that lost the most. [Analyse] asks an [Engine]
// for the best moves and the values of each position. A [Review] has the values, the marks and the variations.
// [Review.Annotate] adds them to a record, so that GUIs show them as comments. [Path] is the place of the review of a
// stored game.
package review

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Engine evaluates positions. An opened player is one.
type Engine interface {
	NewGame(ctx context.Context, g usi.Game) error
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
}

// Review has an engine's evaluations of the moves of a game.
type Review struct {
	Version int    `json:"version"`
	Engine  string `json:"engine"` // name of the engine
	ID      string `json:"id"`     // identity of the engine's program and options
	Limit   string `json:"limit"`  // search limit of each position, such as "nodes 100000"
	Lines   int    `json:"lines"`  // number of variations of each position that were requested
	Scale   Scale  `json:"scale"`
	Marks   Marks  `json:"marks"` // losses of win probability from which a move is an inaccuracy, a mistake, a blunder
	First   int    `json:"first"` // number of moves of the opening, which are not reviewed
	Moves   []Move `json:"moves"` // the moves after the opening
}

// Scale is the width of the logistic function that converts centipawns to a win probability: 600 is Ponanza's constant,
// which most shogi programs use.
type Scale float64

// DefaultScale is the scale of most shogi programs.
const DefaultScale Scale = 600

// Win returns the win probability of the side to move, in percent.
func (s Scale) Win(v Value) float64 {
	switch {
	case v.Mate > 0:
		return 100
	case v.Mate < 0:
		return 0
	}
	return 100 / (1 + math.Exp(-float64(v.CP)/float64(s)))
}

// Marks are the losses of win probability, in percentage points, from which a move is an inaccuracy, a mistake or a
// blunder.
type Marks [3]float64

// Check returns an error if the thresholds do not rise.
func (m Marks) Check() error {
	if !(m[0] > 0 && m[0] < m[1] && m[1] < m[2] && m[2] <= 100) {
		return fmt.Errorf("%v: expected three rising losses of win probability up to 100, such as 5,10,20", m)
	}
	return nil
}

// Mark is the mark of a move. The value is the sign in texts.
type Mark string

// These are the marks.
const (
	NoMark     Mark = ""
	Inaccuracy Mark = "?!"
	Mistake    Mark = "?"
	Blunder    Mark = "??"
)

// Of returns the mark of a move that lost so many percentage points.
func (m Marks) Of(loss float64) Mark {
	for i, mark := range []Mark{Blunder, Mistake, Inaccuracy} {
		if loss >= m[2-i] {
			return mark
		}
	}
	return NoMark
}

// Message returns the name of the mark.
func (m Mark) Message() i18n.Message {
	switch m {
	case Inaccuracy:
		return i18n.Of("inaccuracy")
	case Mistake:
		return i18n.Of("mistake")
	case Blunder:
		return i18n.Of("blunder")
	case NoMark:
	}
	return i18n.Message{}
}

// Value is the value of a position for the side to move.
type Value struct {
	CP   int `json:"cp"`             // centipawns; 0 with a mate
	Mate int `json:"mate,omitempty"` // plies to the mate; negative: the side to move is mated; 0: no mate
}

// Turned returns the value from the other side's view.
func (v Value) Turned() Value { return Value{-v.CP, -v.Mate} }

// String returns the value as engines write it, such as +120 or mate 5.
func (v Value) String() string {
	if v.Mate != 0 {
		return fmt.Sprintf("mate %d", v.Mate)
	}
	return fmt.Sprintf("%+d", v.CP)
}

// Line is a variation from the position before a move. Lines have the order of the engine (its multipv numbers).
type Line struct {
	Value Value        `json:"value"` // for the side to move
	PV    []shogi.Move `json:"pv"`
}

// Move is the review of one move.
type Move struct {
	Ply    int        `json:"ply"`  // number of the move in the game, from 1
	Side   string     `json:"side"` // black or white
	Move   shogi.Move `json:"move"`
	Before float64    `json:"before"` // win probability before the move, for the side that made it, in percent
	After  float64    `json:"after"`  // the same after the move
	Value  Value      `json:"value"`  // value after the move, for the side that made it
	Loss   float64    `json:"loss"`   // Before − After, at least 0
	Mark   Mark       `json:"mark,omitempty"`
	Lines  []Line     `json:"lines"` // the engine's best moves in place of this one
}

// Settings are the settings of an analysis.
type Settings struct {
	Limits usi.Go
	Lines  int // number of variations of each position
	Marks  Marks
	Scale  Scale
	First  int                     // number of first moves that are not reviewed
	Done   func(positions, of int) // called after each position; may be nil
}

// pvPlies is the number of moves of each variation.
const pvPlies = 12

// errNoScore is the error for an engine that gives no score.
var errNoScore = errors.New("the engine gave no score; choose an engine that sends info with a score")

// Analyse asks the engine for the value of every position of a game and returns the review without the names of the
// engine and of the limit. The record must be legal up to its last move; an illegal last move is left out.
func Analyse(ctx context.Context, engine Engine, record *kifu.Record, s Settings) (*Review, error) {
	if err := engine.NewGame(ctx, usi.Game{Pair: usi.NoPair}); err != nil {
		return nil, err
	}
	p, moves, err := legal(record)
	if err != nil {
		return nil, err
	}
	begin := "sfen " + p.SFEN()
	if start := shogi.StartPos(); start.SFEN() == p.SFEN() {
		begin = "startpos"
	}
	r := &Review{Version: 1, Lines: s.Lines, Scale: s.Scale, Marks: s.Marks, First: min(s.First, len(moves)),
		Moves: []Move{}}
	var before []Line
	for ply := r.First; ply <= len(moves); ply++ {
		if ply == r.First {
			for _, m := range moves[:ply] {
				p.Apply(m)
			}
		}
		lines, err := ask(ctx, engine, usi.Position{Start: begin, Moves: moves[:ply]}, s)
		if err != nil {
			return nil, fmt.Errorf("after move %d: %w", ply, err)
		}
		if ply > r.First {
			r.Moves = append(r.Moves, r.judge(ply, p.Side().Opponent(), moves[ply-1], before, lines))
		}
		if before = lines; ply < len(moves) {
			p.Apply(moves[ply])
		}
		if s.Done != nil {
			s.Done(ply-r.First+1, len(moves)-r.First+1)
		}
	}
	return r, nil
}

// legal returns the start position of a record and its legal moves.
func legal(record *kifu.Record) (start shogi.Position, moves []shogi.Move, err error) {
	if start, err = (match.Opening{Start: record.Start}).Position(); err != nil {
		return start, nil, err
	}
	p := start
	for i := range record.Moves {
		m := record.Moves[i].Move
		if p.CheckLegal(m) != nil {
			if i < len(record.Moves)-1 {
				return start, nil, fmt.Errorf("move %d, %s, is illegal", i+1, m)
			}
			break
		}
		moves = append(moves, m)
		p.Apply(m)
	}
	return start, moves, nil
}

// judge returns the review of a move. before has the engine's lines in the position before it, and after those of the
// position after it.
func (r *Review) judge(ply int, side shogi.Colour, m shogi.Move, before, after []Line) Move {
	out := Move{Ply: ply, Side: side.String(), Move: m, Lines: before, Value: after[0].Value.Turned()}
	out.Before, out.After = r.Scale.Win(before[0].Value), 100-r.Scale.Win(after[0].Value)
	// the engine's own move loses nothing, whatever a deeper search finds
	if len(before[0].PV) > 0 && before[0].PV[0] == m {
		out.Before = max(out.After, min(out.Before, out.After))
	}
	out.Loss = max(0, out.Before-out.After)
	out.Mark = r.Marks.Of(out.Loss)
	return out
}

// ask returns the engine's lines for a position, in its order. It asks nothing if the side to move is mated.
func ask(ctx context.Context, engine Engine, position usi.Position, s Settings) ([]Line, error) {
	h, err := position.History()
	if err != nil {
		return nil, err
	}
	if !h.Position().HasLegalMove() {
		return []Line{{Value: Value{Mate: -1}}}, nil
	}
	reply, err := engine.Think(ctx,
		usi.Request{Position: position, Go: s.Limits, Deadline: match.DefaultStall + s.Limits.MoveTime, MaxPV: pvPlies})
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	lines := linesOf(&reply, s.Lines)
	if len(lines) == 0 {
		return nil, errNoScore
	}
	return lines, nil
}

// linesOf converts the lines of a reply.
func linesOf(reply *usi.Reply, most int) (lines []Line) {
	switch reply.Answer {
	case usi.AnswerWin:
		return []Line{{Value: Value{Mate: 1}}}
	case usi.AnswerResign, usi.AnswerInvalid:
		if len(reply.Lines) == 0 {
			return []Line{{Value: Value{Mate: -1}}}
		}
	case usi.AnswerMove:
	}
	for i := range reply.Lines {
		info := reply.Lines[i]
		if i == 0 { // the last score may be a bound
			info.Score, info.HasScore = reply.Scored().Score, reply.Scored().HasScore
		}
		if !info.HasScore || len(lines) == most {
			continue
		}
		line := Line{Value: valueOf(info.Score), PV: info.PV}
		if len(lines) == 0 && len(line.PV) == 0 && reply.Move != shogi.NoMove {
			line.PV = []shogi.Move{reply.Move}
		}
		lines = append(lines, line)
	}
	return lines
}

func valueOf(s usi.Score) Value {
	if s.Mate != 0 {
		return Value{Mate: s.Mate * max(1, s.Value)}
	}
	return Value{CP: s.Number()}
}

// Turn returns the move by which a side lost its game: the last move before which its win probability was at least 50%.
// It returns nil if the probability was never that high. The game turned at one move if this move alone is a blunder.
func (r *Review) Turn(side string) (turn *Move, one bool) {
	for i := range r.Moves {
		if m := &r.Moves[i]; m.Side == side && m.Before >= 50 {
			turn = m
		}
	}
	return turn, turn != nil && turn.Mark == Blunder && turn.After < 50
}

// Worst returns the move of a side that lost the most, or nil if the side has no moves.
func (r *Review) Worst(side string) (worst *Move) {
	for i := range r.Moves {
		if m := &r.Moves[i]; m.Side == side && (worst == nil || m.Loss > worst.Loss) {
			worst = m
		}
	}
	return worst
}

// At returns the review of a move by its number in the game, or nil.
func (r *Review) At(ply int) *Move {
	if r == nil || ply <= r.First || ply-1-r.First >= len(r.Moves) {
		return nil
	}
	return &r.Moves[ply-1-r.First]
}

// Count returns the number of moves of a side with a mark.
func (r *Review) Count(side string, mark Mark) (n int) {
	for _, m := range r.Moves {
		if m.Side == side && m.Mark == mark {
			n++
		}
	}
	return n
}
