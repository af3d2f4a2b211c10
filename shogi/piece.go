package shogi

// Colour is one of the two players. Black (sente, 先手) moves first in an even game and plays towards rank a.
// White (gote, 後手) plays towards rank i and moves first in a handicap game.
type Colour uint8

// These are the two players.
const (
	Black Colour = 0
	White Colour = 1
)

// Opponent returns the other player.
func (c Colour) Opponent() Colour { return c ^ 1 }

// String returns "black" or "white".
func (c Colour) String() string {
	if c == Black {
		return "black"
	}
	return "white"
}

// PieceType is a kind of piece, such as pawn, without its owner. The numbers are those of YaneuraOu's move
// and training formats. The number of a promoted type is that of its unpromoted type plus 8.
type PieceType uint8

// These are the piece types. NoPieceType means an empty square. Gold and King never promote.
const (
	NoPieceType PieceType = 0
	Pawn        PieceType = 1
	Lance       PieceType = 2
	Knight      PieceType = 3
	Silver      PieceType = 4
	Bishop      PieceType = 5
	Rook        PieceType = 6
	Gold        PieceType = 7
	King        PieceType = 8
	ProPawn     PieceType = 9 // tokin (と)
	ProLance    PieceType = 10
	ProKnight   PieceType = 11
	ProSilver   PieceType = 12
	Horse       PieceType = 13 // promoted bishop (馬)
	Dragon      PieceType = 14 // promoted rook (龍)
)

// promotedBit is the bit in which a promoted type differs from its base type.
const promotedBit = 8

// CanPromote reports whether t is an unpromoted piece with a promoted side:
// pawn, lance, knight, silver, bishop or rook.
func (t PieceType) CanPromote() bool { return t >= Pawn && t <= Rook }

// IsPromoted reports whether t is the promoted side of a piece.
func (t PieceType) IsPromoted() bool { return t >= ProPawn && t <= Dragon }

// Promoted returns the promoted side of t, or t itself if t cannot promote or is promoted already.
func (t PieceType) Promoted() PieceType {
	if t.CanPromote() {
		return t | promotedBit
	}
	return t
}

// Base returns the unpromoted type of t. If a player captures a piece of type t, the player gets a piece of
// this type in hand. The base of an unpromoted type is the type itself.
func (t PieceType) Base() PieceType {
	if t.IsPromoted() {
		return t &^ promotedBit
	}
	return t
}

// String returns the English name in lower case, such as "promoted lance".
func (t PieceType) String() string {
	names := [...]string{
		"none", "pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king",
		"promoted pawn", "promoted lance", "promoted knight", "promoted silver", "horse", "dragon",
	}
	if int(t) >= len(names) {
		return "unknown piece"
	}
	return names[t]
}

// pieceLetters has the SFEN letter of each base type, indexed by the type.
const pieceLetters = ".PLNSBRGK"

// letter returns the upper-case SFEN letter of the base type of t.
func (t PieceType) letter() byte { return pieceLetters[t.Base()] }

// typeOfLetter returns the base type of an upper-case SFEN letter, or NoPieceType for another letter.
func typeOfLetter(letter byte) PieceType {
	for t := Pawn; t <= King; t++ {
		if pieceLetters[t] == letter {
			return t
		}
	}
	return NoPieceType
}

// Piece is a piece type with its owner: Colour<<4 | PieceType.
type Piece uint8

// NoPiece is the Piece of an empty square.
const NoPiece Piece = 0

// NewPiece returns the piece of the given owner and type.
func NewPiece(c Colour, t PieceType) Piece { return Piece(c)<<4 | Piece(t) }

// Colour returns the owner of the piece. The result for NoPiece has no meaning.
func (p Piece) Colour() Colour { return Colour(p >> 4 & 1) }

// Type returns the type of the piece. It returns NoPieceType for NoPiece.
func (p Piece) Type() PieceType { return PieceType(p & 15) }

// String returns the SFEN text of the piece, such as "P" or "+r". It returns "." for an empty square.
func (p Piece) String() string { return string(p.append(nil)) }

// append appends the text of String.
func (p Piece) append(b []byte) []byte {
	t := p.Type()
	if t == NoPieceType || t > Dragon {
		return append(b, '.')
	}
	if t.IsPromoted() {
		b = append(b, '+')
	}
	letter := t.letter()
	if p.Colour() == White {
		letter += 'a' - 'A'
	}
	return append(b, letter)
}
