package kifu

import (
	"fmt"
	"strings"

	"gogi/shogi"
)

// ParseCSAMove parses a move in CSA notation, such as "+7776FU", which must be legal in p. The error
// describes the problem but does not contain the text of the move. ParseCSAMove does not store text, so a
// caller can convert bytes to a string for it without allocating memory.
func ParseCSAMove(p *shogi.Position, text string) (shogi.Move, error) {
	m, err := csaMove(p, text)
	if err == nil {
		err = p.CheckLegal(m)
	}
	if err != nil {
		return shogi.NoMove, err
	}
	return m, nil
}

// csaMove parses a move without checking whether the move is legal.
func csaMove(p *shogi.Position, text string) (shogi.Move, error) {
	if len(text) != 7 {
		return shogi.NoMove, fmt.Errorf("%d characters: expected 7, such as +7776FU", len(text))
	}
	side, ok := ParseCSASign(text[0])
	if !ok || side != p.Side() {
		return shogi.NoMove, fmt.Errorf("it is not by the side to move (%s)", p.Side())
	}
	piece, ok := ParseCSAPiece(text[5:])
	to := parseCSASquare(text[3:5])
	if !ok || to == shogi.NoSquare {
		return shogi.NoMove, fmt.Errorf("expected a target square and a piece, such as 76FU, found %q",
			strings.Clone(text[3:]))
	}
	return csaMoveOf(p, text[1:3], to, piece)
}

// csaMoveOf returns the move of a piece to a square. origin has the two digits of the first square, or "00" for a
// drop. piece is the type after the move. It is compared with the type before the move to detect a promotion.
func csaMoveOf(p *shogi.Position, origin string, to shogi.Square, piece shogi.PieceType) (shogi.Move, error) {
	if origin == "00" {
		if piece > shogi.Gold {
			return shogi.NoMove, fmt.Errorf("a %s cannot be dropped", piece)
		}
		return shogi.NewDrop(piece, to), nil
	}
	from := parseCSASquare(origin)
	if from == shogi.NoSquare {
		return shogi.NoMove, fmt.Errorf("%q is no square", strings.Clone(origin))
	}
	switch before := p.PieceAt(from).Type(); {
	case before == piece && piece != shogi.NoPieceType:
		return shogi.NewMove(from, to), nil
	case before.CanPromote() && before.Promoted() == piece:
		return shogi.NewPromotion(from, to), nil
	default:
		return shogi.NoMove, fmt.Errorf("a %s cannot come from %s, where there is %s", piece, strings.Clone(origin),
			Article(before))
	}
}

// Article returns the English name of a piece type with the article "a", such as "a pawn". It returns
// "nothing" for NoPieceType.
func Article(t shogi.PieceType) string {
	if t == shogi.NoPieceType {
		return "nothing"
	}
	return "a " + t.String()
}

// ParseCSASign parses the sign of a side, '+' for Black and '-' for White. ok is false for any other character.
func ParseCSASign(c byte) (side shogi.Colour, ok bool) {
	switch c {
	case '+':
		return shogi.Black, true
	case '-':
		return shogi.White, true
	}
	return shogi.Black, false
}

// parseCSASquare parses a square of two digits, file and rank. It returns NoSquare for other text.
func parseCSASquare(text string) shogi.Square {
	if len(text) != 2 || text[0] < '1' || text[0] > '9' || text[1] < '1' || text[1] > '9' {
		return shogi.NoSquare
	}
	return shogi.NewSquare(int(text[0]-'0'), int(text[1]-'0'))
}

// ParseCSAPiece returns the piece type for two letters such as "FU", as CSAPiece writes them. ok is false for other
// text.
func ParseCSAPiece(text string) (shogi.PieceType, bool) {
	if len(text) != 2 || text[0] < 'A' || text[0] > 'Z' || text[1] < 'A' || text[1] > 'Z' {
		return shogi.NoPieceType, false
	}
	t := csaPieces[text[0]-'A'][text[1]-'A']
	return t, t != shogi.NoPieceType
}

// csaPieces has the piece types, indexed by their two letters.
var csaPieces = func() (types [26][26]shogi.PieceType) {
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		types[CSAPiece(t)[0]-'A'][CSAPiece(t)[1]-'A'] = t
	}
	return types
}()

// CSASetup collects a position from the lines of a CSA file; each call of Line adds one line. The zero value
// is ready to use.
type CSASetup struct {
	Setup shogi.Setup // without Ply, which the format does not have
	Begun bool        // a line described the board
	Sided bool        // a line gave the side to move
}

// Line reads one line of a position: PI, P1 to P9, P+, P-, + or -.
func (p *CSASetup) Line(text string) error {
	switch {
	case text == "+" || text == "-":
		p.Setup.Side, _ = ParseCSASign(text[0])
		p.Sided = true
		return nil
	case strings.HasPrefix(text, "PI"):
		return p.initial(text[2:])
	case strings.HasPrefix(text, "P+") || strings.HasPrefix(text, "P-"):
		colour, _ := ParseCSASign(text[1])
		return p.pieces(colour, text[2:])
	case len(text) >= 2 && text[0] == 'P' && text[1] >= '1' && text[1] <= '9':
		return p.rank(int(text[1]-'0'), text[2:])
	}
	return fmt.Errorf("%q is no line of a position", text)
}

// initial sets the start position of an even game, without the pieces in removed.
func (p *CSASetup) initial(removed string) error {
	start := shogi.StartPos()
	for s := range p.Setup.Board {
		p.Setup.Board[s] = start.PieceAt(shogi.Square(s))
	}
	p.Begun = true
	return eachCSAPiece(removed, func(at shogi.Square, t shogi.PieceType) error {
		if at == shogi.NoSquare || p.Setup.Board[at].Type() != t {
			return fmt.Errorf("there is no %s to be removed", t)
		}
		p.Setup.Board[at] = shogi.NoPiece
		return nil
	})
}

// rank reads one rank of the board: nine fields of three characters. Blanks at the end and next to "*" may be
// missing.
func (p *CSASetup) rank(rank int, text string) error {
	p.Begun = true
	fields, err := csaFields(text)
	if err != nil {
		return fmt.Errorf("rank %d: %w", rank, err)
	}
	for i, piece := range fields {
		p.Setup.Board[shogi.NewSquare(9-i, rank)] = piece
	}
	return nil
}

// csaFields returns the pieces of a rank from file 9 to file 1.
func csaFields(text string) (rank [9]shogi.Piece, err error) {
	n := 0
	for rest := text; rest != ""; n++ {
		if n == len(rank) {
			if strings.Trim(rest, " ") == "" {
				break
			}
			return rank, fmt.Errorf("%q: expected nine fields", text)
		}
		switch {
		case strings.HasPrefix(rest, "   "):
			rest = rest[3:]
		case strings.TrimLeft(rest, " ") == "":
			rest = ""
		case strings.HasPrefix(strings.TrimLeft(rest, " "), "*"):
			rest = strings.TrimLeft(rest, " ")[1:]
			rest = strings.TrimPrefix(rest, " ")
		default:
			if rank[n], err = csaField(strings.TrimLeft(rest, " ")); err != nil {
				return rank, err
			}
			rest = strings.TrimLeft(rest, " ")[3:]
		}
	}
	return rank, nil
}

// csaField parses a piece such as "+FU" at the beginning of a text.
func csaField(text string) (shogi.Piece, error) {
	if len(text) >= 3 {
		colour, signed := ParseCSASign(text[0])
		if t, known := ParseCSAPiece(text[1:3]); signed && known {
			return shogi.NewPiece(colour, t), nil
		}
	}
	return shogi.NoPiece, fmt.Errorf("%q is neither a piece, such as +FU, nor \" * \"", text[:min(3, len(text))])
}

// pieces adds single pieces to the board or to a hand. "00AL" adds all pieces of a set that are not placed
// yet, except the kings, to the hand.
func (p *CSASetup) pieces(colour shogi.Colour, text string) error {
	p.Begun = true
	if before, ok := strings.CutSuffix(text, "00AL"); ok {
		defer p.takeRest(colour)
		text = before
	}
	return eachCSAPiece(text, func(at shogi.Square, t shogi.PieceType) error {
		switch {
		case at != shogi.NoSquare && p.Setup.Board[at] != shogi.NoPiece:
			return fmt.Errorf("square %s is taken", at)
		case at != shogi.NoSquare:
			p.Setup.Board[at] = shogi.NewPiece(colour, t)
		case t > shogi.Gold:
			return fmt.Errorf("a %s cannot be in hand", t)
		default:
			p.Setup.Hands[colour][t]++
		}
		return nil
	})
}

// takeRest adds all pieces that are not yet placed to a hand.
func (p *CSASetup) takeRest(colour shogi.Colour) {
	left := [8]int{shogi.Pawn: 18, shogi.Lance: 4, shogi.Knight: 4, shogi.Silver: 4, shogi.Bishop: 2, shogi.Rook: 2,
		shogi.Gold: 4}
	for _, piece := range p.Setup.Board {
		if t := piece.Type().Base(); piece != shogi.NoPiece && t <= shogi.Gold {
			left[t]--
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		left[t] -= p.Setup.Hands[0][t] + p.Setup.Hands[1][t]
		p.Setup.Hands[colour][t] += max(0, left[t])
	}
}

// eachCSAPiece calls do for each piece of a list such as "63FU00KI"; square 00 is NoSquare.
func eachCSAPiece(list string, do func(shogi.Square, shogi.PieceType) error) error {
	for ; list != ""; list = list[min(4, len(list)):] {
		item := list[:min(4, len(list))]
		if len(item) < 4 {
			return fmt.Errorf("%q: expected a square and a piece, such as 76FU", item)
		}
		t, known := ParseCSAPiece(item[2:])
		at := parseCSASquare(item[:2])
		if !known || at == shogi.NoSquare && item[:2] != "00" {
			return fmt.Errorf("%q: expected a square and a piece, such as 76FU", item)
		}
		if err := do(at, t); err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
	}
	return nil
}
