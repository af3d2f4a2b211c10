package shogi

import "fmt"

// Setup has the parts of a position: board, hands, side to move and move number. Code that reads a notation
// other than SFEN fills it. Setup.Position then checks the parts and returns the position.
type Setup struct {
	// Board holds the piece on each Square.
	Board [81]Piece
	// Hands holds the pieces in hand by Colour and by PieceType, Pawn to Gold; entry 0 must be 0.
	Hands [2][8]int
	// Side is the player to move.
	Side Colour
	// Ply is the number of the next move, from 1.
	Ply int
}

// maxPly is the largest move number of a start position. No real game comes near it, and the numbers of all
// later moves still fit.
const maxPly = 1_000_000_000

// setSize has the number of pieces of each base type in a set of 40.
var setSize = [King + 1]int{Pawn: 18, Lance: 4, Knight: 4, Silver: 4, Bishop: 2, Rook: 2, Gold: 4, King: 2}

// Position checks the setup and builds its position. Kings may be missing (mating problems have none or one),
// and pieces may be fewer than a full set. These are errors:
//
//   - an unpromoted pawn, lance or knight on its last rank;
//   - two unpromoted pawns of a player on a file (nifu, 二歩), or two kings;
//   - more pieces of a kind than a set has;
//   - a check to the side that does not move;
//   - a number out of range.
//
// A knight on its second-last rank cannot move either, but Position accepts it, because published test positions have
// it.
func (s *Setup) Position() (Position, error) {
	if err := s.checkNumbers(); err != nil {
		return Position{}, err
	}
	p := Position{side: s.Side, ply: int32(s.Ply), kings: [2]Square{NoSquare, NoSquare}}
	if s.Side == White {
		p.key = zobrist.white
	}
	for sq, piece := range s.Board {
		if piece == NoPiece {
			continue
		}
		if err := checkAddition(&p, Square(sq), piece); err != nil {
			return Position{}, err
		}
		p.put(Square(sq), piece)
	}
	if err := s.checkSetSize(); err != nil {
		return Position{}, err
	}
	for _, c := range []Colour{Black, White} {
		for t := Pawn; t <= Gold; t++ {
			p.setHand(c, t, uint8(s.Hands[c][t]))
		}
	}
	if waiting := s.Side.Opponent(); p.kingAttacked(waiting) {
		return Position{},
			fmt.Errorf("%v is to move but already attacks the %v king on %v: expected the side not to move to be out of check",
				s.Side, waiting, p.kings[waiting])
	}
	return p, nil
}

// checkNumbers returns an error if a value is outside its range.
func (s *Setup) checkNumbers() error {
	if s.Side > White {
		return fmt.Errorf("side to move is number %d: expected 0 (black) or 1 (white)", uint8(s.Side))
	}
	if s.Ply < 1 || s.Ply > maxPly {
		return fmt.Errorf("move number is %d: expected a whole number from 1 to %d", s.Ply, maxPly)
	}
	for c, hand := range s.Hands {
		for t, n := range hand {
			if n < 0 || n > setSize[t] {
				return fmt.Errorf("%v's hand holds %d of the type %v: expected 0 to %d", Colour(c), n, PieceType(t), setSize[t])
			}
		}
	}
	return nil
}

// checkAddition returns an error if a piece may not be added on s to the pieces on the board.
func checkAddition(p *Position, s Square, piece Piece) error {
	c, t := piece.Colour(), piece.Type()
	if piece != NewPiece(c, t) || t == NoPieceType || t > Dragon {
		return fmt.Errorf("square %v holds piece number %d, which does not exist", s, uint8(piece))
	}
	if t == King && p.kings[c] != NoSquare {
		return fmt.Errorf("%v has kings on %v and %v: expected at most one", c, p.kings[c], s)
	}
	if lastRank := deadSquares[c][Pawn]; t <= Knight && lastRank.has(s) {
		return fmt.Errorf("%v %v on %v could never move: expected none there", c, t, s)
	}
	if t != Pawn {
		return nil
	}
	if pawns := p.byType[Pawn].and(p.byColour[c]).and(bit(s).files()); !pawns.empty() {
		return fmt.Errorf("%v has pawns on %v and %v: expected at most one unpromoted pawn on file %d (nifu)", c,
			pawns.first(), s, s.File())
	}
	return nil
}

// checkSetSize returns an error if board and hands together have more pieces than a set of 40.
func (s *Setup) checkSetSize() error {
	var total [len(setSize)]int
	for _, piece := range s.Board {
		total[piece.Type().Base()]++
	}
	for _, hand := range s.Hands {
		for t, n := range hand {
			total[t] += n
		}
	}
	for t := Pawn; t <= King; t++ {
		if total[t] > setSize[t] {
			return fmt.Errorf("board and hands hold %d of the type %v: expected at most %d", total[t], t, setSize[t])
		}
	}
	return nil
}
