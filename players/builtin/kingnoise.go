package builtin

import "gogi/shogi"

// A kingNoise has one random Gaussian number for every king square × piece × piece square, and for every king
// square × number of pieces in hand. The numbers depend only on the engine's seed. Both tables exist twice:
// for the own king and for the enemy king. Entries are centipawns from Black's view of Black's pieces; for
// White the board is rotated. Bonanza's command for council members changes similar tables by king and piece.
// Its tables also have pairs of pieces, which this engine does not have.
type kingNoise struct {
	board [2][squares][pieceTypes][squares]int16 // by own or enemy king, its square, piece, its square
	hand  [2][squares][8][fullHand + 1]int16
}

// newKingNoise draws the random numbers from seed. It returns nil if deviation is 0. The largest number is
// six deviations, which fits an int16 for every allowed EvalNoise.
func newKingNoise(seed, deviation int) *kingNoise {
	if deviation == 0 {
		return nil
	}
	r, n := random(seed), &kingNoise{}
	for whose := range n.board {
		for king := range squares {
			for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
				if kind == shogi.King {
					continue
				}
				for s := range squares {
					n.board[whose][king][kind][s] = int16(r.gauss(deviation)) //nolint:gosec // at most 6000
				}
				for k := 1; kind <= shogi.Gold && k <= fullHand; k++ {
					n.hand[whose][king][kind][k] = int16(r.gauss(deviation)) //nolint:gosec // at most 6000
				}
			}
		}
	}
	return n
}

// seenBy returns the square from the view of a colour, whose own side is the bottom of the board.
func seenBy(c shogi.Colour, s shogi.Square) shogi.Square {
	if c == shogi.White {
		return squares - 1 - s
	}
	return s
}

// piece returns the noise of a piece other than a king, positive for its owner.
func (n *kingNoise) piece(c shogi.Colour, kind shogi.PieceType, s shogi.Square, k *kings) (sum int32) {
	for whose, of := range [2]shogi.Colour{c, c.Opponent()} {
		if k.there[of] {
			sum += int32(n.board[whose][seenBy(c, k.square[of])][kind][seenBy(c, s)])
		}
	}
	return sum
}

// pieces returns the noise of a number of pieces in hand, positive for their owner.
func (n *kingNoise) pieces(c shogi.Colour, kind shogi.PieceType, number int, k *kings) (sum int32) {
	for whose, of := range [2]shogi.Colour{c, c.Opponent()} {
		if k.there[of] {
			sum += int32(n.hand[whose][seenBy(c, k.square[of])][kind][number])
		}
	}
	return sum
}
