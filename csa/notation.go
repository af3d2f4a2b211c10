package csa

import (
	"fmt"
	"strings"

	"gogi/kifu"
	"gogi/shogi"
)

// ParseMove reads a move in CSA notation, such as "+7776FU", which must be legal
// in p. The error says what is wrong with it.
func ParseMove(p *shogi.Position, text string) (shogi.Move, error) {
	m, err := readMove(p, text)
	if err != nil {
		return shogi.NoMove, fmt.Errorf("csa: move %q: %w", text, err)
	}
	return m, nil
}

func readMove(p *shogi.Position, text string) (shogi.Move, error) {
	if len(text) != 7 {
		return shogi.NoMove, fmt.Errorf("%d characters: expected 7, such as +7776FU", len(text))
	}
	side, ok := parseSign(text[0])
	if !ok || side != p.Side() {
		return shogi.NoMove, fmt.Errorf("it is not by the side to move (%s)", p.Side())
	}
	piece, ok := parsePiece(text[5:])
	to := parseSquare(text[3:5])
	if !ok || to == shogi.NoSquare {
		return shogi.NoMove, fmt.Errorf("expected a target square and a piece, such as 76FU, found %q", text[3:])
	}
	m, err := moveOf(p, text[1:3], to, piece)
	if err != nil {
		return shogi.NoMove, err
	}
	return m, p.CheckLegal(m)
}

// moveOf tells a promotion from the piece as it is before and after the move.
func moveOf(p *shogi.Position, origin string, to shogi.Square, piece shogi.PieceType) (shogi.Move, error) {
	if origin == "00" {
		if piece > shogi.Gold {
			return shogi.NoMove, fmt.Errorf("a %s cannot be dropped", piece)
		}
		return shogi.NewDrop(piece, to), nil
	}
	from := parseSquare(origin)
	if from == shogi.NoSquare {
		return shogi.NoMove, fmt.Errorf("%q is no square", origin)
	}
	switch before := p.PieceAt(from).Type(); {
	case before == piece && piece != shogi.NoPieceType:
		return shogi.NewMove(from, to), nil
	case before.CanPromote() && before.Promoted() == piece:
		return shogi.NewPromotion(from, to), nil
	default:
		return shogi.NoMove, fmt.Errorf("a %s cannot come from %s, where there is %s", piece, origin, article(before))
	}
}

func article(t shogi.PieceType) string {
	if t == shogi.NoPieceType {
		return "nothing"
	}
	return "a " + t.String()
}

func parseSign(c byte) (shogi.Colour, bool) {
	switch c {
	case '+':
		return shogi.Black, true
	case '-':
		return shogi.White, true
	}
	return shogi.Black, false
}

// parseSquare reads two digits, file and rank; NoSquare where they are none.
func parseSquare(text string) shogi.Square {
	if len(text) != 2 {
		return shogi.NoSquare
	}
	return shogi.NewSquare(int(text[0])-'0', int(text[1])-'0')
}

func parsePiece(text string) (shogi.PieceType, bool) {
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if kifu.CSAPiece(t) == text {
			return t, true
		}
	}
	return shogi.NoPieceType, false
}

// placing reads the lines of a position, one at a time.
type placing struct {
	setup shogi.Setup
	begun bool // a line has said what stands on the board
	sided bool // a line has said who moves
}

// line takes one line of a position: PI, P1 to P9, P+, P-, + or -.
func (p *placing) line(text string) error {
	switch {
	case text == "+" || text == "-":
		p.setup.Side, _ = parseSign(text[0])
		p.sided = true
		return nil
	case strings.HasPrefix(text, "PI"):
		return p.initial(text[2:])
	case strings.HasPrefix(text, "P+") || strings.HasPrefix(text, "P-"):
		colour, _ := parseSign(text[1])
		return p.pieces(colour, text[2:])
	case len(text) >= 2 && text[0] == 'P' && text[1] >= '1' && text[1] <= '9':
		return p.rank(int(text[1]-'0'), text[2:])
	}
	return fmt.Errorf("%q is no line of a position", text)
}

// initial is the start of an even game without some pieces.
func (p *placing) initial(removed string) error {
	start := shogi.StartPos()
	for s := range p.setup.Board {
		p.setup.Board[s] = start.PieceAt(shogi.Square(s))
	}
	p.begun = true
	return eachPiece(removed, func(at shogi.Square, t shogi.PieceType) error {
		if at == shogi.NoSquare || p.setup.Board[at].Type() != t {
			return fmt.Errorf("there is no %s to be removed", t)
		}
		p.setup.Board[at] = shogi.NoPiece
		return nil
	})
}

// rank is one rank of the board in nine fields of three characters. Blanks at
// the end may have been lost on the way.
func (p *placing) rank(rank int, fields string) error {
	p.begun = true
	if len(fields) < 27 {
		fields += strings.Repeat(" ", 27-len(fields))
	}
	for i := range 9 {
		field := fields[3*i : 3*i+3]
		at := shogi.NewSquare(9-i, rank)
		if field[0] == ' ' {
			p.setup.Board[at] = shogi.NoPiece
			continue
		}
		colour, signed := parseSign(field[0])
		t, known := parsePiece(field[1:])
		if !signed || !known {
			return fmt.Errorf("rank %d: %q is neither a piece, such as +FU, nor \" * \"", rank, field)
		}
		p.setup.Board[at] = shogi.NewPiece(colour, t)
	}
	return nil
}

// pieces adds single pieces to the board or to a hand; "00AL" is all that is
// left of a set, but for the kings.
func (p *placing) pieces(colour shogi.Colour, text string) error {
	p.begun = true
	if before, ok := strings.CutSuffix(text, "00AL"); ok {
		defer p.takeRest(colour)
		text = before
	}
	return eachPiece(text, func(at shogi.Square, t shogi.PieceType) error {
		switch {
		case at != shogi.NoSquare && p.setup.Board[at] != shogi.NoPiece:
			return fmt.Errorf("square %s is taken", at)
		case at != shogi.NoSquare:
			p.setup.Board[at] = shogi.NewPiece(colour, t)
		case t > shogi.Gold:
			return fmt.Errorf("a %s cannot be in hand", t)
		default:
			p.setup.Hands[colour][t]++
		}
		return nil
	})
}

// takeRest counts what is nowhere yet into a hand.
func (p *placing) takeRest(colour shogi.Colour) {
	left := [8]int{shogi.Pawn: 18, shogi.Lance: 4, shogi.Knight: 4, shogi.Silver: 4, shogi.Bishop: 2, shogi.Rook: 2, shogi.Gold: 4}
	for _, piece := range p.setup.Board {
		if t := piece.Type().Base(); piece != shogi.NoPiece && t <= shogi.Gold {
			left[t]--
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		left[t] -= p.setup.Hands[0][t] + p.setup.Hands[1][t]
		p.setup.Hands[colour][t] += max(0, left[t])
	}
}

// eachPiece goes over a list such as "63FU00KI"; square 00 is NoSquare.
func eachPiece(list string, do func(shogi.Square, shogi.PieceType) error) error {
	for ; list != ""; list = list[min(4, len(list)):] {
		item := list[:min(4, len(list))]
		if len(item) < 4 {
			return fmt.Errorf("%q: expected a square and a piece, such as 76FU", item)
		}
		t, known := parsePiece(item[2:])
		at := parseSquare(item[:2])
		if !known || at == shogi.NoSquare && item[:2] != "00" {
			return fmt.Errorf("%q: expected a square and a piece, such as 76FU", item)
		}
		if err := do(at, t); err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
	}
	return nil
}
