package usi

import (
	"context"
	"strings"
	"time"

	"gogi/internal/sanitize"
	"gogi/shogi"
)

// MateAnswer is the kind of a checkmate answer: a mate, no mate, no result, or an unreadable answer.
type MateAnswer uint8

// These are the answers of a checkmate line.
const (
	MateInvalid        MateAnswer = iota // unreadable; Text has the words
	MateFound                            // the side to move mates; Moves has the line
	MateNone                             // proven: the side to move has no mate ("nomate")
	MateTimeout                          // no result ("timeout")
	MateNotImplemented                   // the engine has no mate search ("notimplemented")
)

// Checkmate is the result of a mate search ("go mate"): whether the side to move can mate the opponent with a
// series of checks.
type Checkmate struct {
	Answer  MateAnswer
	Moves   []shogi.Move // for MateFound; the side to move plays the first one
	Text    string       // the text after the first word, safe to print
	Nodes   uint64       // the last node count that the engine reported
	Elapsed time.Duration
	Stopped bool // gogi stopped the search: the deadline passed or ctx ended
}

// ParseCheckmate parses a line "checkmate …". It never fails: an unknown answer gives MateInvalid. One engine
// family prints "none" when it gives up the search; ParseCheckmate returns MateTimeout for that. It does not
// check that the moves are legal and mate.
func ParseCheckmate(line string) Checkmate {
	rest := strings.TrimSpace(strings.TrimPrefix(line, "checkmate"))
	c := Checkmate{Text: sanitize.Printable(rest, 2000)}
	switch rest {
	case "nomate":
		c.Answer = MateNone
	case "timeout", "none":
		c.Answer = MateTimeout
	case "notimplemented":
		c.Answer = MateNotImplemented
	default:
		moves := parseMoves(rest, 0)
		if len(moves) > 0 && len(moves) == len(strings.Fields(rest)) {
			c.Answer, c.Moves = MateFound, moves
		}
	}
	return c
}

// String returns the whole checkmate line. For MateInvalid and for a mate without moves it returns "checkmate
// timeout", because that answer claims nothing.
func (c Checkmate) String() string {
	if c.Answer == MateFound && len(c.Moves) == 0 {
		c.Answer = MateInvalid // USI cannot express a mate without moves
	}
	switch c.Answer {
	case MateFound:
		return string(appendMoves([]byte("checkmate"), c.Moves))
	case MateNone:
		return "checkmate nomate"
	case MateNotImplemented:
		return "checkmate notimplemented"
	case MateInvalid, MateTimeout:
	}
	return "checkmate timeout"
}

// Mate searches for a mate by the side to move with "go mate". r.Go.MateTime is the limit (0: no limit); Mate
// ignores the other fields of r.Go. When ctx ends or the deadline passes, Mate sends "stop", as Think does.
// The errors are those of Think.
//
// Engines without a mate search answer "bestmove" after an ordinary search. Mate then uses the score of the
// best line. It returns MateFound if the score is a mate and the variation ends in one, and MateNone if the
// score is a mate against the side to move. For any other score it returns MateTimeout.
func (e *Engine) Mate(ctx context.Context, r Request) (Checkmate, error) {
	e.deadline.Store(int64(r.Deadline))
	if err := e.stopPonder(ctx, e.limits.Stop); err != nil {
		return Checkmate{}, err
	}
	r.Go = Go{Mate: true, MateTime: r.Go.MateTime}
	s, err := e.start(r, lineCheckmate)
	if err != nil {
		return Checkmate{}, err
	}
	ev, stopped, err := e.outcome(ctx, &s, r.Deadline)
	reply := e.in.finish(0)
	if err != nil {
		noteElapsed(e, time.Since(s.start))
		return Checkmate{Stopped: stopped}, err
	}
	c := mateAnswer(e, ev, reply, r.Position)
	c.Nodes, c.Stopped, c.Elapsed = reply.Nodes, stopped, max(0, ev.stamp.Sub(s.start))
	return c, nil
}

func mateAnswer(e *Engine, ev event, reply Reply, p Position) Checkmate {
	line := sanitize.Decode(ev.line)
	if kindOf(ev.line) == lineCheckmate {
		return ParseCheckmate(line)
	}
	c := Checkmate{Answer: MateTimeout,
		Text: sanitize.Printable(strings.TrimSpace(strings.TrimPrefix(line, "bestmove")), 40)}
	best := reply.Exact
	if !best.HasScore {
		best = reply.Best()
	}
	switch {
	case best.Score.Bound != Exact:
	case best.Score.Mate > 0 && endsInMate(p, best.PV):
		c.Answer, c.Moves = MateFound, best.PV
	case best.Score.Mate < 0:
		c.Answer = MateNone
	}
	return c
}

// endsInMate reports whether the moves from the position end in checkmate.
func endsInMate(p Position, moves []shogi.Move) bool {
	h, err := p.History()
	return err == nil && h.Position().EndsInMate(moves)
}
