package builtin

import "gogi/shogi"

// kingNoise is one Gaussian number, fixed for an engine's seed, for every square
// of a king × piece × square, and every square of a king × number of pieces in
// hand; for the own king and for the enemy's. Tables by king and piece are what
// Bonanza's command for members of a council perturbs (its tables hold pairs of
// pieces by king, and both kings by piece; this engine has no pairs). Entries are
// in centipawns, as Black sees Black's pieces; White's are turned by half a turn.
type kingNoise struct {
	board [2][squares][pieceTypes][squares]int16 // by own or enemy king, its square, piece, its square
	hand  [2][squares][8][fullHand + 1]int16
}

// newKingNoise draws the numbers; nil where there is no noise. The largest is six
// deviations, which fits for all that EvalNoise can be.
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

// seenBy is the square as a colour sees it from its own side of the board.
func seenBy(c shogi.Colour, s shogi.Square) shogi.Square {
	if c == shogi.White {
		return squares - 1 - s
	}
	return s
}

// piece is what is added for a piece that is no king, positive for its owner.
func (n *kingNoise) piece(c shogi.Colour, kind shogi.PieceType, s shogi.Square, k *kings) (sum int32) {
	for whose, of := range [2]shogi.Colour{c, c.Opponent()} {
		if k.there[of] {
			sum += int32(n.board[whose][seenBy(c, k.square[of])][kind][seenBy(c, s)])
		}
	}
	return sum
}

// pieces is what is added for a number of pieces in hand, positive for their owner.
func (n *kingNoise) pieces(c shogi.Colour, kind shogi.PieceType, number int, k *kings) (sum int32) {
	for whose, of := range [2]shogi.Colour{c, c.Opponent()} {
		if k.there[of] {
			sum += int32(n.hand[whose][seenBy(c, k.square[of])][kind][number])
		}
	}
	return sum
}
