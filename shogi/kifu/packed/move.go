package packed

import "gogi/shogi"

// AperyMove is a move in Apery's 16-bit form. Bits 0-6 are the target square. Bits 7-13 are the origin
// square, or for a drop 80 plus the piece type (81 to 87, as shogi.PieceType). Bit 14 is set for a promotion.
// shogi.Move has YaneuraOu's form instead.
type AperyMove uint16

const (
	aperyDrop    = 80 // plus the type, instead of the origin
	aperyPromote = AperyMove(1) << 14
)

// NewAperyMove returns a move in Apery's form.
func NewAperyMove(m shogi.Move) AperyMove {
	if m.IsDrop() {
		return AperyMove(m.To()) | (aperyDrop+AperyMove(m.Dropped()))<<7
	}
	a := AperyMove(m.To()) | AperyMove(m.From())<<7
	if m.Promotes() {
		a |= aperyPromote
	}
	return a
}

// Move returns the move, which may still be illegal. ok is false if the bits are not a move.
func (a AperyMove) Move() (shogi.Move, bool) {
	to, from := shogi.Square(a&127), shogi.Square(a>>7&127) //nolint:gosec // seven bits each
	promotes := a&aperyPromote != 0
	switch {
	case to >= shogi.NoSquare || a>>15 != 0 || to == from:
		return shogi.NoMove, false
	case from > aperyDrop && from <= aperyDrop+shogi.Square(shogi.Gold) && !promotes:
		return shogi.NewDrop(shogi.PieceType(from-aperyDrop), to), true
	case from >= shogi.NoSquare:
		return shogi.NoMove, false
	case promotes:
		return shogi.NewPromotion(from, to), true
	}
	return shogi.NewMove(from, to), true
}
