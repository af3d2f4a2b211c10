package shogi

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
