package terminal

import (
	"fmt"
	"strings"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// These are the sizes of the two forms of the board. In both, each row has nine squares and the name of the rank. A
// square shows the sign of the side and the piece. The second form also has a grid.
const (
	boardWidth = 9*3 + 2
	gridWidth  = 9*5 + 1 + 2
	gridHeight = 2*9 + 1 + 3
)

// boardLines draws a board with both hands and the last move marked. It returns 12 lines, or gridHeight lines with a
// grid. White's pieces have a v, as in the CSA and KI2 notations.
func (v View) boardLines(b *match.Board, grid bool) []Line {
	p, last, ok := position(b)
	if !ok {
		return []Line{line(Faint, v.say("no board is known yet"))}
	}
	files, between, before, after := "  9  8  7  6  5  4  3  2  1", Line(nil), "", ""
	if grid {
		files, between, before, after = "   9    8    7    6    5    4    3    2    1",
			line(Faint, strings.Repeat("+----", 9)+"+"), "|", " "
	}
	lines := []Line{hand(&p, shogi.White), line(Faint, files)}
	if grid {
		lines = append(lines, between)
	}
	for rank := 1; rank <= 9; rank++ {
		var l Line
		for file := 9; file >= 1; file-- {
			l = append(l, Span{before, Faint})
			l = append(l, square(&p, shogi.NewSquare(file, rank), last, grid)...)
			l = append(l, Span{after, Plain})
		}
		lines = append(lines, append(l, Span{before + " " + string(rune('a'+rank-1)), Faint}))
		if grid {
			lines = append(lines, between)
		}
	}
	return append(lines, hand(&p, shogi.Black))
}

// position returns the position of a board and the target square of the last move.
func position(b *match.Board) (p shogi.Position, last shogi.Square, ok bool) {
	if b == nil {
		return p, shogi.NoSquare, false
	}
	p, err := shogi.ParseSFEN(b.Position)
	if err != nil {
		return p, shogi.NoSquare, false
	}
	moves := strings.Fields(b.Moves)
	if len(moves) == 0 {
		return p, shogi.NoSquare, true
	}
	m, err := shogi.ParseMove(moves[len(moves)-1])
	if err != nil {
		return p, shogi.NoSquare, true
	}
	return p, m.To(), true
}

// square returns the three terminal cells of a square of the board: the sign of the side, and the piece. On a grid, an
// empty square has no dot.
func square(p *shogi.Position, s, last shogi.Square, grid bool) Line {
	piece := p.PieceAt(s)
	switch {
	case piece == shogi.NoPiece && grid:
		return line(Plain, "   ")
	case piece == shogi.NoPiece:
		return line(Faint, " ・")
	}
	side, style := " ", Blacks
	if piece.Colour() == shogi.White {
		side, style = "v", Whites
	}
	kanji := Span{kifu.Kanji(piece.Type()), style}
	if s == last {
		kanji.Style = Moved
	}
	return Line{{side, style}, kanji}
}

// hand returns the pieces in hand of a side, the strongest first.
func hand(p *shogi.Position, side shogi.Colour) Line {
	var held []string
	for _, t := range []shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance,
		shogi.Pawn} {
		switch n := p.Hand(side, t); n {
		case 0:
		case 1:
			held = append(held, kifu.Kanji(t))
		default:
			held = append(held, fmt.Sprintf("%s%d", kifu.Kanji(t), n))
		}
	}
	if held == nil {
		held = []string{"-"}
	}
	if side == shogi.White {
		return Line{{"v ", Whites}, {strings.Join(held, " "), Whites}}
	}
	return Line{{"  ", Blacks}, {strings.Join(held, " "), Blacks}}
}
