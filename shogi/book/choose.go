package book

import (
	"math/rand/v2"

	"gogi/internal/lists"
	"gogi/shogi"
)

// Choose selects a move for a position at random, or returns NoMove if the book has no legal move. If moves
// have counts, the probability of a move is proportional to its count, and moves without a count are never
// selected. If moves have only scores, Choose selects one of the moves with the best score. Otherwise it
// selects among all moves.
func (b *Book) Choose(p *shogi.Position, random *rand.Rand) shogi.Move {
	return b.ChooseNear(p, 0, random)
}

// ChooseNear selects a move like Choose. But if the scores decide, it selects among all moves that are at
// most margin centipawns worse than the best.
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
		near := lists.Filter(moves, func(m Move) bool { return m.HasScore && best.Score-m.Score <= margin })
		moves = near
	}
	return moves[random.IntN(len(moves))].Move
}

// byCount selects a move by n, a number from 0 up to the sum of all counts, exclusive. Each move has a part of this
// range that is as large as its count.
func byCount(moves []Move, n int) shogi.Move {
	for _, m := range moves {
		if n < m.Count {
			return m.Move
		}
		n -= m.Count
	}
	return shogi.NoMove
}

// best returns the move with the highest score. If several moves have this score, it returns the first. ok is false if
// no move has a score.
func (e *Entry) best() (best Move, ok bool) {
	for _, m := range e.Moves {
		if m.HasScore && (!ok || m.Score > best.Score) {
			best, ok = m, true
		}
	}
	return best, ok
}
