package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"gogi/shogi"
)

// PositionSize is the size of a packed position in bytes.
const PositionSize = 32

// ErrCut is the error for a position without a king that needs more than 256 bits. It occurs only if a reader
// cannot restore the bits that do not fit.
var ErrCut = errors.New("the position has no king of one side and does not fit into 256 bits")

// AppendSfen appends a position as PackedSfen: 32 bytes (256 bits) without the move number. A position
// without a king needs one or two bits more. AppendSfen omits these bits if a reader can restore them;
// otherwise it returns ErrCut.
func AppendSfen(dst []byte, p *shogi.Position) ([]byte, error) { return sfenLayout.append(dst, p) }

// ParseSfen decodes a position that AppendSfen encoded. It accepts hands in any order. ply is the number of the next
// move, from 1. The error is an *Error.
func ParseSfen(b []byte, ply int) (shogi.Position, error) { return sfenLayout.parse(b, ply) }

// AppendHCP appends a position as HCP: 32 bytes without the move number. It returns ErrCut in the same cases
// as AppendSfen.
func AppendHCP(dst []byte, p *shogi.Position) ([]byte, error) { return hcpLayout.append(dst, p) }

// ParseHCP decodes a position that AppendHCP encoded. Its parameters and errors are those of ParseSfen.
func ParseHCP(b []byte, ply int) (shogi.Position, error) { return hcpLayout.parse(b, ply) }

func (l *layout) append(dst []byte, p *shogi.Position) ([]byte, error) {
	var w bitWords
	end := l.write(&w, p)
	start := len(dst)
	for _, word := range w[:4] {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	if end == fixedBits {
		return dst, nil
	}
	back, err := l.parse(dst[start:], p.Ply())
	if err != nil || back.SFEN() != p.SFEN() {
		return dst[:start], fmt.Errorf("%s of %s: %w", l.name, p.SFEN(), ErrCut)
	}
	return dst, nil
}

// write writes a position to w and returns the number of its bits.
func (l *layout) write(w *bitWords, p *shogi.Position) uint {
	at := w.put(0, code{uint64(p.Side()), 1})
	at = w.put(at, code{uint64(p.KingSquare(shogi.Black)), 7})
	at = w.put(at, code{uint64(p.KingSquare(shogi.White)), 7})
	left := setSize()
	for s := range shogi.NoSquare {
		piece := p.PieceAt(s)
		at = w.put(at, l.board[piece]) // nothing for a king
		if t := piece.Type(); t != shogi.King {
			left[t.Base()]--
		}
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		for _, t := range pieceOrder() {
			n := p.Hand(c, t)
			left[t] -= n
			for range n {
				at = w.put(at, l.hand[c][t])
			}
		}
	}
	for _, t := range pieceOrder() {
		for range left[t] {
			at = w.put(at, l.box[t])
		}
	}
	return at
}

func (l *layout) parse(b []byte, ply int) (shogi.Position, error) {
	if len(b) < PositionSize {
		return shogi.Position{}, fault(int64(len(b)), "the %s has %d bytes: expected %d", l.name, len(b), PositionSize)
	}
	var w bitWords
	for i := range 4 {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	setup, err := l.read(&w)
	if err != nil {
		return shogi.Position{}, err
	}
	setup.Ply = max(1, ply)
	p, problem := setup.Position()
	if problem != nil {
		return p, fault(0, "the %s is of no position: %w", l.name, problem)
	}
	return p, nil
}

// read reads a position. If a king is missing, the last bits were omitted. Then read tries all possible
// values of these bits, and selects those for which the pieces are a complete set. If several values fit, it
// prefers the hands in the order in which gogi writes them.
func (l *layout) read(w *bitWords) (*shogi.Setup, error) {
	head, missing, err := l.kings(w)
	if err != nil {
		return nil, err
	}
	var found *shogi.Setup
	var first error
	for cut := range uint64(1) << missing {
		w[4] = cut
		setup, ordered, err := l.pieces(w, head, fixedBits+missing)
		switch {
		case err != nil:
			if first == nil {
				first = err
			}
		case ordered:
			return setup, nil
		case found == nil:
			found = setup
		}
	}
	if found == nil {
		return nil, first
	}
	return found, nil
}

// kings reads the side to move and both kings. missing is the number of missing kings.
func (l *layout) kings(w *bitWords) (setup shogi.Setup, missing uint, err error) {
	setup.Side = shogi.Colour(w.peek(0, 1))
	for i, c := range []shogi.Colour{shogi.Black, shogi.White} {
		at := uint(1 + 7*i)
		switch s := shogi.Square(w.peek(at, 7)); {
		case s == shogi.NoSquare:
			missing++
		case s > shogi.NoSquare:
			return setup, 0, fault(int64(at/8), "%v's king stands on square number %d: expected 0 to 80, or 81 for none", c, s)
		case setup.Board[s] != shogi.NoPiece:
			return setup, 0, fault(1, "both kings stand on %v: expected different squares", s)
		default:
			setup.Board[s] = shogi.NewPiece(c, shogi.King)
		}
	}
	return setup, missing, nil
}

// pieces reads the squares, the hands and the box, up to bit number end. ordered reports whether the hands are in the
// order in which gogi writes them.
func (l *layout) pieces(w *bitWords, head shogi.Setup, end uint) (setup *shogi.Setup, ordered bool, err error) {
	setup = &head
	at, left := uint(15), setSize()
	take := func(table *[1 << symbolBits]symbol, what string) (symbol, error) {
		s := table[w.peek(at, symbolBits)]
		switch t := s.piece.Type().Base(); {
		case s.n == 0:
			return s, fault(int64(at/8), "no piece %s has a code that begins with bit %d: expected one of %s", what, at%8,
				l.name)
		case at+s.n > end:
			return s, fault(int64(at/8), "the code of a %v %s goes beyond the last bit: expected %d bits in all", t, what, end)
		case s.piece != shogi.NoPiece && left[t] == 0:
			return s, fault(int64(at/8), "there is one %v more than a set has: expected %d", t, setSize()[t])
		case s.piece != shogi.NoPiece:
			left[t]--
		}
		at += s.n
		return s, nil
	}
	for sq := range setup.Board {
		if setup.Board[sq] != shogi.NoPiece {
			continue
		}
		s, err := take(&l.onMat, "on the board")
		if err != nil {
			return nil, false, err
		}
		setup.Board[sq] = s.piece
	}
	ordered = true
	order, last := pieceOrder(), 0
	for at < end {
		s, err := take(&l.off, "off the board")
		if err != nil {
			return nil, false, err
		}
		owner := int(s.piece.Colour())
		rank := 8*owner + slices.Index(order[:], s.piece.Type())
		if s.boxed {
			rank += 16
		} else {
			setup.Hands[owner][s.piece.Type()]++
		}
		ordered, last = ordered && rank >= last, rank
	}
	return setup, ordered, nil
}
