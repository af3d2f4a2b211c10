package shogi

// attacked reports whether a piece of c's opponent attacks s if the given squares are occupied. The occupied
// squares may differ from the board. For a king's step they do not include the king, because the king does
// not protect the squares behind it.
func (p *Position) attacked(s Square, c Colour, occupied bitboard) bool {
	return p.attackedBy(p.byColour[c.Opponent()], s, c, occupied)
}

// attackedBy does the same as attacked, but considers only the attackers on the squares in enemy. After a capture, for
// example, enemy does not include the captured piece.
func (p *Position) attackedBy(enemy bitboard, s Square, c Colour, occupied bitboard) bool {
	if !p.stepAttackers(s, c).and(enemy).empty() {
		return true
	}
	empty := &emptyBoard[s]
	if lances := p.byType[Lance].and(enemy).and(empty.ahead[c]); !lances.empty() &&
		!lanceAttacks(c, s, occupied).and(lances).empty() {
		return true
	}
	if rooks := p.rookLike().and(enemy).and(empty.rook); !rooks.empty() &&
		!rookAttacks(s, occupied).and(rooks).empty() {
		return true
	}
	bishops := p.bishopLike().and(enemy).and(empty.bishop)
	return !bishops.empty() && !bishopAttacks(s, occupied).and(bishops).empty()
}

// stepAttackers returns the pieces that would attack the square s of player c by a single step if they belonged to c's
// opponent. The result has pieces of both colours; the caller selects the colour. A piece attacks s exactly if the same
// piece of c on s would attack the piece's square.
func (p *Position) stepAttackers(s Square, c Colour) bitboard {
	around := p.byType[King].or(p.byType[Horse]).or(p.byType[Dragon])
	return steps[NewPiece(c, Pawn)][s].and(p.byType[Pawn]).
		or(steps[NewPiece(c, Knight)][s].and(p.byType[Knight])).
		or(steps[NewPiece(c, Silver)][s].and(p.byType[Silver])).
		or(steps[NewPiece(c, Gold)][s].and(p.byType[goldLike])).
		or(steps[NewPiece(c, King)][s].and(around))
}

func (p *Position) rookLike() bitboard   { return p.byType[Rook].or(p.byType[Dragon]) }
func (p *Position) bishopLike() bitboard { return p.byType[Bishop].or(p.byType[Horse]) }

// snipers returns the pieces of c's opponent that would attack s by a slide on an empty board.
func (p *Position) snipers(s Square, c Colour) bitboard {
	empty := &emptyBoard[s]
	return p.byType[Lance].and(empty.ahead[c]).
		or(p.rookLike().and(empty.rook)).
		or(p.bishopLike().and(empty.bishop)).
		and(p.byColour[c.Opponent()])
}

// checkersAndPins returns the pieces that check c's king on the given square. It also returns c's pinned
// pieces, which may move only along the line between the king and an enemy slider.
func (p *Position) checkersAndPins(king Square, c Colour) (checkers, pinned bitboard) {
	checkers = p.stepAttackers(king, c).and(p.byColour[c.Opponent()])
	for snipers := p.snipers(king, c); !snipers.empty(); snipers = snipers.rest() {
		sniper := snipers.first()
		switch blockers := between(king, sniper).and(p.byType[occupied]); {
		case blockers.empty():
			checkers = checkers.or(bit(sniper))
		case blockers.single():
			pinned = pinned.or(blockers)
		}
	}
	return checkers, pinned.and(p.byColour[c])
}

// GivesCheck reports whether the legal move m gives check to the opponent.
func (p *Position) GivesCheck(m Move) bool {
	us, to := p.side, m.To()
	king := p.kings[us.Opponent()]
	if king == NoSquare {
		return false
	}
	occ := p.byType[occupied].or(bit(to))
	if m.IsDrop() {
		return attacks(NewPiece(us, m.Dropped()), to, occ).has(king)
	}
	from := m.From()
	piece := p.board[from]
	if m.Promotes() {
		piece |= promotedBit
	}
	occ = occ.andNot(bit(from))
	if attacks(piece, to, occ).has(king) {
		return true
	}
	return p.uncovers(king, from, occ)
}

// uncovers reports whether a slider of the side to move attacks the king after a piece has moved away from its square.
// from is that square, and occ has the squares that are then occupied.
func (p *Position) uncovers(king, from Square, occ bitboard) bool {
	behind := rays[king][from].andNot(bit(from)).and(p.snipers(king, p.side.Opponent()))
	for ; !behind.empty(); behind = behind.rest() {
		if between(king, behind.first()).and(occ).empty() {
			return true
		}
	}
	return false
}

// Reaches reports whether the piece on the square from attacks the square to, even if the piece may not move
// there. It returns false if the square from is empty.
func (p *Position) Reaches(from, to Square) bool {
	return attacks(p.PieceAt(from), from, p.byType[occupied]).has(to)
}
