package shogi

// MaxLegalMoves is the largest number of legal moves in a position with both kings. A list with this capacity
// does not have to grow. Without a king there may be a few more moves, and LegalMoves grows the list.
const MaxLegalMoves = 593

// generator generates exactly the legal moves of one position, as a list or only as their number. To count
// moves, it counts whole sets of target squares at once, so Perft is faster than making lists.
type generator struct {
	pos      *Position
	us       Colour
	king     Square
	checkers bitboard
	pinned   bitboard
	wanted   bitboard // requested targets: all squares, or captures only
	evasions bitboard // targets that answer a check, for pieces other than the king
	listing  bool     // list the moves; otherwise only count them
	count    int      // number of counted moves; 0 when listing
}

// newGenerator prepares the generation of all moves.
func newGenerator(p *Position) generator {
	g := generator{pos: p, us: p.side, king: p.kings[p.side]}
	g.wanted = p.byColour[g.us].not()
	g.evasions = bitboard{fullLo, fullHi}
	if g.king == NoSquare {
		return g
	}
	g.checkers, g.pinned = p.checkersAndPins(g.king, g.us)
	switch {
	case g.checkers.empty():
	case g.checkers.single():
		g.evasions = between(g.king, g.checkers.first()).or(g.checkers)
	default:
		g.evasions = bitboard{} // in double check only the king moves
	}
	return g
}

// LegalMoves appends every legal move to dst and returns the list. The list includes useless non-promotions
// (a bishop, rook or pawn that stays unpromoted). It does not include mate by a dropped pawn (uchifuzume,
// 打ち歩詰め), which is illegal. The order is fixed but has no meaning.
func (p *Position) LegalMoves(dst []Move) []Move {
	g := newGenerator(p)
	g.listing = true
	dst = g.kingMoves(dst)
	dst = g.boardMoves(dst)
	return g.drops(dst)
}

// Captures appends moves for a quiescence search to dst, and returns the list: all legal captures, and all
// legal promotions of pawns. If a capturing piece can promote or not, the list has both moves. A pawn move
// that captures nothing is in the list only as a promotion.
func (p *Position) Captures(dst []Move) []Move {
	g := newGenerator(p)
	g.listing = true
	g.wanted = p.byColour[g.us.Opponent()]
	dst = g.kingMoves(dst)
	return g.boardMoves(dst)
}

// CountLegal returns the number of legal moves. It is equal to len(LegalMoves(nil)) but several times faster.
func (p *Position) CountLegal() int {
	g := newGenerator(p)
	g.kingMoves(nil)
	g.boardMoves(nil)
	g.drops(nil)
	return g.count
}

// HasLegalMove reports whether the side to move has a legal move. A side without a legal move has lost, even
// if it is not in check.
func (p *Position) HasLegalMove() bool {
	g := newGenerator(p)
	g.kingMoves(nil)
	if g.count == 0 {
		g.boardMoves(nil)
	}
	if g.count == 0 {
		g.drops(nil)
	}
	return g.count > 0
}

// kingMoves generates the steps of the king to squares that no enemy piece attacks after the king has left
// its square.
func (g *generator) kingMoves(moves []Move) []Move {
	if g.king == NoSquare {
		return moves
	}
	without := g.pos.byType[occupied].andNot(bit(g.king))
	for to := steps[King][g.king].and(g.wanted); !to.empty(); to = to.rest() {
		if !g.pos.attacked(to.first(), g.us, without) {
			moves = g.add(moves, g.king, bitboard{}, bit(to.first()))
		}
	}
	return moves
}

// boardMoves generates the moves of all other pieces on the board.
func (g *generator) boardMoves(moves []Move) []Move {
	if g.evasions.empty() {
		return moves
	}
	p := g.pos
	own := p.byColour[g.us].andNot(p.byType[King])
	pawns := p.byType[Pawn].and(own)
	moves = g.pawnMoves(moves, pawns.andNot(g.pinned), g.evasions)
	for free := own.andNot(pawns).andNot(g.pinned); !free.empty(); free = free.rest() {
		moves = g.pieceMoves(moves, free.first(), g.evasions)
	}
	for pinned := g.pinned; !pinned.empty(); pinned = pinned.rest() {
		from := pinned.first()
		if allowed := rays[g.king][from].and(g.evasions); pawns.has(from) {
			moves = g.pawnMoves(moves, bit(from), allowed)
		} else {
			moves = g.pieceMoves(moves, from, allowed)
		}
	}
	return moves
}

// pieceMoves generates the moves of a piece that is neither king nor pawn.
func (g *generator) pieceMoves(moves []Move, from Square, allowed bitboard) []Move {
	p := g.pos
	piece := p.board[from]
	to := attacks(piece, from, p.byType[occupied]).and(g.wanted).and(allowed)
	var promoting bitboard
	if piece.Type().CanPromote() {
		promoting = to
		if zone := promotionZone[g.us]; !zone.has(from) {
			promoting = to.and(zone)
		}
	}
	return g.add(moves, from, promoting, to.andNot(deadSquares[g.us][piece.Type()]))
}

// pawnMoves generates the moves of a set of pawns. It generates every promotion, even if only captures are
// requested.
func (g *generator) pawnMoves(moves []Move, pawns, allowed bitboard) []Move {
	to := pawns.forward(g.us).and(allowed).andNot(g.pos.byColour[g.us])
	promoting := to.and(promotionZone[g.us])
	plain := to.and(g.wanted).andNot(deadSquares[g.us][Pawn])
	if !g.listing {
		g.count += promoting.count() + plain.count()
		return moves
	}
	back := 1 - 2*Square(g.us) // +1 or, modulo 256, -1, from the target to the origin
	for ; !promoting.empty(); promoting = promoting.rest() {
		moves = append(moves, NewPromotion(promoting.first()+back, promoting.first()))
	}
	for ; !plain.empty(); plain = plain.rest() {
		moves = append(moves, NewMove(plain.first()+back, plain.first()))
	}
	return moves
}

func (g *generator) drops(moves []Move) []Move {
	p := g.pos
	hand := &p.hands[g.us]
	squares := p.byType[occupied].not().and(g.evasions)
	if *hand == ([8]uint8{}) || squares.empty() {
		return moves
	}
	if hand[Pawn] > 0 {
		moves = g.addDrops(moves, Pawn, g.pawnDrops(squares))
	}
	for t := Lance; t <= Gold; t++ {
		if hand[t] > 0 {
			moves = g.addDrops(moves, t, squares.andNot(deadSquares[g.us][t]))
		}
	}
	return moves
}

// pawnDrops removes from squares those on which a pawn may not be dropped, and returns the rest. It removes the last
// rank, files with an unpromoted pawn of the same side (nifu, 二歩), and the square where the drop would give checkmate.
func (g *generator) pawnDrops(squares bitboard) bitboard {
	p := g.pos
	pawns := p.byType[Pawn].and(p.byColour[g.us])
	squares = squares.andNot(deadSquares[g.us][Pawn]).andNot(pawns.files())
	king := p.kings[g.us.Opponent()]
	if king == NoSquare {
		return squares
	}
	head := steps[NewPiece(g.us.Opponent(), Pawn)][king].and(squares)
	if !head.empty() && p.dropMates(head.first()) {
		return squares.andNot(head)
	}
	return squares
}

// dropMates reports whether the opponent has no legal move after the drop of a pawn on s. The drop must give check.
func (p *Position) dropMates(s Square) bool {
	after := *p
	after.Apply(NewDrop(Pawn, s))
	return !after.HasLegalMove()
}

// add adds the moves of one piece. promoting has the target squares of moves with promotion, and plain those of moves
// without promotion.
func (g *generator) add(moves []Move, from Square, promoting, plain bitboard) []Move {
	if !g.listing {
		g.count += promoting.count() + plain.count()
		return moves
	}
	for ; !promoting.empty(); promoting = promoting.rest() {
		moves = append(moves, NewPromotion(from, promoting.first()))
	}
	for ; !plain.empty(); plain = plain.rest() {
		moves = append(moves, NewMove(from, plain.first()))
	}
	return moves
}

func (g *generator) addDrops(moves []Move, t PieceType, squares bitboard) []Move {
	if !g.listing {
		g.count += squares.count()
		return moves
	}
	for ; !squares.empty(); squares = squares.rest() {
		moves = append(moves, NewDrop(t, squares.first()))
	}
	return moves
}

// Perft returns the number of legal move sequences of length depth from p, the usual test of a move
// generator. It does not make the last move of a sequence, but only counts it. A depth of 0 or less gives 1.
func Perft(p Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	return perft(&p, depth)
}

func perft(p *Position, depth int) uint64 {
	if depth == 1 {
		return uint64(p.CountLegal())
	}
	var list [MaxLegalMoves]Move
	var next Position // declared outside the loop, otherwise it would be on the heap
	var nodes uint64
	for _, m := range p.LegalMoves(list[:0]) {
		next = *p
		next.Apply(m)
		nodes += perft(&next, depth-1)
	}
	return nodes
}
