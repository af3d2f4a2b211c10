package shogi

import "fmt"

// CheckLegal returns nil if m is legal for the side to move, else an error with the reason. It shares no code
// with the move generator; tests compare the two.
func (p *Position) CheckLegal(m Move) error {
	reason := whyNot(p, m)
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%v is illegal: %s", m, reason)
}

// whyNot returns the reason why m is illegal, or "" if m is legal.
func whyNot(p *Position, m Move) string {
	if m == NoMove {
		return "it is not a move"
	}
	if m.To() >= NoSquare {
		return fmt.Sprintf("its target is square number %d, but the last one is 80", m.To())
	}
	var reason string
	if m.IsDrop() {
		reason = whyNotDrop(p, m)
	} else {
		reason = whyNotBoardMove(p, m)
	}
	if reason != "" {
		return reason
	}
	if !p.safeAfter(m) {
		after := *p
		after.Apply(m)
		return whyInCheck(p, &after)
	}
	if m.Dropped() == Pawn && p.pawnMates(m.To()) {
		return "a dropped pawn may not mate (uchifuzume)"
	}
	return ""
}

// safeAfter reports whether the mover's king is safe after m, a move that is legal otherwise. It calculates which
// squares are occupied after the move. It does not make the move on a copy, because that would take half of the time of
// reading a record.
func (p *Position) safeAfter(m Move) bool {
	king, to := p.kings[p.side], m.To()
	if king == NoSquare {
		return true
	}
	occ := p.byType[occupied].or(bit(to))
	if !m.IsDrop() {
		occ = occ.andNot(bit(m.From()))
		if m.From() == king {
			king = to
		}
	}
	return !p.attackedBy(p.byColour[p.side.Opponent()].andNot(bit(to)), king, p.side, occ)
}

// pawnMates reports whether a pawn drop on a square gives checkmate.
func (p *Position) pawnMates(to Square) bool {
	king := p.kings[p.side.Opponent()]
	return king != NoSquare && steps[NewPiece(p.side, Pawn)][to].has(king) && p.dropMates(to)
}

// whyNotDrop returns the reason why a drop is illegal, or "". It does not check the safety of the king and
// mate by a dropped pawn (uchifuzume).
func whyNotDrop(p *Position, m Move) string {
	us, t, to := p.side, m.Dropped(), m.To()
	switch {
	case t < Pawn || t > Gold:
		return fmt.Sprintf("piece type number %d cannot be in hand", uint8(t))
	case m.Promotes():
		return "a dropped piece cannot promote"
	case p.hands[us][t] == 0:
		return fmt.Sprintf("%v has no %v in hand", us, t)
	case p.board[to] != NoPiece:
		return fmt.Sprintf("%v is occupied by a %v %v", to, p.board[to].Colour(), p.board[to].Type())
	case deadSquares[us][t].has(to):
		return fmt.Sprintf("a %v %v on %v could never move", us, t, to)
	case t == Pawn:
		pawns := p.byType[Pawn].and(p.byColour[us]).and(bit(to).files())
		if !pawns.empty() {
			return fmt.Sprintf("%v already has an unpromoted pawn on %v (nifu)", us, pawns.first())
		}
	}
	return ""
}

// whyNotBoardMove returns the reason why a move of a piece on the board is illegal, or "". It does not check
// the safety of the king.
func whyNotBoardMove(p *Position, m Move) string {
	us, from, to := p.side, m.From(), m.To()
	if from >= NoSquare {
		return fmt.Sprintf("its origin is square number %d, but the last one is 80", from)
	}
	piece := p.board[from]
	t := piece.Type()
	switch {
	case piece == NoPiece:
		return fmt.Sprintf("there is no piece on %v", from)
	case piece.Colour() != us:
		return fmt.Sprintf("the %v on %v belongs to %v, but %v is to move", t, from, us.Opponent(), us)
	case !attacks(piece, from, bitboard{}).has(to):
		return fmt.Sprintf("a %v cannot move from %v to %v", t, from, to)
	case p.byColour[us].has(to):
		return fmt.Sprintf("%v is occupied by %v's own %v", to, us, p.board[to].Type())
	case !attacks(piece, from, p.byType[occupied]).has(to):
		block := between(from, to).and(p.byType[occupied]).first()
		return fmt.Sprintf("the way of the %v from %v to %v is blocked on %v", t, from, to, block)
	case m.Promotes() && !t.CanPromote():
		return fmt.Sprintf("a %v cannot promote", t)
	case m.Promotes() && promotionZone[us].and(bit(from).or(bit(to))).empty():
		return fmt.Sprintf("neither %v nor %v lies in the three ranks where %v promotes", from, to, us)
	case !m.Promotes() && deadSquares[us][t].has(to):
		return fmt.Sprintf("the %v must promote on %v", t, to)
	}
	return ""
}

// whyInCheck returns the reason why a move is illegal if it leaves the mover's king attacked. The reason names the
// pieces that attack the king in the position after the move.
func whyInCheck(p *Position, after *Position) string {
	king := after.kings[p.side]
	checkers, _ := after.checkersAndPins(king, p.side)
	text := ""
	for ; !checkers.empty(); checkers = checkers.rest() {
		if text != "" {
			text += " and "
		}
		s := checkers.first()
		text += fmt.Sprintf("the %v on %v", after.board[s].Type(), s)
	}
	return fmt.Sprintf("it leaves the %v king on %v in check from %s", p.side, king, text)
}

// EndsInMate reports whether a sequence of moves ends in checkmate by the side that is to move in p. That
// side makes the first and the last move. All moves must be legal. Without moves the result is false.
func (p *Position) EndsInMate(moves []Move) bool {
	if len(moves)%2 == 0 {
		return false
	}
	board := *p
	for _, m := range moves {
		if board.CheckLegal(m) != nil {
			return false
		}
		board.Apply(m)
	}
	return board.InCheck() && !board.HasLegalMove()
}
