package shogi

// EndsInMate reports whether the moves, which the side to move begins, are legal
// one after the other and the last one is its own and checkmate. None is no mate.
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
