package packed

import "gogi/shogi"

// code is a string of bits, the first one lowest.
type code struct {
	bits uint64
	n    uint
}

// then returns a code with more bits behind it.
func (c code) then(bits uint64, n uint) code { return code{c.bits | bits<<c.n, c.n + n} }

// symbol is the meaning of a code.
type symbol struct {
	piece shogi.Piece // NoPiece is an empty square
	boxed bool        // the piece is neither on the board nor in a hand
	n     uint        // bits of the code; 0: no code begins with these bits
}

// symbolBits is how many bits the longest code has.
const symbolBits = 8

// layout is one of the two codes for pieces. A piece in a hand, or in the box of pieces that are not in
// play, takes as many bits as a piece on the board takes more than an empty square. Every position of two
// kings and 38 pieces therefore takes 256 bits.
type layout struct {
	name  string
	board [32]code   // by shogi.Piece
	hand  [2][8]code // by owner and type
	box   [8]code    // by type
	onMat [1 << symbolBits]symbol
	off   [1 << symbolBits]symbol
}

// pieceOrder returns the order in which hands and the box are written. Older files of
// YaneuraOu have hands in the order of shogi.PieceType; readers take any order.
func pieceOrder() [7]shogi.PieceType {
	return [...]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook}
}

// setSize returns how many pieces of each type a set has, without the kings.
func setSize() [8]int {
	return [...]int{0, 18, 4, 4, 4, 2, 2, 4}
}

//nolint:gochecknoglobals // constant lookup tables
var (
	sfenLayout = newLayout("PackedSfen", sfenBoard, sfenHand, sfenBox)
	hcpLayout  = newLayout("HCP", hcpBoard, hcpHand, hcpBox)
)

// sfenBase returns the code of a type on the board before promotion and colour.
func sfenBase(t shogi.PieceType) code {
	return [...]code{{0, 1}, {0x01, 2}, {0x03, 4}, {0x0b, 4}, {0x07, 4}, {0x1f, 6}, {0x3f, 6}, {0x0f, 5}}[t&7]
}

// sfenBoard has a bit for promotion, which gold lacks, and one for the owner.
func sfenBoard(t shogi.PieceType, promoted, owner uint64) code {
	c := sfenBase(t)
	if t != shogi.Gold {
		c = c.then(promoted, 1)
	}
	return c.then(owner, 1)
}

// sfenHand lacks the first bit, which distinguishes a piece from an empty square.
func sfenHand(t shogi.PieceType, owner uint64) code {
	c := sfenBoard(t, 0, owner)
	return code{c.bits >> 1, c.n - 1}
}

// sfenBox returns a hand's code as of a promoted piece of Black, and of gold, which has no
// such code, as of a promoted silver of White.
func sfenBox(t shogi.PieceType) code {
	c := sfenBoard(t, 1, 0)
	if t == shogi.Gold {
		c = sfenBoard(shogi.Silver, 1, 1)
	}
	return code{c.bits >> 1, c.n - 1}
}

// hcpBase returns the code of a type on the board before colour and promotion, whose bits follow.
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

// hcpHand has the owner in its last bit.
func hcpHand(t shogi.PieceType, owner uint64) code {
	c := [...]code{{}, {0, 3}, {0x01, 5}, {0x03, 5}, {0x05, 5}, {0x1f, 7}, {0x3f, 7}, {0x07, 5}}[t&7]
	return code{c.bits | owner<<(c.n-1), c.n}
}

// hcpBox follows no rule.
func hcpBox(t shogi.PieceType) code {
	return [...]code{{}, {0x02, 3}, {0x09, 5}, {0x0b, 5}, {0x0d, 5}, {0x0f, 7}, {0x2f, 7}, {0x1d, 5}}[t&7]
}

// newLayout lays codes out for writing and reading.
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

// learn enters a symbol at all table indices that begin with its code.
func learn(table *[1 << symbolBits]symbol, c code, s symbol) {
	s.n = c.n
	for rest := uint64(0); rest < 1<<(symbolBits-c.n); rest++ {
		table[c.bits|rest<<c.n] = s
	}
}

// fixedBits is the size of a position in bits. Without a king it is a little more, because the king's
// square is then coded as well.
const fixedBits = 256

// bitWords is a stream of bits with space for more than 256.
type bitWords [5]uint64

// put writes a code at a place.
func (w *bitWords) put(at uint, c code) uint {
	i, s := at/64, at%64
	w[i] |= c.bits << s
	if s+c.n > 64 {
		w[i+1] |= c.bits >> (64 - s)
	}
	return at + c.n
}

// peek reads the next bits; those behind the end are zeros.
func (w *bitWords) peek(at, n uint) uint64 {
	i, s := at/64, at%64
	v := w[i] >> s
	if s+n > 64 && i+1 < uint(len(w)) {
		v |= w[i+1] << (64 - s)
	}
	return v & (1<<n - 1)
}
