// Package sgf reads and writes games of Go in the Smart Game Format, FF[4], on the 19-line
// board, with komi, handicap and setup before the first move. [Parse] returns the games, and
// [Append] writes one. It keeps the main line and counts the variations. It plays every move on
// a board: a game with an impossible move is a [BadGame] with its line, and the next game is
// read.
// Source: https://www.red-bean.com/sgf/sgf4.html and https://www.red-bean.com/sgf/go.html.
package sgf

import (
	"fmt"
	"strings"

	"gogi/report/review/goban"
)

// Game is one record. "" and zero mean that nothing is known.
type Game struct {
	Black, White         string // names
	BlackRank, WhiteRank string // as they are written, such as 3d
	Event, Date, Rules   string
	Result               string // such as B+3.5, W+R, 0 or Void
	Komi                 float64
	Handicap             int          // HA; the stones are in Setup
	Setup                []goban.Move // the stones before the first move, in the order of the board
	First                goban.Colour // the first side to move: PL, else from the first move or the handicap
	Moves                []Move
	Comment              string // comment of the root
	Branches             int    // variations that were left out
}

// Move is a move with its comment.
type Move struct {
	goban.Move

	Comment  string
	Value    float64 // V: points by which Black leads after it
	HasValue bool
}

// Winner returns the winner in the result. known is false without one; Empty is a draw.
func (g *Game) Winner() (winner goban.Colour, known bool) {
	switch {
	case strings.HasPrefix(g.Result, "B+"):
		return goban.Black, true
	case strings.HasPrefix(g.Result, "W+"):
		return goban.White, true
	case g.Result == "0" || strings.EqualFold(g.Result, "draw"):
		return goban.Empty, true
	}
	return goban.Empty, false
}

// BadGame is a game that cannot be read.
type BadGame struct {
	Game int // the how-manieth of the text, from 1
	Line int // line of the error, from 1
	Err  error
}

// Error names the place.
func (e *BadGame) Error() string { return fmt.Sprintf("game %d, line %d: %v", e.Game, e.Line, e.Err) }

// Append writes a game to the end of a text.
func Append(dst []byte, g *Game) []byte {
	w := writer{dst}
	w.out = append(w.out, "(;FF[4]GM[1]SZ[19]CA[UTF-8]AP[gogi]"...)
	for _, p := range []struct{ name, text string }{
		{"PB", g.Black}, {"BR", g.BlackRank}, {"PW", g.White}, {"WR", g.WhiteRank},
		{"EV", g.Event}, {"DT", g.Date}, {"RU", g.Rules}, {"RE", g.Result},
	} {
		if p.text != "" {
			w.property(p.name, oneLine(p.text))
		}
	}
	w.property("KM", number(g.Komi))
	if g.Handicap > 0 {
		w.property("HA", fmt.Sprint(g.Handicap)) //nolint:perfsprint // one of two
	}
	w.stones("AB", g.Setup, goban.Black)
	w.stones("AW", g.Setup, goban.White)
	if g.First != goban.Empty {
		w.property("PL", g.First.String())
	}
	if g.Comment != "" {
		w.property("C", g.Comment)
	}
	for i := range g.Moves {
		m := &g.Moves[i]
		w.out = append(w.out, "\n;"...)
		w.property(m.Colour.String(), coordinates(m.Point))
		if m.HasValue {
			w.property("V", number(m.Value))
		}
		if m.Comment != "" {
			w.property("C", m.Comment)
		}
	}
	return append(w.out, ")\n"...)
}

type writer struct{ out []byte }

// property writes a name with one value.
func (w *writer) property(name, value string) {
	w.out = append(w.out, name...)
	w.out = append(w.out, '[')
	for _, b := range []byte(value) {
		if b == ']' || b == '\\' {
			w.out = append(w.out, '\\')
		}
		w.out = append(w.out, b)
	}
	w.out = append(w.out, ']')
}

func (w *writer) stones(name string, setup []goban.Move, side goban.Colour) {
	for _, m := range setup {
		if m.Colour == side {
			w.property(name, coordinates(m.Point))
			name = "" // the second value of the same property
		}
	}
}

// oneLine removes line breaks from SGF's SimpleText.
func oneLine(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }

// number returns a Real of SGF: no exponent.
func number(v float64) string {
	text := strings.TrimRight(fmt.Sprintf("%.3f", v), "0")
	return strings.TrimSuffix(text, ".")
}

// coordinates returns a point as SGF has it: column and line from the upper left corner, "" for a pass.
func coordinates(p goban.Point) string {
	if p == goban.Pass {
		return ""
	}
	return string([]byte{byte('a' + p.Column()), byte('a' + goban.Size - 1 - p.Line())}) //nolint:gosec // below 19
}

// pointOf reads coordinates; "tt" is the pass of FF[3].
func pointOf(text string) (goban.Point, error) {
	if text == "" || text == "tt" {
		return goban.Pass, nil
	}
	if len(text) == 2 {
		if p, ok := goban.At(int(text[0])-'a', goban.Size-1-(int(text[1])-'a')); ok {
			return p, nil
		}
	}
	return goban.Pass, fmt.Errorf("point %.10q: expected two letters from a to s", text)
}
