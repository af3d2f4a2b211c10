package shogi

import "math/bits"

// bitboard is a set of squares. The bits of lo are squares 0 to 62 (files 1 to 7), and the bits of hi are
// squares 63 to 80 (files 8 and 9). So a file is never split between the two words.
type bitboard struct{ lo, hi uint64 }

const (
	ranks     = 9                  // squares in a file, and bits between files
	loSquares = 63                 // squares in lo
	fullLo    = 1<<63 - 1          // every square of lo
	fullHi    = 1<<18 - 1          // every square of hi
	fileMask  = 1<<ranks - 1       // one file, shifted down to bit 0
	fileTops  = 0x4020100804020100 // the rank i square of each file of lo
	fileRests = fullLo ^ fileTops  // the other eight ranks
)

// squareBits has, for every square, the set with only this square. It has 128 entries so that the compiler
// needs no bounds check.
var squareBits = func() (t [128]bitboard) {
	for s := range NoSquare {
		if s < loSquares {
			t[s].lo = 1 << s
		} else {
			t[s].hi = 1 << (s - loSquares)
		}
	}
	return t
}()

// bit returns the set that has only s.
func bit(s Square) bitboard { return squareBits[s&127] }

func (b bitboard) and(c bitboard) bitboard    { return bitboard{b.lo & c.lo, b.hi & c.hi} }
func (b bitboard) or(c bitboard) bitboard     { return bitboard{b.lo | c.lo, b.hi | c.hi} }
func (b bitboard) xor(c bitboard) bitboard    { return bitboard{b.lo ^ c.lo, b.hi ^ c.hi} }
func (b bitboard) andNot(c bitboard) bitboard { return bitboard{b.lo &^ c.lo, b.hi &^ c.hi} }
func (b bitboard) not() bitboard              { return bitboard{^b.lo & fullLo, ^b.hi & fullHi} }
func (b bitboard) empty() bool                { return b.lo|b.hi == 0 }
func (b bitboard) has(s Square) bool          { return !b.and(bit(s)).empty() }
func (b bitboard) count() int                 { return bits.OnesCount64(b.lo) + bits.OnesCount64(b.hi) }

// single reports whether b has exactly one square. b must not be empty.
func (b bitboard) single() bool { return b.rest().empty() }

// first returns the lowest square of b. b must not be empty.
func (b bitboard) first() Square {
	if b.lo != 0 {
		return Square(bits.TrailingZeros64(b.lo))
	}
	return Square(loSquares + bits.TrailingZeros64(b.hi))
}

// rest returns b without its lowest square, so that
//
//	for ; !b.empty(); b = b.rest() { use(b.first()) }
//
// visits every square.
func (b bitboard) rest() bitboard {
	if b.lo != 0 {
		return bitboard{b.lo & (b.lo - 1), b.hi}
	}
	return bitboard{0, b.hi & (b.hi - 1)}
}

// forward moves every square of b one rank forward from c's view. b must have no square on c's last rank;
// this is always true for pawns.
func (b bitboard) forward(c Colour) bitboard {
	if c == Black {
		return bitboard{b.lo >> 1, b.hi >> 1}
	}
	return bitboard{b.lo << 1, b.hi << 1}
}

// files returns all squares of each file that has a square in b.
func (b bitboard) files() bitboard { return bitboard{fillFiles(b.lo), fillFiles(b.hi)} }

// fillFiles sets all bits in each 9-bit group of w that is not zero. It adds eight ones to the lower eight bits of a
// group. The sum sets the ninth bit exactly if one of these bits was set. Then fillFiles copies the ninth bit to all
// bits of the group.
func fillFiles(w uint64) uint64 {
	used := (w&fileRests + fileRests | w) & fileTops
	return used | (used - used>>(ranks-1))
}
