package usi

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gogi/shogi"
)

// Go holds the arguments of the "go" command. Times are sent in whole
// milliseconds. A field that is not set is not sent: some engines abort on an
// argument that they do not know.
type Go struct {
	Ponder      bool
	Early       bool // the search it follows began without clocks: ponderhit carries them
	Infinite    bool
	Mate        bool // "go mate": MateTime, or infinite when that is 0
	MateTime    time.Duration
	Clock       bool          // send btime and wtime
	BTime       time.Duration // Black's remaining time, without the increment of this move
	WTime       time.Duration // White's
	UseByoyomi  bool          // send byoyomi (also when it is 0: sudden death)
	Byoyomi     time.Duration
	UseInc      bool // send binc and winc instead of byoyomi
	BInc        time.Duration
	WInc        time.Duration
	MoveTime    time.Duration
	Nodes       uint64
	Depth       int
	SearchMoves []shogi.Move
}

// String is the whole command.
func (g Go) String() string { return string(g.Append(nil)) }

// Append appends the whole command to dst. Byoyomi comes after btime and wtime:
// one engine family adds it to the clocks as it reads.
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

// appendMillis appends a word and a time behind it, in whole milliseconds and
// not below 0.
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

// ParseGo reads a "go" command. It skips words that it does not know and returns an error about the
// first of them with the rest of the command: a search with the rest has other limits.
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
	g.MateTime = max(ms, time.Millisecond) // 0 would mean infinite
	return err
}

func (g *Go) readNumber(word string, p *words) (err error) {
	behind := p.rest
	value := p.next()
	switch word {
	case "btime":
		g.Clock = true
		g.BTime, err = number(word, value)
	case "wtime":
		g.Clock = true
		g.WTime, err = number(word, value)
	case "byoyomi":
		g.UseByoyomi = true
		g.Byoyomi, err = number(word, value)
	case "binc":
		g.UseInc = true
		g.BInc, err = number(word, value)
	case "winc":
		g.UseInc = true
		g.WInc, err = number(word, value)
	case "movetime":
		g.MoveTime, err = number(word, value)
	case "nodes":
		g.Nodes, err = strconv.ParseUint(value, 10, 64)
	case "depth":
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

// number reads milliseconds; GUIs send negative ones for an overdrawn clock.
func number(key, value string) (time.Duration, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q is not a whole number of milliseconds", key, value)
	}
	n = max(0, min(n, math.MaxInt64/int64(time.Millisecond)))
	return time.Duration(n) * time.Millisecond, nil
}

// Position is a start position and the moves made from it, as the "position"
// command sends it, so that an engine sees the whole history (it needs it for
// repetition).
type Position struct {
	Start string // "startpos" or "sfen " and the four fields of SFEN
	Moves []shogi.Move
}

// String is the whole command.
func (p Position) String() string { return string(p.Append(nil)) }

// Append appends the whole command to dst.
func (p Position) Append(dst []byte) []byte {
	dst = append(append(dst, "position "...), p.Start...)
	if len(p.Moves) == 0 {
		return dst
	}
	return appendMoves(append(dst, " moves"...), p.Moves)
}

// positionLine builds the lines that start searches. The positions of a game grow
// by a move or two from one search to the next, so the text of the last one is
// kept, and only what is new is written behind it.
type positionLine struct {
	text  []byte // of the position below, and what was sent behind it
	start string
	moves []shogi.Move
	size  int // how much of text is the position's; 0: there is none
}

// line is "position …" and "go …", a line each. It is good until the next call.
func (l *positionLine) line(p Position, g Go) []byte {
	l.extend(p)
	l.text = append(l.text[:l.size], '\n')
	l.text = append(g.Append(l.text), '\n')
	return l.text
}

// extend makes the position's text.
func (l *positionLine) extend(p Position) {
	known := len(l.moves)
	if l.size == 0 || known == 0 || p.Start != l.start || len(p.Moves) < known || !slices.Equal(p.Moves[:known], l.moves) {
		l.text, l.start, l.moves = p.Append(l.text[:0]), p.Start, append(l.moves[:0], p.Moves...)
	} else {
		l.text, l.moves = appendMoves(l.text[:l.size], p.Moves[known:]), append(l.moves, p.Moves[known:]...)
	}
	l.size = len(l.text)
}

// StartPosition is the position before the first move.
func (p Position) StartPosition() (shogi.Position, error) { return shogi.ParseStart(p.Start) }

// History replays the moves and fails at the first illegal one, saying which.
func (p Position) History() (*shogi.History, error) {
	return new(Replay).Follow(p)
}

// ParsePosition reads "position …", "startpos …", "sfen …" or a bare SFEN,
// each with optional "moves …". The moves are read, not checked for legality:
// History does that.
func ParsePosition(line string) (Position, error) {
	start, _, moves, err := shogi.ReadLine(line)
	return Position{start, moves}, err
}
