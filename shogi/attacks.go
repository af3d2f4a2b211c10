package shogi

import "math/bits"

// This file calculates the squares that a piece attacks. Single steps come from a table. The squares of a
// slide come from a table that is indexed by the occupied squares of its line. A file is nine neighbouring
// bits. One multiplication moves the bits of a rank or diagonal into seven neighbouring bits (see line).

// direction is a step on the board: the number of files towards file 9, and the number of ranks towards rank i. Both
// may be negative.
type direction struct{ file, rank int }

// shift returns the square one step from s. If that square is off the board, it returns NoSquare.
func (d direction) shift(s Square) Square {
	return NewSquare(s.File()+d.file, s.Rank()+d.rank)
}

// seenBy returns the direction from c's view: unchanged for Black, reversed for White.
func (d direction) seenBy(c Colour) direction {
	if c == Black {
		return d
	}
	return direction{-d.file, -d.rank}
}

// stepsOf returns the single steps of a piece type from Black's view, without slides.
func stepsOf(t PieceType) []direction {
	switch t {
	case Pawn:
		return []direction{{0, -1}}
	case Knight:
		return []direction{{-1, -2}, {1, -2}}
	case Silver:
		return []direction{{-1, -1}, {0, -1}, {1, -1}, {-1, 1}, {1, 1}}
	case Gold, ProPawn, ProLance, ProKnight, ProSilver:
		return []direction{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {0, 1}}
	case King, Horse, Dragon:
		return []direction{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}
	default:
		return nil
	}
}

// steps has the squares one step away from a square, by Piece. Horse and Dragon have all eight; four of them
// are also the first squares of their slides.
var steps = func() (t [32][81]bitboard) {
	for _, c := range []Colour{Black, White} {
		for pt := Pawn; pt <= Dragon; pt++ {
			for _, d := range stepsOf(pt) {
				for s := range NoSquare {
					to := d.seenBy(c).shift(s)
					t[NewPiece(c, pt)][s] = t[NewPiece(c, pt)][s].or(bit(to))
				}
			}
		}
	}
	return t
}()

// walk returns the squares that a slide from s in a direction reaches, up to and including the first occupied
// square. It is slow and used only to calculate tables.
func walk(s Square, d direction, occupied bitboard) bitboard {
	var reached bitboard
	for to := d.shift(s); to != NoSquare; to = d.shift(to) {
		reached = reached.or(bit(to))
		if occupied.has(to) {
			break
		}
	}
	return reached
}

// rays has, for two squares on one file, rank or diagonal, the squares from the first (exclusive) through the
// second to the edge of the board. It is empty for other pairs of squares.
var rays = func() (t [81][81]bitboard) {
	for _, d := range stepsOf(King) {
		for s := range NoSquare {
			ray := walk(s, d, bitboard{})
			for rest := ray; !rest.empty(); rest = rest.rest() {
				t[s][rest.first()] = ray
			}
		}
	}
	return t
}()

// between returns the squares strictly between two squares on one file, rank or diagonal.
func between(a, b Square) bitboard { return rays[a][b].and(rays[b][a]) }

// emptyBoard has the squares that sliding pieces on a square reach on an empty board.
var emptyBoard = func() (t [81]struct {
	ahead        [2]bitboard // squares that a lance of each colour reaches
	rook, bishop bitboard
},
) {
	for s := range NoSquare {
		t[s].ahead[Black] = walk(s, direction{0, -1}, bitboard{})
		t[s].ahead[White] = walk(s, direction{0, 1}, bitboard{})
	}
	for _, d := range stepsOf(King) {
		for s := range NoSquare {
			ray := walk(s, d, bitboard{})
			if d.file == 0 || d.rank == 0 {
				t[s].rook = t[s].rook.or(ray)
			} else {
				t[s].bishop = t[s].bishop.or(ray)
			}
		}
	}
	return t
}()

// fileSlides has the squares that a sliding piece on a rank (0 to 8) reaches along its file. The second index
// is the nine occupancy bits of that file.
var fileSlides = func() (t [ranks][1 << ranks]uint16) {
	for rank := range t {
		for occupied := range t[rank] {
			reached := bitboard{}
			for _, d := range []direction{{0, -1}, {0, 1}} {
				reached = reached.or(walk(Square(rank), d, bitboard{lo: uint64(occupied)}))
			}
			t[rank][occupied] = uint16(reached.lo)
		}
	}
	return t
}()

// fileAttacks returns the squares reached along the file in both directions.
func fileAttacks(s Square, occupied bitboard) bitboard {
	rank := s % ranks
	if s < loSquares {
		shift := s - rank
		return bitboard{lo: uint64(fileSlides[rank][occupied.lo>>shift&fileMask]) << shift}
	}
	shift := s - rank - loSquares
	return bitboard{hi: uint64(fileSlides[rank][occupied.hi>>shift&fileMask]) << shift}
}

// These are the three kinds of line that cross files.
const (
	rankLine = iota // same rank on every file
	fallLine        // one rank down (towards i) per file towards 9
	riseLine        // one rank up per file towards 9
	lineKinds
	innerFiles = 7 // files 2 to 8: the edge files never block anything
	gathered   = 64 - innerFiles
)

// line moves the occupancy of a rank or diagonal into neighbouring bits. The inner occupancy (see inner) has
// file f at bits 9(f-2). On a line with d = -1, 0 or +1 ranks per file, inner file k has its square at bit
// (9+d)k+c for a constant c. A multiplication by the sum of 2^(gathered-c-(8+d)j) over the files j of the
// line therefore brings square k to bit gathered+k when j = k. All other products are on distinct bits below
// gathered or beyond bit 63. So nothing carries, and the top seven bits are the occupancy by file. Short
// diagonals do not cross all files. shift omits the files below such a line, and the bits of the files above
// it are 0.
type line struct {
	mask, magic uint64
	slides      uint32 // the start of this square's entries in lineSlides
	shift       uint8
}

var lines = func() (t [lineKinds][81]line) {
	slides := uint32(0)
	for kind, slope := range slopes {
		for s := range NoSquare {
			l, c := &t[kind][s], s.Rank()-1-slope*(s.File()-2)
			for k := range innerFiles {
				if rank := c + slope*k; rank < 0 || rank >= ranks {
					continue
				}
				l.mask |= 1 << ((ranks+slope)*k + c)
				l.magic |= 1 << (gathered - c - (ranks-1+slope)*k)
			}
			// Without inner files there is nothing to shift.
			l.slides, l.shift = slides, uint8((gathered+bits.TrailingZeros(l.inner()))&63)
			slides += 1 << bits.OnesCount(l.inner())
		}
	}
	return t
}()

// inner returns the bits of the inner files that the line crosses, with file 2 as the lowest bit.
func (l *line) inner() uint { return uint(l.mask * l.magic >> gathered) }

// slopes has, for each kind of line, the number of ranks by which the line descends per file.
var slopes = [lineKinds]int{rankLine: 0, fallLine: 1, riseLine: -1}

// lineSlides has the squares that a slide reaches along a line. Each square and line has one block of
// entries, indexed by the occupancy bits that line calculates.
var lineSlides = func() []bitboard {
	last := &lines[lineKinds-1][NoSquare-1]
	t := make([]bitboard, 0, last.slides+1<<bits.OnesCount(last.inner()))
	for kind, slope := range slopes {
		for s := range NoSquare {
			// Only the nearest piece on each side counts: its inner file from 1, or 0 if there is none.
			var left, right [1 + innerFiles]bitboard
			for k := range left {
				var piece bitboard
				if k > 0 {
					piece = bit(NewSquare(k+1, s.Rank()+slope*(k+1-s.File())))
				}
				left[k] = walk(s, direction{1, slope}, piece)
				right[k] = walk(s, direction{-1, -slope}, piece)
			}
			l := &lines[kind][s]
			own, onLine := s.File()-1, l.inner()
			for index := range uint(1) << bits.OnesCount(onLine) {
				pieces := index << bits.TrailingZeros(onLine)
				nearer, further := pieces&((1<<own-1)>>1), pieces>>own
				slides := right[bits.Len(nearer)]
				if further == 0 {
					slides = slides.or(left[0])
				} else {
					slides = slides.or(left[own+bits.TrailingZeros(further)+1])
				}
				t = append(t, slides)
			}
		}
	}
	return t
}()

// inner returns the occupancy of files 2 to 8 in one word, with file 2 in the lowest bits. The bit of file 9
// that remains at the top is not in the mask of any line.
func inner(occupied bitboard) uint64 { return occupied.lo>>ranks | occupied.hi<<(loSquares-ranks) }

// lineAttacks returns the squares that a sliding piece on s reaches along one kind of line. inner is the result of the
// function inner.
func lineAttacks(kind int, s Square, inner uint64) bitboard {
	l := &lines[kind][s]
	return lineSlides[uint64(l.slides)+inner&l.mask*l.magic>>(l.shift&63)]
}

func lanceAttacks(c Colour, s Square, occupied bitboard) bitboard {
	return fileAttacks(s, occupied).and(emptyBoard[s].ahead[c])
}

func rookAttacks(s Square, occupied bitboard) bitboard {
	return fileAttacks(s, occupied).or(lineAttacks(rankLine, s, inner(occupied)))
}

func bishopAttacks(s Square, occupied bitboard) bitboard {
	w := inner(occupied)
	return lineAttacks(fallLine, s, w).or(lineAttacks(riseLine, s, w))
}

func attacks(p Piece, s Square, occupied bitboard) bitboard {
	switch p.Type() {
	case Lance:
		return lanceAttacks(p.Colour(), s, occupied)
	case Bishop:
		return bishopAttacks(s, occupied)
	case Rook:
		return rookAttacks(s, occupied)
	case Horse:
		return bishopAttacks(s, occupied).or(steps[p][s])
	case Dragon:
		return rookAttacks(s, occupied).or(steps[p][s])
	default:
		return steps[p&31][s]
	}
}

// promotionZone has the far three ranks from each colour's view. These ranks are also the camp for the
// entering-king declaration.
var promotionZone = [2]bitboard{farRanks(Black, 3), farRanks(White, 3)}

// deadSquares has, by colour and type, the squares on which an unpromoted piece could never move again. These
// are the last rank for a pawn or lance, and the last two ranks for a knight.
var deadSquares = [2][16]bitboard{
	{Pawn: farRanks(Black, 1), Lance: farRanks(Black, 1), Knight: farRanks(Black, 2)},
	{Pawn: farRanks(White, 1), Lance: farRanks(White, 1), Knight: farRanks(White, 2)},
}

// farRanks returns the squares of the n ranks that are farthest from c's side of the board.
func farRanks(c Colour, n int) bitboard {
	var b bitboard
	for s := range NoSquare {
		if c == Black && s.Rank() <= n || c == White && s.Rank() > ranks-n {
			b = b.or(bit(s))
		}
	}
	return b
}
