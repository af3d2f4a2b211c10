// Package sgf reads and writes games of Go in the Smart Game Format, FF[4], on the 19-line board, with komi,
// handicap and setup before the first move. [Parse] returns the games, and [Append] writes one. Parse returns
// the main line of each game and the number of variations. It plays every move on a board. It returns a game
// with an impossible move as a [BadGame] with the line of the move, and continues with the next game. Source:
// https://www.red-bean.com/sgf/sgf4.html and https://www.red-bean.com/sgf/go.html.
package sgf

import (
	"fmt"
	"strings"

	"gogi/report/review/goban"
)

// Game is the record of one game. "" and zero mean that a value is unknown.
type Game struct {
	Black, White         string // names of the players
	BlackRank, WhiteRank string // ranks in the spelling of the file, such as 3d
	Event, Date, Rules   string
	Result               string // such as B+3.5, W+R, 0 or Void
	Komi                 float64
	Handicap             int          // the property HA; the handicap stones are in Setup
	Setup                []goban.Move // the stones before the first move, in the order of the board
	First                goban.Colour // the first side to move: from the property PL, else from the first move or the handicap
	Moves                []Move
	Comment              string // comment of the root node
	Branches             int    // number of variations, which are left out
}

// Move is a move with its comment.
type Move struct {
	goban.Move

	Comment  string
	Value    float64 // the property V: points by which Black leads after the move
	HasValue bool
}

// Winner returns the winner from the game's result, or Empty for a draw. known is false if the result names
// neither.
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
	Game int // number of the game in the text, from 1
	Line int // line of the error, from 1
	Err  error
}

// Error returns the error with the number of the game and the line.
func (e *BadGame) Error() string { return fmt.Sprintf("game %d, line %d: %v", e.Game, e.Line, e.Err) }

// Append appends a game in SGF to dst and returns the extended text.
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

// property writes a property with one value.
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
			name = "" // a second value of the same property has no name
		}
	}
}

// oneLine removes line breaks from SGF's SimpleText.
func oneLine(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }

// number returns a number as SGF's type Real, without an exponent.
func number(v float64) string {
	text := strings.TrimRight(fmt.Sprintf("%.3f", v), "0")
	return strings.TrimSuffix(text, ".")
}

// coordinates returns a point in SGF's notation: the letters of the column and the line, from the upper left
// corner. It returns "" for a pass.
func coordinates(p goban.Point) string {
	if p == goban.Pass {
		return ""
	}
	return string([]byte{byte('a' + p.Column()), byte('a' + goban.Size - 1 - p.Line())}) //nolint:gosec // below 19
}

// pointOf reads a point in SGF's notation. "tt" is a pass, as in FF[3].
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
