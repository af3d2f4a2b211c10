package shogi

// EndsInMate reports whether the moves end in checkmate. The side to move makes the first move. All moves
// must be legal, and the last move must be a mating move of that side. Without moves the result is false.
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
