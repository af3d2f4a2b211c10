package usi

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gogi/shogi"
)

// Go holds the arguments of the "go" command. gogi sends times in whole milliseconds. It does not send fields
// that are not set, because some engines do not support all arguments.
type Go struct {
	Ponder      bool
	Early       bool // "go ponder" without clocks; ponderhit has them
	Infinite    bool
	Mate        bool // send "go mate" with MateTime; 0 means infinite
	MateTime    time.Duration
	Clock       bool          // send btime and wtime
	BTime       time.Duration // Black's remaining time, without the increment of this move
	WTime       time.Duration // White's remaining time
	UseByoyomi  bool          // send byoyomi, even if it is 0 (sudden death)
	Byoyomi     time.Duration
	UseInc      bool // send binc and winc instead of byoyomi
	BInc        time.Duration
	WInc        time.Duration
	MoveTime    time.Duration
	Nodes       uint64
	Depth       int
	SearchMoves []shogi.Move
}

// HasClock reports whether the command has a clock: a remaining time, an increment or a byoyomi. Each of them may come
// without the others.
func (g *Go) HasClock() bool { return g.Clock || g.UseByoyomi || g.UseInc }

// Timed reports whether the command limits the time, by a clock or by a time for the move.
func (g *Go) Timed() bool { return g.HasClock() || g.MoveTime > 0 }

// String returns the whole go command.
func (g Go) String() string { return string(g.Append(nil)) }

// Append appends the whole go command to dst. It writes byoyomi after btime and wtime, because the engines of
// one family add the byoyomi to clocks that they have already read.
func (g Go) Append(dst []byte) []byte {
	dst = append(dst, "go"...)
	if g.Ponder {
		dst = append(dst, " ponder"...)
		if g.Early {
			return dst
		}
	}
	if g.Mate {
		return appendMateTime(append(dst, " mate "...), g.MateTime)
	}
	dst = g.appendTimes(dst)
	if g.MoveTime > 0 {
		dst = appendMillis(dst, " movetime ", g.MoveTime)
	}
	if g.Depth > 0 {
		dst = strconv.AppendInt(append(dst, " depth "...), int64(g.Depth), 10)
	}
	if g.Nodes > 0 {
		dst = strconv.AppendUint(append(dst, " nodes "...), g.Nodes, 10)
	}
	if g.Infinite {
		dst = append(dst, " infinite"...)
	}
	if len(g.SearchMoves) > 0 {
		dst = appendMoves(append(dst, " searchmoves"...), g.SearchMoves)
	}
	return dst
}

func (g Go) appendTimes(dst []byte) []byte {
	if g.Clock {
		dst = appendMillis(appendMillis(dst, " btime ", g.BTime), " wtime ", g.WTime)
	}
	if g.UseInc {
		return appendMillis(appendMillis(dst, " binc ", g.BInc), " winc ", g.WInc)
	}
	if g.UseByoyomi {
		return appendMillis(dst, " byoyomi ", g.Byoyomi)
	}
	return dst
}

// appendMillis appends word and the time d in whole milliseconds, at least 0.
func appendMillis(dst []byte, word string, d time.Duration) []byte {
	return strconv.AppendInt(append(dst, word...), max(0, d.Milliseconds()), 10)
}

func appendMateTime(dst []byte, d time.Duration) []byte {
	if d <= 0 {
		return append(dst, "infinite"...)
	}
	return strconv.AppendInt(dst, d.Milliseconds(), 10)
}

// appendMoves appends " m1 m2 …".
func appendMoves(dst []byte, moves []shogi.Move) []byte {
	for _, m := range moves {
		dst = m.Append(append(dst, ' '))
	}
	return dst
}

// ParseGo parses a "go" command. It skips unknown words and returns the known arguments. If there is an
// unknown word, it also returns an error about the first one. The caller must not ignore this error, because
// the word may be a limit.
func ParseGo(line string) (Go, error) {
	p := words{rest: line}
	if w := p.next(); w != "go" {
		return Go{}, fmt.Errorf("usi: %q is not a go command", line)
	}
	var g Go
	var first error
	for w := p.next(); w != ""; w = p.next() {
		if err := g.read(w, &p); err != nil && first == nil {
			first = fmt.Errorf("usi: %q: %w", line, err)
		}
	}
	return g, first
}

func (g *Go) read(word string, p *words) error {
	switch word {
	case "ponder":
		g.Ponder = true
	case "infinite":
		g.Infinite = true
	case "mate":
		g.Mate = true
		return g.readMate(p)
	case "searchmoves":
		g.SearchMoves = parseMoves(p.rest, 0)
		p.rest = ""
	default:
		return g.readNumber(word, p)
	}
	return nil
}

func (g *Go) readMate(p *words) error {
	w := p.next()
	if w == "infinite" || w == "" {
		return nil
	}
	ms, err := number("mate", w)
	g.MateTime = max(ms, time.Millisecond) // 0 means infinite
	return err
}

func (g *Go) readNumber(word string, p *words) (err error) {
	behind := p.rest
	value := p.next()
	times := map[string]*time.Duration{
		"btime": &g.BTime, "wtime": &g.WTime, "byoyomi": &g.Byoyomi, "binc": &g.BInc, "winc": &g.WInc,
		"movetime": &g.MoveTime,
	}
	switch to := times[word]; {
	case to != nil:
		g.Clock = g.Clock || word == "btime" || word == "wtime"
		g.UseByoyomi = g.UseByoyomi || word == "byoyomi"
		g.UseInc = g.UseInc || word == "binc" || word == "winc"
		*to, err = number(word, value)
	case word == "nodes":
		g.Nodes, err = strconv.ParseUint(value, 10, 64)
	case word == "depth":
		g.Depth, err = strconv.Atoi(value)
	default:
		p.rest = behind
		return fmt.Errorf("unknown word %q", word)
	}
	if err != nil {
		return fmt.Errorf("%s %q is not a whole number", word, value)
	}
	return nil
}

// number parses milliseconds. A GUI sends a negative number for an overdrawn clock; number returns 0 for it.
func number(key, value string) (time.Duration, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q is not a whole number of milliseconds", key, value)
	}
	n = max(0, min(n, math.MaxInt64/int64(time.Millisecond)))
	return time.Duration(n) * time.Millisecond, nil
}

// Position is a start position and the moves from it, as in the "position" command. Engines need all moves to
// detect repetition.
type Position struct {
	Start string // "startpos", or "sfen " with the four SFEN fields
	Moves []shogi.Move
}

// String returns the whole position command.
func (p Position) String() string { return string(p.Append(nil)) }

// Append appends the whole position command to dst.
func (p Position) Append(dst []byte) []byte {
	dst = append(append(dst, "position "...), p.Start...)
	if len(p.Moves) == 0 {
		return dst
	}
	return appendMoves(append(dst, " moves"...), p.Moves)
}

// positionLine builds the lines that start searches. Between two searches a game grows by only one or two
// moves. So positionLine stores the text of the last position and appends only the new moves.
type positionLine struct {
	text  []byte // the position command, and after it the go command of the last search
	start string
	moves []shogi.Move
	size  int // length of the position in text; 0: no position
}

// line returns the "position …" line and the "go …" line. The result is valid until the next call.
func (l *positionLine) line(p Position, g Go) []byte {
	l.extend(p)
	l.text = append(l.text[:l.size], '\n')
	l.text = append(g.Append(l.text), '\n')
	return l.text
}

// extend updates the text to position p.
func (l *positionLine) extend(p Position) {
	known := len(l.moves)
	if l.size == 0 || known == 0 || p.Start != l.start || len(p.Moves) < known || !slices.Equal(p.Moves[:known], l.moves) {
		l.text, l.start, l.moves = p.Append(l.text[:0]), p.Start, append(l.moves[:0], p.Moves...)
	} else {
		l.text, l.moves = appendMoves(l.text[:l.size], p.Moves[known:]), append(l.moves, p.Moves[known:]...)
	}
	l.size = len(l.text)
}

// StartPosition returns the position before the first move.
func (p Position) StartPosition() (shogi.Position, error) { return shogi.ParseStart(p.Start) }

// History replays the moves. It returns an error that names the first illegal move.
func (p Position) History() (*shogi.History, error) {
	return new(Replay).Follow(p)
}

// ParsePosition parses "position …", "startpos …", "sfen …" or a bare SFEN, each with optional "moves …". It
// does not check that the moves are legal; Position.History does.
func ParsePosition(line string) (Position, error) {
	start, _, moves, err := shogi.ReadLine(line)
	return Position{start, moves}, err
}
