package usi

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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

// String is the whole command. Byoyomi comes after btime and wtime: one engine
// family adds it to the clocks as it reads.
func (g Go) String() string {
	var b strings.Builder
	b.WriteString("go")
	if g.Ponder {
		b.WriteString(" ponder")
		if g.Early {
			return b.String()
		}
	}
	if g.Mate {
		b.WriteString(" mate " + mateTime(g.MateTime))
		return b.String()
	}
	g.writeTimes(&b)
	if g.MoveTime > 0 {
		fmt.Fprintf(&b, " movetime %d", millis(g.MoveTime))
	}
	if g.Depth > 0 {
		fmt.Fprintf(&b, " depth %d", g.Depth)
	}
	if g.Nodes > 0 {
		fmt.Fprintf(&b, " nodes %d", g.Nodes)
	}
	if g.Infinite {
		b.WriteString(" infinite")
	}
	if len(g.SearchMoves) > 0 {
		b.WriteString(" searchmoves")
		writeMoves(&b, g.SearchMoves)
	}
	return b.String()
}

func (g Go) writeTimes(b *strings.Builder) {
	if g.Clock {
		fmt.Fprintf(b, " btime %d wtime %d", millis(g.BTime), millis(g.WTime))
	}
	if g.UseInc {
		fmt.Fprintf(b, " binc %d winc %d", millis(g.BInc), millis(g.WInc))
	} else if g.UseByoyomi {
		fmt.Fprintf(b, " byoyomi %d", millis(g.Byoyomi))
	}
}

func millis(d time.Duration) int64 { return max(0, d.Milliseconds()) }

func mateTime(d time.Duration) string {
	if d <= 0 {
		return "infinite"
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

// ParseGo reads a "go" command. Unknown words are errors: who skipped them
// would search under other limits than asked for.
func ParseGo(line string) (Go, error) {
	g, err := readGo(line)
	if err != nil {
		return Go{}, err
	}
	return g, nil
}

// readGo reads on behind words that it does not know; the error is about the
// first of them.
func readGo(line string) (Go, error) {
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
		g.SearchMoves = parseMoves(p.rest)
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
	dst = append(dst, " moves"...)
	for _, m := range p.Moves {
		dst = m.Append(append(dst, ' '))
	}
	return dst
}

// StartPosition is the position before the first move.
func (p Position) StartPosition() (shogi.Position, error) {
	if p.Start == "startpos" {
		return shogi.StartPos(), nil
	}
	sfen, ok := strings.CutPrefix(p.Start, "sfen ")
	if !ok {
		return shogi.Position{}, fmt.Errorf("usi: position %q: expected \"startpos\" or \"sfen …\"", p.Start)
	}
	return shogi.ParseSFEN(sfen)
}

// History replays the moves and fails at the first illegal one, saying which.
func (p Position) History() (*shogi.History, error) {
	start, err := p.StartPosition()
	if err != nil {
		return nil, err
	}
	h := shogi.NewHistory(start)
	for i, m := range p.Moves {
		if err := h.Position().CheckLegal(m); err != nil {
			return nil, fmt.Errorf("move %d (%s): %w", i+1, m, err)
		}
		h.Push(m)
	}
	return h, nil
}

// ParsePosition reads "position …", "startpos …", "sfen …" or a bare SFEN,
// each with optional "moves …". The moves are read, not checked for legality:
// History does that.
func ParsePosition(line string) (Position, error) {
	p, _, err := ReadPosition(line)
	return p, err
}

// ReadPosition is ParsePosition that also gives the position before the first move.
func ReadPosition(line string) (p Position, start shogi.Position, err error) {
	text := strings.TrimSpace(line)
	text = strings.TrimSpace(strings.TrimPrefix(text, "position "))
	first, list, _ := strings.Cut(text, " moves")
	first = strings.TrimSpace(first)
	if first != "startpos" && !strings.HasPrefix(first, "sfen ") {
		first = "sfen " + first
	}
	p.Start = first
	if start, err = p.StartPosition(); err != nil {
		return Position{}, shogi.Position{}, err
	}
	if list != "" {
		p.Moves = make([]shogi.Move, 0, len(list)/len(" 7g7f"))
	}
	for w := range strings.FieldsSeq(list) {
		m, err := shogi.ParseMove(w)
		if err != nil {
			return Position{}, shogi.Position{}, fmt.Errorf("move %d: %w", len(p.Moves)+1, err)
		}
		p.Moves = append(p.Moves, m)
	}
	return p, start, nil
}
