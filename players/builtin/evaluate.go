package builtin

import "gogi/shogi"

// span is the number of values from -8 to 8. The files of two squares differ by a value in this range, and so do their
// ranks.
const span = 17

// tables has the weights of the evaluation in the form that the search uses.
type tables struct {
	board   [32][squares]int32 // by piece: material and square, positive for Black
	hand    [2][8][fullHand + 1]int32
	near    [2][pieceTypes][span * span]int32 // by own or enemy king, type and offset from it
	offsets [squares]int32                    // offset of each square, for near
	worth   [pieceTypes]int32                 // gain of taking the piece, for move ordering
	byKing  *kingNoise                        // nil: no noise
}

// These are the first indices of tables.near: own king and enemy king.
const (
	ownKing = iota
	enemyKing
)

func newTables(w *weights) *tables {
	t := &tables{}
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		for s := range shogi.NoSquare {
			value := int32(w.material[kind] + w.square[kind][s])
			t.board[shogi.NewPiece(shogi.Black, kind)][s] = value
			t.board[shogi.NewPiece(shogi.White, kind)][squares-1-s] = -value
			t.offsets[s] = int32(s.File()*span + s.Rank())
		}
		if kind <= shogi.Gold {
			for n, value := range w.hand[kind] {
				t.hand[shogi.Black][kind][n] = int32(value)
				t.hand[shogi.White][kind][n] = -int32(value)
			}
		}
		t.fillNear(kind, w)
		t.worth[kind] = int32(w.material[kind] + w.material[kind.Base()])
	}
	return t
}

// fillNear fills tables.near for a type of piece with values that decrease with the distance from the king.
// Attackers are worth most in front of the enemy king, and defenders are worth less behind their own king.
func (t *tables) fillNear(kind shogi.PieceType, w *weights) {
	percent := [9]int{0, 100, 65, 35, 15, 5, 0, 0, 0}
	for file := -8; file <= 8; file++ {
		for rank := -8; rank <= 8; rank++ {
			i := centre + int32(file*span+rank)
			distance := max(file, -file, rank, -rank)
			attack, defence := w.attack[kind], w.defence[kind]
			if rank < 0 { // behind the enemy king, in front of the own
				attack = attack * 3 / 4
			} else if rank > 0 {
				defence = defence * 3 / 4
			}
			t.near[ownKing][kind][i] = int32(defence * percent[distance] / 100)
			t.near[enemyKing][kind][i] = int32(attack * percent[distance] / 100)
		}
	}
}

// centre is the index in tables.near for a piece on the king's own square.
const centre = 8*span + 8

// kings has the square of each king by colour, and the offset of that square (tables.offsets). If a king is missing,
// the evaluation has no terms for it.
type kings struct {
	at     [2]int32
	square [2]shogi.Square
	there  [2]bool
}

func (t *tables) kings(p *shogi.Position) (k kings) {
	for c := range k.at {
		if s := p.KingSquare(shogi.Colour(c)); s != shogi.NoSquare {
			k.at[c], k.square[c], k.there[c] = t.offsets[s], s, true
		}
	}
	return k
}

// piece returns the value of a piece on a square, positive for Black.
func (t *tables) piece(piece shogi.Piece, s shogi.Square, k *kings) int32 {
	value := t.board[piece][s]
	if piece.Type() == shogi.King {
		return value
	}
	c, kind, at := piece.Colour(), piece.Type(), t.offsets[s]
	sign := 1 - 2*int32(c)
	if k.there[c] {
		value += sign * t.near[ownKing][kind][centre+sign*(at-k.at[c])]
	}
	if enemy := c.Opponent(); k.there[enemy] {
		value += sign * t.near[enemyKing][kind][centre+sign*(at-k.at[enemy])]
	}
	if t.byKing != nil {
		value += sign * t.byKing.piece(c, kind, s, k)
	}
	return value
}

// inHand returns the value of a number of pieces in hand, positive for Black.
func (t *tables) inHand(c shogi.Colour, kind shogi.PieceType, n int, k *kings) int32 {
	value := t.hand[c][kind][n]
	if t.byKing != nil {
		value += (1 - 2*int32(c)) * t.byKing.pieces(c, kind, n, k)
	}
	return value
}

// whole returns the full evaluation of a position, positive if Black is better.
func (t *tables) whole(p *shogi.Position) int32 {
	k := t.kings(p)
	var sum int32
	for s := range shogi.NoSquare {
		if piece := p.PieceAt(s); piece != shogi.NoPiece {
			sum += t.piece(piece, s, &k)
		}
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			sum += t.inHand(c, kind, p.Hand(c, kind), &k)
		}
	}
	return sum
}

// after returns the same value as whole(next), but faster. m is the move from p to next, and sum is the evaluation of
// p. after changes sum only by the pieces that m changes. If a king moves, it calls whole.
func (t *tables) after(p *shogi.Position, sum int32, m shogi.Move, next *shogi.Position) int32 {
	us, to := p.Side(), m.To()
	k := t.kings(p)
	if m.IsDrop() {
		kind, n := m.Dropped(), p.Hand(us, m.Dropped())
		return sum + t.inHand(us, kind, n-1, &k) - t.inHand(us, kind, n, &k) + t.piece(next.PieceAt(to), to, &k)
	}
	moved := p.PieceAt(m.From())
	if moved.Type() == shogi.King {
		return t.whole(next)
	}
	if taken := p.PieceAt(to); taken != shogi.NoPiece {
		base := taken.Type().Base()
		n := p.Hand(us, base)
		sum += t.inHand(us, base, n+1, &k) - t.inHand(us, base, n, &k) - t.piece(taken, to, &k)
	}
	return sum - t.piece(moved, m.From(), &k) + t.piece(next.PieceAt(to), to, &k)
}

// gain returns the immediate gain of a move: the captured piece and the promotion.
func (t *tables) gain(p *shogi.Position, m shogi.Move) int32 {
	value := t.worth[p.PieceAt(m.To()).Type()]
	if m.Promotes() {
		kind := p.PieceAt(m.From()).Type()
		value += t.worth[kind.Promoted()] - t.worth[kind]
	}
	return value
}

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
					n.board[whose][king][kind][s] = int16(r.gauss(deviation))
				}
				for k := 1; kind <= shogi.Gold && k <= fullHand; k++ {
					n.hand[whose][king][kind][k] = int16(r.gauss(deviation))
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
