package packed

import "gogi/shogi"

// code is a string of bits. The first bit is the lowest.
type code struct {
	bits uint64
	n    uint
}

// then returns a code with more bits: those of c, followed by n new bits.
func (c code) then(bits uint64, n uint) code { return code{c.bits | bits<<c.n, c.n + n} }

// symbol is the decoded meaning of a code.
type symbol struct {
	piece shogi.Piece // NoPiece is an empty square
	boxed bool        // the piece is in the box: neither on the board nor in a hand
	n     uint        // number of bits of the code; 0: no code begins with these bits
}

// symbolBits is the length of the longest code in bits.
const symbolBits = 8

// layout is one of the two encodings of pieces: PackedSfen's or HCP's. A piece on the board needs more bits than an
// empty square. The difference is the number of bits of a piece in a hand or in the box of pieces out of play. So
// every position of two kings and 38 pieces needs 256 bits.
type layout struct {
	name  string
	board [32]code                // by shogi.Piece
	hand  [2][8]code              // by owner and type
	box   [8]code                 // by type
	onMat [1 << symbolBits]symbol // the piece on a square, by the next bits of the input
	off   [1 << symbolBits]symbol // the piece in a hand or in the box, by the next bits of the input
}

// pieceOrder returns the order in which gogi writes the pieces of hands and of the box. Older files of
// YaneuraOu have hands in the order of shogi.PieceType; readers accept any order.
func pieceOrder() [7]shogi.PieceType {
	return [...]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook}
}

// setSize returns the number of pieces of each type in a set, without the kings.
func setSize() [8]int {
	return [...]int{0, 18, 4, 4, 4, 2, 2, 4}
}

var (
	sfenLayout = newLayout("PackedSfen", sfenBoard, sfenHand, sfenBox)
	hcpLayout  = newLayout("HCP", hcpBoard, hcpHand, hcpBox)
)

// sfenBase returns the code of a type on the board. The bits for promotion and owner follow it.
func sfenBase(t shogi.PieceType) code {
	return [...]code{{0, 1}, {0x01, 2}, {0x03, 4}, {0x0b, 4}, {0x07, 4}, {0x1f, 6}, {0x3f, 6}, {0x0f, 5}}[t&7]
}

// sfenBoard returns the code of a piece on the board: the code of the type, a bit for promotion (except for
// gold), and a bit for the owner.
func sfenBoard(t shogi.PieceType, promoted, owner uint64) code {
	c := sfenBase(t)
	if t != shogi.Gold {
		c = c.then(promoted, 1)
	}
	return c.then(owner, 1)
}

// sfenHand returns the code of a piece in hand. It is the code on the board without the first bit, which
// distinguishes a piece from an empty square.
func sfenHand(t shogi.PieceType, owner uint64) code {
	c := sfenBoard(t, 0, owner)
	return code{c.bits >> 1, c.n - 1}
}

// sfenBox returns the code of a piece in the box. It is the code that a promoted piece of Black would have in
// a hand. Gold cannot promote and has the code of a promoted silver of White.
func sfenBox(t shogi.PieceType) code {
	c := sfenBoard(t, 1, 0)
	if t == shogi.Gold {
		c = sfenBoard(shogi.Silver, 1, 1)
	}
	return code{c.bits >> 1, c.n - 1}
}

// hcpBase returns the code of a type on the board. The bits for owner and promotion follow it.
func hcpBase(t shogi.PieceType) code {
	return [...]code{{0, 1}, {0x01, 2}, {0x03, 4}, {0x07, 4}, {0x0b, 4}, {0x1f, 6}, {0x3f, 6}, {0x0f, 5}}[t&7]
}

func hcpBoard(t shogi.PieceType, promoted, owner uint64) code {
	c := hcpBase(t).then(owner, 1)
	if t != shogi.Gold {
		c = c.then(promoted, 1)
	}
	return c
}

// hcpHand returns the code of a piece in hand. Its last bit is the owner.
func hcpHand(t shogi.PieceType, owner uint64) code {
	c := [...]code{{}, {0, 3}, {0x01, 5}, {0x03, 5}, {0x05, 5}, {0x1f, 7}, {0x3f, 7}, {0x07, 5}}[t&7]
	return code{c.bits | owner<<(c.n-1), c.n}
}

// hcpBox returns the code of a piece in the box. These codes follow no rule.
func hcpBox(t shogi.PieceType) code {
	return [...]code{{}, {0x02, 3}, {0x09, 5}, {0x0b, 5}, {0x0d, 5}, {0x0f, 7}, {0x2f, 7}, {0x1d, 5}}[t&7]
}

// newLayout returns the layout of an encoding, with tables for writing and reading.
func newLayout(name string, board func(t shogi.PieceType, promoted, owner uint64) code,
	hand func(t shogi.PieceType, owner uint64) code, box func(t shogi.PieceType) code,
) *layout {
	l := &layout{name: name}
	l.board[shogi.NoPiece] = code{0, 1}
	learn(&l.onMat, code{0, 1}, symbol{})
	for _, t := range pieceOrder() {
		for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
			l.addBoard(shogi.NewPiece(c, t), board(t, 0, uint64(c)))
			if t.CanPromote() {
				l.addBoard(shogi.NewPiece(c, t.Promoted()), board(t, 1, uint64(c)))
			}
			l.hand[c][t] = hand(t, uint64(c))
			learn(&l.off, l.hand[c][t], symbol{piece: shogi.NewPiece(c, t)})
		}
		l.box[t] = box(t)
		learn(&l.off, l.box[t], symbol{piece: shogi.NewPiece(shogi.Black, t), boxed: true})
	}
	return l
}

func (l *layout) addBoard(p shogi.Piece, c code) {
	l.board[p] = c
	learn(&l.onMat, c, symbol{piece: p})
}

// learn stores a symbol at all table indices that begin with the symbol's code.
func learn(table *[1 << symbolBits]symbol, c code, s symbol) {
	s.n = c.n
	for rest := uint64(0); rest < 1<<(symbolBits-c.n); rest++ {
		table[c.bits|rest<<c.n] = s
	}
}

// fixedBits is the number of bits of a position with both kings. A position without a king is a little
// larger.
const fixedBits = 256

// bitWords is a stream of bits. It has space for more than 256 bits.
type bitWords [5]uint64

// put writes a code and returns the number of the bit after it. at is the number of its first bit.
func (w *bitWords) put(at uint, c code) uint {
	i, s := at/64, at%64
	w[i] |= c.bits << s
	if s+c.n > 64 {
		w[i+1] |= c.bits >> (64 - s)
	}
	return at + c.n
}

// peek returns n bits. at is the number of the first one. Bits after the end are zeros.
func (w *bitWords) peek(at, n uint) uint64 {
	i, s := at/64, at%64
	v := w[i] >> s
	if s+n > 64 && i+1 < uint(len(w)) {
		v |= w[i+1] << (64 - s)
	}
	return v & (1<<n - 1)
}

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
	to, from := shogi.Square(a&127), shogi.Square(a>>7&127)
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
