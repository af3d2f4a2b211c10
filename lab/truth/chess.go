package truth

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// chessBoard is a game of chess. Its moves are enough to play: there is no castling, no capture en passant and no
// promotion, neither in games nor in openings.
type chessBoard struct {
	from  string
	text  []string
	stack []chessPosition // the start first
}

// A chessPosition has a letter of FEN for each square, a1 first, or 0.
type chessPosition struct {
	squares [64]byte
	black   bool // the side to move
}

const chessStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

func newChess() *chessBoard {
	b := &chessBoard{}
	if err := b.set("startpos"); err != nil {
		panic(err)
	}
	return b
}

func (b *chessBoard) set(line string) error {
	start, list, _ := strings.Cut(line, " moves")
	start = strings.TrimSpace(start)
	fen := strings.TrimPrefix(start, "fen ")
	if start == "startpos" {
		fen = chessStart
	}
	first, err := parseFEN(fen)
	if err != nil {
		return err
	}
	b.from, b.text, b.stack = start, b.text[:0], append(b.stack[:0], first)
	for m := range strings.FieldsSeq(list) {
		if !slices.Contains(b.position().legal(), m) {
			return fmt.Errorf("%s: not a move that this engine knows", m)
		}
		b.push(m)
	}
	return nil
}

// parseFEN reads the squares and the side to move of a FEN.
func parseFEN(fen string) (p chessPosition, err error) {
	fields := strings.Fields(fen)
	if len(fields) < 2 {
		return p, fmt.Errorf("%q: expected a FEN", fen)
	}
	p.black = fields[1] == "b"
	rank, file := 7, 0
	for _, c := range fields[0] {
		switch {
		case c == '/':
			rank, file = rank-1, 0
		case unicode.IsDigit(c):
			file += int(c - '0')
		case rank < 0 || file > 7:
			return p, fmt.Errorf("%q: expected a FEN", fen)
		default:
			p.squares[8*rank+file] = byte(c)
			file++
		}
	}
	return p, nil
}

// fen returns the position as a FEN without the right to castle.
func (p *chessPosition) fen() string {
	var b strings.Builder
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		for file := range 8 {
			c := p.squares[8*rank+file]
			if c == 0 {
				empty++
				continue
			}
			if empty > 0 {
				fmt.Fprint(&b, empty)
			}
			empty = 0
			b.WriteByte(c)
		}
		if empty > 0 {
			fmt.Fprint(&b, empty)
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	return b.String() + map[bool]string{false: " w - - 0 1", true: " b - - 0 1"}[p.black]
}

func (b *chessBoard) position() *chessPosition { return &b.stack[len(b.stack)-1] }
func (b *chessBoard) start() string            { return b.from }
func (b *chessBoard) moves() []string          { return b.text }
func (b *chessBoard) black() bool              { return !b.position().black }

func (b *chessBoard) key() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(b.position().fen()))
	return h.Sum64()
}

func (b *chessBoard) push(move string) {
	b.stack = append(b.stack, b.position().after(move))
	b.text = append(b.text, move)
}

func (b *chessBoard) pop() {
	b.stack, b.text = b.stack[:len(b.stack)-1], b.text[:len(b.text)-1]
}

func (b *chessBoard) quiet() []string {
	return slices.DeleteFunc(b.position().legal(), func(m string) bool {
		next := b.position().after(m)
		return next.attacked(next.king(next.black), !next.black)
	})
}

func (b *chessBoard) isQuiet(move string) bool { return slices.Contains(b.quiet(), move) }

func chessSquare(text string) int { return int(text[0]-'a') + 8*int(text[1]-'1') }

func chessText(square int) string { return string([]byte{byte('a' + square%8), byte('1' + square/8)}) }

// after returns the position after a move.
func (p *chessPosition) after(move string) chessPosition {
	next := *p
	from, to := chessSquare(move[:2]), chessSquare(move[2:4])
	next.squares[to], next.squares[from] = next.squares[from], 0
	next.black = !p.black
	return next
}

// isBlack reports whether a letter of FEN is a black piece.
func isBlack(c byte) bool { return c >= 'a' }

var (
	straight = [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
	diagonal = [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	jumps    = [][2]int{{1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}}
	pieces   = map[byte]struct {
		steps [][2]int
		far   bool
	}{
		'n': {jumps, false}, 'b': {diagonal, true}, 'r': {straight, true},
		'q': {slices.Concat(straight, diagonal), true}, 'k': {slices.Concat(straight, diagonal), false},
	}
)

// lower returns the letter of a piece without its colour.
func lower(c byte) byte { return c | 0x20 }

// each calls f with the origin and the target of every move of the side, without a look at checks. Moves of pawns to
// the last rank are not among them.
func (p *chessPosition) each(black bool, f func(from, to int)) {
	for from, c := range p.squares {
		if c == 0 || isBlack(c) != black {
			continue
		}
		if lower(c) == 'p' {
			p.pawn(from, black, f)
			continue
		}
		kind := pieces[lower(c)]
		for _, step := range kind.steps {
			for file, rank := from%8+step[0], from/8+step[1]; min(file, rank) >= 0 && max(file, rank) < 8; file, rank = file+
				step[0], rank+step[1] {
				to := 8*rank + file
				if other := p.squares[to]; other == 0 || isBlack(other) != black {
					f(from, to)
				}
				if p.squares[to] != 0 || !kind.far {
					break
				}
			}
		}
	}
}

// pawn calls f with the moves of a pawn.
func (p *chessPosition) pawn(from int, black bool, f func(from, to int)) {
	ahead, home, last := 8, 1, 6
	if black {
		ahead, home, last = -8, 6, 1
	}
	if from/8 == last {
		return
	}
	if p.squares[from+ahead] == 0 {
		f(from, from+ahead)
		if from/8 == home && p.squares[from+2*ahead] == 0 {
			f(from, from+2*ahead)
		}
	}
	for _, side := range []int{-1, 1} {
		if file := from%8 + side; file < 0 || file > 7 {
			continue
		}
		if c := p.squares[from+ahead+side]; c != 0 && isBlack(c) != black {
			f(from, from+ahead+side)
		}
	}
}

// king returns the square of a side's king, or -1.
func (p *chessPosition) king(black bool) int {
	return slices.Index(p.squares[:], map[bool]byte{false: 'K', true: 'k'}[black])
}

// attacked reports whether the side attacks a square that is occupied by the other side.
func (p *chessPosition) attacked(square int, black bool) (yes bool) {
	if square < 0 {
		return false
	}
	for _, side := range []int{-1, 1} { // pawns on their last rank but one attack, too
		from := square - 8 + side
		want := byte('P')
		if black {
			from, want = square+8+side, 'p'
		}
		if from >= 0 && from < 64 && square%8+side >= 0 && square%8+side < 8 && p.squares[from] == want {
			return true
		}
	}
	p.each(black, func(_, to int) { yes = yes || to == square })
	return yes
}

// legal returns the moves of the side to move after which its king is safe, in a fixed order.
func (p *chessPosition) legal() []string {
	var list []string
	p.each(p.black, func(from, to int) {
		m := chessText(from) + chessText(to)
		if next := p.after(m); !next.attacked(next.king(p.black), !p.black) {
			list = append(list, m)
		}
	})
	slices.Sort(list)
	return list
}

// ChessOpening returns the FEN of a position after random quiet moves from the start. White moves next if plies is
// even.
func ChessOpening(r *rand.Rand, plies int) string {
	b := newChess()
	for range plies {
		moves := b.quiet()
		b.push(moves[r.IntN(len(moves))])
	}
	return b.position().fen()
}
