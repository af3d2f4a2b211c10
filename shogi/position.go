package shogi

// Position is a board, both hands, the side to move and the number of the next move. It is a plain value: to
// undo a move, copy the Position before [Position.Apply]. The zero Position is not valid; [StartPos],
// [ParseSFEN] and [Setup.Position] return valid ones.
type Position struct {
	// byType has the squares of each piece type. Index 0 (occupied) has the squares of all pieces, and index
	// 15 (goldLike) those of all pieces that move like a gold.
	byType   [16]bitboard
	byColour [2]bitboard
	board    [81]Piece
	kings    [2]Square
	hands    [2][8]uint8
	side     Colour
	ply      int32
	key      uint64
}

const (
	occupied PieceType = 0  // index of Position.byType: all pieces
	goldLike PieceType = 15 // index of Position.byType: golds and pieces that promoted to a gold

	goldLikeTypes = 1<<Gold | 1<<ProPawn | 1<<ProLance | 1<<ProKnight | 1<<ProSilver
)

// Side returns the side to move.
func (p *Position) Side() Colour { return p.side }

// Ply returns the number of the next move in SFEN: 1 at the start of a game, 3 after two moves.
func (p *Position) Ply() int { return int(p.ply) }

// PieceAt returns the piece on s, or NoPiece if the square is empty or off the board.
func (p *Position) PieceAt(s Square) Piece {
	if s >= NoSquare {
		return NoPiece
	}
	return p.board[s]
}

// Hand returns the number of pieces of type t (Pawn to Gold) in c's hand. It returns 0 for every other type.
func (p *Position) Hand(c Colour, t PieceType) int {
	if t > Gold {
		return 0
	}
	return int(p.hands[c&1][t])
}

// KingSquare returns the square of c's king, or NoSquare if c has no king, as in mating problems (tsume).
func (p *Position) KingSquare(c Colour) Square { return p.kings[c&1] }

// Key returns the Zobrist hash of board, hands and side to move. It does not depend on the move number. Keys
// are the same in every run of the program.
func (p *Position) Key() uint64 { return p.key }

// same reports whether both positions have the same board, hands and side to move. The repetition rule then
// treats them as equal.
func (p *Position) same(q *Position) bool {
	return p.key == q.key && p.side == q.side && p.hands == q.hands && p.board == q.board
}

// InCheck reports whether the king of the side to move is attacked.
func (p *Position) InCheck() bool { return p.kingAttacked(p.side) }

// kingAttacked reports whether c has a king that is attacked.
func (p *Position) kingAttacked(c Colour) bool {
	king := p.kings[c]
	return king != NoSquare && p.attacked(king, c, p.byType[occupied])
}

// Apply makes a move, which must be legal (see [Position.CheckLegal]).
func (p *Position) Apply(m Move) {
	us, to := p.side, m.To()
	if m.IsDrop() {
		p.setHand(us, m.Dropped(), p.hands[us][m.Dropped()]-1)
		p.put(to, NewPiece(us, m.Dropped()))
	} else {
		if taken := p.board[to]; taken != NoPiece {
			p.take(to, taken)
			base := taken.Type().Base()
			p.setHand(us, base, p.hands[us][base]+1)
		}
		piece := p.board[m.From()]
		p.take(m.From(), piece)
		if m.Promotes() {
			piece |= promotedBit
		}
		p.put(to, piece)
	}
	p.side = us.Opponent()
	p.ply++
	p.key ^= zobrist.white
}

// put places a piece on an empty square.
func (p *Position) put(s Square, piece Piece) {
	p.board[s] = piece
	if piece.Type() == King {
		p.kings[piece.Colour()] = s
	}
	p.toggle(s, piece)
}

func (p *Position) take(s Square, piece Piece) {
	p.board[s] = NoPiece
	p.toggle(s, piece)
}

// toggle adds a piece on a square to the bitboards and the key, or removes it.
func (p *Position) toggle(s Square, piece Piece) {
	b, t := bit(s), piece.Type()
	p.byType[occupied] = p.byType[occupied].xor(b)
	p.byType[t] = p.byType[t].xor(b)
	if goldLikeTypes>>t&1 != 0 {
		p.byType[goldLike] = p.byType[goldLike].xor(b)
	}
	p.byColour[piece.Colour()] = p.byColour[piece.Colour()].xor(b)
	p.key ^= zobrist.pieces[piece&31][s]
}

func (p *Position) setHand(c Colour, t PieceType, n uint8) {
	p.key ^= zobrist.hands[c][t&7][p.hands[c][t&7]&31] ^ zobrist.hands[c][t&7][n&31]
	p.hands[c][t&7] = n
}

// zobrist has the random numbers from which keys are calculated by exclusive or. The number of an empty hand
// is 0, so a key depends only on the position.
var zobrist = func() (t struct {
	pieces [32][81]uint64
	hands  [2][8][32]uint64
	white  uint64 // White to move
},
) {
	state := uint64(0)
	next := func() uint64 { // SplitMix64 (Steele, Lea, Flood 2014)
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for piece := range t.pieces {
		for s := range t.pieces[piece] {
			t.pieces[piece][s] = next()
		}
	}
	for c := range t.hands {
		for pt := range t.hands[c] {
			for n := 1; n < len(t.hands[c][pt]); n++ {
				t.hands[c][pt][n] = next()
			}
		}
	}
	t.white = next()
	return t
}()
