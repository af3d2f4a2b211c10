package shogi

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Square is a square of the board: the number (file-1)*9 + (rank-1), 0 to 80. Files are 1 to 9, counted from
// Black's right. Ranks are a to i (1 to 9), counted from White's side.
type Square uint8

// NoSquare is the value for no square, such as the square of a missing king.
const NoSquare Square = 81

// NewSquare returns the square on the given file (1 to 9) and rank (1 to 9),
// or NoSquare when one of them is out of range.
func NewSquare(file, rank int) Square {
	if file < 1 || file > 9 || rank < 1 || rank > 9 {
		return NoSquare
	}
	return Square((file-1)*9 + rank - 1)
}

// File returns the file, 1 to 9.
func (s Square) File() int { return int(s)/9 + 1 }

// Rank returns the rank, 1 (a) to 9 (i).
func (s Square) Rank() int { return int(s)%9 + 1 }

// String returns the USI name, such as "7g", or "none" off the board.
func (s Square) String() string {
	return string(s.append(make([]byte, 0, 4)))
}

// append appends the text of String.
func (s Square) append(dst []byte) []byte {
	if s >= NoSquare {
		return append(dst, "none"...)
	}
	return append(dst, byte('0'+s.File()), byte('a'+s.Rank()-1))
}

// Move is a move in YaneuraOu's 16-bit form. Bits 0-6 are the target square, bits 7-13 the origin square
// (or the dropped piece type, 1 to 7). Bit 14 is set for a drop, bit 15 for a promotion.
type Move uint16

// NoMove is the value for no move.
const NoMove Move = 0

const (
	fromShift    = 7
	squareMask   = 127
	dropFlag     = Move(1) << 14
	promoteFlag  = Move(1) << 15
	dropLetters  = "PLNSBRG"
	moveTextHelp = `a move such as "7g7f", "4e3c+" or "P*3d"`
)

// NewMove returns the move of a piece on the board without promotion.
func NewMove(from, to Square) Move { return Move(from)<<fromShift | Move(to) }

// NewPromotion returns the move of a piece on the board with promotion.
func NewPromotion(from, to Square) Move { return NewMove(from, to) | promoteFlag }

// NewDrop returns the drop of a piece type from the hand.
func NewDrop(t PieceType, to Square) Move { return Move(t)<<fromShift | Move(to) | dropFlag }

// To returns the target square. A Move that was decoded from external data may have a number above 80;
// [Position.CheckLegal] rejects such a move.
func (m Move) To() Square { return Square(m & squareMask) }

// From returns the origin square. For a drop the result has no meaning.
func (m Move) From() Square { return Square(m >> fromShift & squareMask) }

// IsDrop reports whether the move puts a piece from the hand on the board.
func (m Move) IsDrop() bool { return m&dropFlag != 0 }

// Dropped returns the piece type that a drop puts on the board, or NoPieceType if the move is not a drop.
func (m Move) Dropped() PieceType {
	if !m.IsDrop() {
		return NoPieceType
	}
	return PieceType(m >> fromShift & squareMask)
}

// Promotes reports whether the moved piece promotes.
func (m Move) Promotes() bool { return m&promoteFlag != 0 }

// String returns the USI text, such as "7g7f", "4e3c+" or "P*3d". It returns "none" for NoMove.
func (m Move) String() string {
	return string(m.Append(make([]byte, 0, 5)))
}

// Append appends the text of String to dst.
func (m Move) Append(dst []byte) []byte {
	switch t := m.Dropped(); {
	case m == NoMove:
		return append(dst, "none"...)
	case m.IsDrop() && (t < Pawn || t > Gold):
		dst = append(dst, "?*"...)
	case m.IsDrop():
		dst = append(dst, t.letter(), '*')
	default:
		dst = m.From().append(dst)
	}
	dst = m.To().append(dst)
	if m.Promotes() && !m.IsDrop() {
		dst = append(dst, '+')
	}
	return dst
}

// ParseMove parses a move in strict USI notation: "7g7f", "4e3c+", "P*3d". It does not know the position, so
// the move may be illegal. The error names the wrong character and the expected one.
func ParseMove(s string) (Move, error) {
	if len(s) != 4 && len(s) != 5 {
		return NoMove, fmt.Errorf("move %q has %d characters: expected %s", s, utf8.RuneCountInString(s), moveTextHelp)
	}
	if s[1] == '*' {
		return parseDrop(s)
	}
	from, err := parseMoveSquare(s, 0)
	if err != nil {
		return NoMove, err
	}
	to, err := parseMoveSquare(s, 2)
	if err != nil {
		return NoMove, err
	}
	if from == to {
		return NoMove, fmt.Errorf("move %q ends where it starts: expected two different squares", s)
	}
	if len(s) == 4 {
		return NewMove(from, to), nil
	}
	if s[4] != '+' {
		return NoMove, fmt.Errorf("move %q, character 5: expected '+' or nothing, not %s", s, quoteAt(s, 4))
	}
	return NewPromotion(from, to), nil
}

// MarshalText returns the text of String. It returns an error for a move that ParseMove would reject.
func (m Move) MarshalText() ([]byte, error) {
	text := m.Append(nil)
	if back, err := ParseMove(string(text)); err != nil || back != m {
		return nil, fmt.Errorf("move %#x (%s) has no text", uint16(m), text)
	}
	return text, nil
}

// UnmarshalText parses a move like ParseMove.
func (m *Move) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMove(string(text))
	return err
}

// parseDrop parses a drop. The second character of s is '*'.
func parseDrop(s string) (Move, error) {
	t := typeOfLetter(s[0])
	if t == NoPieceType || t == King {
		return NoMove, fmt.Errorf("move %q, character 1: expected a piece to drop, one of %s in upper case, not %s", s,
			dropLetters, quoteAt(s, 0))
	}
	to, err := parseMoveSquare(s, 2)
	if err != nil {
		return NoMove, err
	}
	if len(s) == 5 {
		return NoMove, fmt.Errorf("move %q, character 5: expected nothing after a drop, not %s", s, quoteAt(s, 4))
	}
	return NewDrop(t, to), nil
}

func parseMoveSquare(s string, i int) (Square, error) {
	if s[i] < '1' || s[i] > '9' {
		return NoSquare, fmt.Errorf("move %q, character %d: expected a file from 1 to 9, not %s", s, i+1, quoteAt(s, i))
	}
	if s[i+1] < 'a' || s[i+1] > 'i' {
		return NoSquare, fmt.Errorf("move %q, character %d: expected a rank from a to i, not %s", s, i+2, quoteAt(s, i+1))
	}
	return NewSquare(int(s[i]-'0'), int(s[i+1]-'a')+1), nil
}

// quoteAt quotes the character at byte i of s for an error message.
func quoteAt(s string, i int) string {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return strconv.QuoteRune(r)
}
