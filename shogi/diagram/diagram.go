// Package diagram draws shogi positions as SVG: the board with pieces in kanji, both hands, and the last
// move. It reads and writes no files. Set the fields of a [Diagram] and call SVG. On a page with the style
// sheet [Style], a diagram follows the light or dark colours of the page.
package diagram

import (
	"cmp"
	_ "embed" // the style sheet
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Style is the style sheet for pages with diagrams. Every class begins with "sd-". The colours are custom
// properties, which a page can override.
//
//go:embed diagram.css
var Style string

// Diagram is the input of a drawing: a position, the last move, and the texts.
type Diagram struct {
	Position shogi.Position
	Last     shogi.Move // move whose squares are marked; NoMove: none
	Title    string     // first line of the alternative text
	ID       string     // distinguishes the diagrams of a page; letters, digits and hyphens
	Japanese bool       // write the ranks and the description in Japanese
}

// These are the sizes in SVG user units: the sides of a square and the offset of the board.
const (
	squareWidth  = 40
	squareHeight = 42
	boardLeft    = 6
	boardTop     = 62
	boardWidth   = 9 * squareWidth
	boardHeight  = 9 * squareHeight
	width        = boardLeft + boardWidth + 24
	height       = boardTop + boardHeight + 48
)

// outline is the outline of a piece from its owner's point of view, with its centre at 0,0.
const outline = "M0-17.5 11-13 15 17.5H-15L-11-13Z"

// SVG returns the diagram as one svg element.
func (d Diagram) SVG() string {
	c := &canvas{}
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="sd" viewBox="0 0 %d %d" role="img" aria-labelledby="%s-t %[3]s-d">`,
		width, height, escape(d.ID))
	c.printf(`<title id="%s-t">%s</title><desc id="%[1]s-d">%[3]s</desc>`, escape(d.ID), escape(d.Title),
		escape(d.describe()))
	c.board(d.Japanese)
	c.marks(d.Last)
	c.printf(`<g lang="ja" font-family="'Noto Serif CJK JP','Noto Serif JP','Hiragino Mincho ProN','Yu Mincho',serif" text-anchor="middle">`)
	for s := range shogi.NoSquare {
		c.piece(s, d.Position.PieceAt(s))
	}
	c.hand(&d.Position, shogi.White, 20)
	c.hand(&d.Position, shogi.Black, boardTop+boardHeight+28)
	c.printf(`</g></svg>`)
	return c.String()
}

// canvas collects the text of the SVG element.
type canvas struct{ strings.Builder }

func (c *canvas) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(c, format, args...) // a Builder never returns an error
}

// board draws the squares, the four dots, and the files and ranks.
func (c *canvas) board(japanese bool) {
	c.printf(`<rect class="sd-board" x="%d" y="%d" width="%d" height="%d" fill="#f6e3b8" stroke="#3d3222" stroke-width="1.6"/>`,
		boardLeft, boardTop, boardWidth, boardHeight)
	c.printf(`<path class="sd-lines" fill="none" stroke="#7a6a4b" stroke-width=".8" d="`)
	for i := 1; i < 9; i++ {
		c.printf("M%d %dv%d", boardLeft+i*squareWidth, boardTop, boardHeight)
		c.printf("M%d %dh%d", boardLeft, boardTop+i*squareHeight, boardWidth)
	}
	c.printf(`"/>`)
	for i := range 4 {
		x, y := 3+3*(i%2), 3+3*(i/2)
		c.printf(`<circle class="sd-dot" cx="%d" cy="%d" r="2.4" fill="#3d3222"/>`, boardLeft+x*squareWidth,
			boardTop+y*squareHeight)
	}
	c.printf(`<g class="sd-axis" font-family="system-ui,sans-serif" font-size="13" fill="#5b5346" text-anchor="middle">`)
	for n := 1; n <= 9; n++ {
		x, y := middle(shogi.NewSquare(n, n))
		rank := string(rune('a' + n - 1))
		if japanese {
			rank = kifu.KIFNumber(n)
		}
		c.printf(`<text x="%d" y="%d">%d</text><text x="%d" y="%d">%s</text>`, x, boardTop-6, n, boardLeft+boardWidth+12, y+5,
			rank)
	}
	c.printf(`</g>`)
}

// marks highlights the squares of the last move.
func (c *canvas) marks(m shogi.Move) {
	if m == shogi.NoMove {
		return
	}
	if !m.IsDrop() {
		c.mark("sd-from", "#d9a441", ".35", m.From())
	}
	c.mark("sd-to", "#d9a441", ".75", m.To())
}

func (c *canvas) mark(class, fill, opacity string, s shogi.Square) {
	x, y := middle(s)
	c.printf(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" fill="%s" fill-opacity="%s"/>`,
		class, x-squareWidth/2+1, y-squareHeight/2+1, squareWidth-2, squareHeight-2, fill, opacity)
}

// middle returns the centre of a square in user units. File 1 is on the right, rank a at the top.
func middle(s shogi.Square) (x, y int) {
	return boardLeft + (9-s.File())*squareWidth + squareWidth/2, boardTop + (s.Rank()-1)*squareHeight + squareHeight/2
}

// piece draws the piece on a square. White's pieces are upside down.
func (c *canvas) piece(s shogi.Square, p shogi.Piece) {
	if p == shogi.NoPiece {
		return
	}
	x, y := middle(s)
	turn, colour, ink := "", "", "#1d1a14"
	if p.Colour() == shogi.White {
		turn = " rotate(180)"
	}
	if p.Type().IsPromoted() {
		colour, ink = " sd-promoted", "#a8201a"
	}
	c.printf(`<g class="sd-piece%s" data-square="%s" data-colour="%s" transform="translate(%d %d)%s">`, colour, s,
		p.Colour(), x, y, turn)
	c.printf(`<path d="%s" fill="#fffaf0" stroke="#3d3222"/><text y="10" font-size="23" fill="%s">%s</text></g>`, outline,
		ink, kifu.Kanji(p.Type()))
}

// Pieces returns an svg element with templates: one black piece of each type, and the marks of a last move. A
// script of a web page copies them to change a diagram during a game. Each piece is in a group whose
// attribute data-sfen is the SFEN letter of the piece.
func Pieces() string {
	c := &canvas{}
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">`, width, height)
	c.mark("sd-from", "#d9a441", ".35", shogi.NewSquare(1, 1))
	c.mark("sd-to", "#d9a441", ".75", shogi.NewSquare(1, 1))
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		piece := shogi.NewPiece(shogi.Black, t)
		c.printf(`<g data-sfen="%s">`, piece)
		c.piece(shogi.NewSquare(1, 1), piece)
		c.printf(`</g>`)
	}
	c.printf(`</svg>`)
	return c.String()
}

// hand draws the hand of a side in one row at height y: the side, and its pieces with their numbers.
func (c *canvas) hand(p *shogi.Position, side shogi.Colour, y int) {
	fill := "#111"
	if side == shogi.White {
		fill = "#fff"
	}
	c.printf(`<g class="sd-hand" data-hand="%s"><path class="sd-side sd-%[1]s" transform="translate(%d %d) scale(.62)" stroke-width="2" d="%s" fill="%s" stroke="#1d1a14"/>`,
		side, boardLeft+12, y, outline, fill)
	x := boardLeft + 44
	for _, t := range handOrder() {
		n := p.Hand(side, t)
		if n == 0 {
			continue
		}
		c.printf(`<g data-piece="%s"><text x="%d" y="%d" font-size="23" fill="#1d1a14">%s</text>`, t, x, y+8, kifu.Kanji(t))
		if n > 1 {
			c.printf(`<text class="sd-count" x="%d" y="%d" font-size="15" font-family="system-ui,sans-serif" text-anchor="start" fill="#1d1a14">%d</text>`, x+13, y+7, n)
		}
		c.printf(`</g>`)
		x += 47
	}
	if x == boardLeft+44 {
		c.printf(`<text x="%d" y="%d" font-size="16" fill="#5b5346">–</text>`, x-8, y+6)
	}
	c.printf(`</g>`)
}

// handOrder returns the customary order of a hand, the strongest piece first.
func handOrder() []shogi.PieceType {
	return []shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance, shogi.Pawn}
}

func (d Diagram) describe() string {
	if d.Japanese {
		return DescribeJapanese(d.Position)
	}
	return Describe(d.Position)
}

// placed returns one text for each piece type that a side has on the board: the name of the type, separator,
// and the squares.
func placed(p *shogi.Position, side shogi.Colour, name func(shogi.PieceType) string, square func(shogi.Square) string,
	separator string) []string {
	var all []string
	for t := shogi.Dragon; t >= shogi.Pawn; t-- {
		var squares []string
		for s := range shogi.NoSquare {
			if p.PieceAt(s) == shogi.NewPiece(side, t) {
				squares = append(squares, square(s))
			}
		}
		if len(squares) > 0 {
			all = append(all, name(t)+separator+strings.Join(squares, " "))
		}
	}
	return all
}

// held returns one text for each piece type in a hand.
func held(p *shogi.Position, side shogi.Colour, text func(t shogi.PieceType, n int) string) []string {
	var all []string
	for _, t := range handOrder() {
		if n := p.Hand(side, t); n > 0 {
			all = append(all, text(t, n))
		}
	}
	return all
}

// DescribeJapanese describes a position in Japanese, for readers who cannot see the diagram.
func DescribeJapanese(p shogi.Position) string {
	names, text := [2]string{"先手", "後手"}, ""
	square := func(s shogi.Square) string {
		return string([]rune("１２３４５６７８９")[s.File()-1]) + kifu.KIFNumber(s.Rank())
	}
	for side, name := range names {
		c := shogi.Colour(side)
		hand := strings.Join(held(&p, c, func(t shogi.PieceType, n int) string {
			if n == 1 {
				return kifu.Kanji(t)
			}
			return kifu.Kanji(t) + strconv.Itoa(n)
		}), "")
		text += name + "：" + strings.Join(placed(&p, c, kifu.Kanji, square, ""), "、") + "、持駒" + cmp.Or(hand, "なし") + "。"
	}
	return text + names[p.Side()] + "番。"
}

// Describe describes a position in English, for readers who cannot see the diagram.
func Describe(p shogi.Position) string {
	names, text := [2]string{"Black", "White"}, ""
	for side, name := range names {
		c, hand := shogi.Colour(side), "Nothing in hand."
		if pieces := held(&p, c, func(t shogi.PieceType, n int) string { return fmt.Sprintf("%s %d", t, n) }); len(pieces) >
			0 {
			hand = "In hand: " + strings.Join(pieces, ", ") + "."
		}
		text += fmt.Sprintf("%s: %s. %s ", name,
			strings.Join(placed(&p, c, shogi.PieceType.String, shogi.Square.String, " "), ", "), hand)
	}
	return text + names[p.Side()] + " to move."
}

// escape escapes a text for use in an XML element or attribute.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never returns an error
	return b.String()
}
