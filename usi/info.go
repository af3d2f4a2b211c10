package usi

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gogi/internal/sanitize"
	"gogi/shogi"
)

// Info is a parsed "info" line of a search. A field is zero if the line does not contain it.
type Info struct {
	Depth    int
	SelDepth int
	MultiPV  int // 1 for the best line, even if the engine omits it
	Score    Score
	HasScore bool
	Nodes    uint64
	NPS      uint64 // nodes per second, as the engine reports it
	Time     time.Duration
	HashFull int // per mille
	PV       []shogi.Move
	Text     string // the text of "info string …"
}

// ParseInfo parses the words after "info". It never fails. It skips unknown words. If it cannot read a
// number, the field stays zero; a number out of range becomes the nearest limit. A principal variation ends
// at the first word that is not a move: some engines put "resign", "win" or "rep_draw" there.
func ParseInfo(line string) Info { return parseInfo(line, 0) }

// parseInfo does the same as ParseInfo, but parses at most maxPV plies of a variation (0: all; NoPV: none).
func parseInfo(line string, maxPV int) Info {
	info := Info{MultiPV: 1}
	p := words{rest: strings.TrimPrefix(line, "info")}
	for w := p.next(); w != ""; w = p.next() {
		switch w {
		case "pv":
			if maxPV != NoPV {
				info.PV = parseMoves(p.rest, maxPV)
			}
			return info
		case "string":
			info.Text = strings.TrimSpace(p.rest)
			return info
		case "score":
			info.readScore(&p)
		case "lowerbound":
			info.Score.Bound = LowerBound
		case "upperbound":
			info.Score.Bound = UpperBound
		default:
			info.readNumber(w, &p)
		}
	}
	return info
}

func (i *Info) readNumber(key string, p *words) {
	switch key {
	case "depth":
		i.Depth = int(p.bounded(0, maxDepth))
	case "seldepth":
		i.SelDepth = int(p.bounded(0, maxDepth))
	case "multipv":
		i.MultiPV = max(1, int(p.bounded(0, maxMultiPV)))
	case "nodes":
		i.Nodes = uint64(p.bounded(0, maxNodes))
	case "nps":
		i.NPS = uint64(p.bounded(0, maxNodes))
	case "time":
		i.Time = time.Duration(p.bounded(0, maxMS)) * time.Millisecond
	case "hashfull":
		i.HashFull = int(p.bounded(0, maxFull))
	}
}

func (i *Info) readScore(p *words) {
	switch p.next() {
	case "cp":
		i.Score.Mate, i.Score.Value, i.HasScore = 0, int(p.bounded(-maxCentipawns, maxCentipawns)), true
	case "mate":
		if s, ok := parseMate(p.next()); ok {
			s.Bound = i.Score.Bound
			i.Score, i.HasScore = s, true
		}
	}
}

// String returns the line in the form that engines print.
func (i Info) String() string {
	var b strings.Builder
	b.WriteString("info")
	if i.Text != "" {
		return b.String() + " string " + i.Text
	}
	if i.Depth > 0 {
		fmt.Fprintf(&b, " depth %d", i.Depth)
	}
	if i.SelDepth > 0 {
		fmt.Fprintf(&b, " seldepth %d", i.SelDepth)
	}
	if i.MultiPV > 0 {
		fmt.Fprintf(&b, " multipv %d", i.MultiPV)
	}
	if i.HasScore {
		b.WriteString(" score " + i.Score.String() + i.Score.Bound.suffix())
	}
	fmt.Fprintf(&b, " nodes %d nps %d time %d", i.Nodes, i.NPS, i.Time.Milliseconds())
	if i.HashFull > 0 {
		fmt.Fprintf(&b, " hashfull %d", i.HashFull)
	}
	if len(i.PV) > 0 {
		b.Write(appendMoves([]byte(" pv"), i.PV))
	}
	return b.String()
}

func (b Bound) suffix() string {
	switch b {
	case LowerBound:
		return " lowerbound"
	case UpperBound:
		return " upperbound"
	case Exact:
	}
	return ""
}

// parseMoves parses moves up to the first word that is not a move. It returns not more than limit moves, or all moves
// if limit is 0. It collects them on the stack, so that it allocates only one block of the right size.
func parseMoves(text string, limit int) []shogi.Move {
	var room [64]shogi.Move
	moves := room[:0]
	p := words{rest: text}
	for w := p.next(); w != ""; w = p.next() {
		m, err := shogi.ParseMove(w)
		if err != nil {
			break
		}
		if moves = append(moves, m); len(moves) == limit {
			break
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return slices.Clone(moves)
}

// words iterates over the words of a line without allocating. It reads byte by byte, because for such short
// words the search functions of package strings are slower.
type words struct{ rest string }

func (p *words) next() string {
	s := p.rest
	from := 0
	for from < len(s) && isBlank(s[from]) {
		from++
	}
	to := from
	for to < len(s) && !isBlank(s[to]) {
		to++
	}
	p.rest = s[to:]
	return s[from:to]
}

// isBlank reports whether a byte separates words.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// bounded parses the next word as a number. It replaces a number outside low…high by the nearest limit, and returns 0
// for any other word.
func (p *words) bounded(low, high int64) int64 {
	n, _ := bounded(p.next(), low, high)
	return n
}

// These limit the numbers of an engine's info lines. They are far above the numbers of any real search. They
// are low enough that no line can overflow a sum or a stored integer.
const (
	// nodes, and nodes per second: every JSON reader can represent this number exactly; 104 days at 10^9 per second
	maxNodes = 1<<53 - 1
	maxDepth = 1_000_000 // plies, also for seldepth
	maxMS    = 1 << 40   // milliseconds: 34 years
	maxFull  = 1000      // use of the hash table, per mille
)

// bounded parses a signed decimal number of any length. It replaces a number outside low…high by the nearest
// limit. ok is false if the word is not a number.
func bounded[T string | []byte](word T, low, high int64) (n int64, ok bool) {
	negative := len(word) > 0 && word[0] == '-'
	first := 0
	if negative || len(word) > 0 && word[0] == '+' {
		first = 1
	}
	if first == len(word) {
		return 0, false
	}
	for i := first; i < len(word); i++ {
		digit := word[i] - '0'
		if digit > 9 {
			return 0, false
		}
		if n = 10*n + int64(digit); n > math.MaxInt64/16 {
			n = math.MaxInt64 / 16 // above every limit; the next digit cannot overflow it
		}
	}
	if negative {
		n = -n
	}
	return max(low, min(n, high)), true
}

// FailureNote returns the text of an "info string" by which an engine reports a failure, such as a missing evaluation
// file: "Failed to open params.bin". ok is false for any other line. The text has at most 100 characters and is safe to
// print.
func FailureNote(line string) (text string, ok bool) {
	if !strings.HasPrefix(line, "info string ") {
		return "", false
	}
	note := strings.ToLower(line)
	for _, word := range []string{"fail", "error", "cannot open", "can't open", "could not", "not found"} {
		if strings.Contains(note, word) {
			return sanitize.Printable(strings.TrimSpace(strings.TrimPrefix(line, "info string")), 100), true
		}
	}
	return "", false
}
