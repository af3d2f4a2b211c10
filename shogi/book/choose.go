package book

import (
	"math/rand/v2"

	"gogi/shogi"
)

// Choose draws a move for a position, NoMove where the book has none that is legal. Where
// moves have counts it draws by them, so that one without a count is not drawn; else,
// where they have scores, it takes one of the best; else it draws among all. So a book
// plays what its makers weighed.
func (b *Book) Choose(p *shogi.Position, random *rand.Rand) shogi.Move {
	return b.ChooseNear(p, 0, random)
}

// ChooseNear is Choose, but that where scores decide it draws among all moves that are at
// most so many centipawns worse than the best.
func (b *Book) ChooseNear(p *shogi.Position, margin int, random *rand.Rand) shogi.Move {
	e := b.Find(p)
	if e == nil {
		return shogi.NoMove
	}
	var moves []Move
	sum, scored := 0, false
	for _, m := range e.Moves {
		if p.CheckLegal(m.Move) == nil {
			moves = append(moves, m)
			sum += m.Count
			scored = scored || m.HasScore
		}
	}
	switch {
	case len(moves) == 0:
		return shogi.NoMove
	case sum > 0:
		return byCount(moves, random.IntN(sum))
	case scored:
		legal := Entry{Moves: moves}
		best, _ := legal.best()
		var near []Move
		for _, m := range moves {
			if m.HasScore && best.Score-m.Score <= margin {
				near = append(near, m)
			}
		}
		moves = near
	}
	return moves[random.IntN(len(moves))].Move
}

// byCount is the move into whose share of the counts n falls.
func byCount(moves []Move, n int) shogi.Move {
	for _, m := range moves {
		if n < m.Count {
			return m.Move
		}
		n -= m.Count
	}
	return shogi.NoMove
}
