package terminal

import (
	"errors"
	"fmt"
	"os"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
	"golang.org/x/term"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// ErrNoTerminal is the error if standard input or output is not a terminal.
var ErrNoTerminal = errors.New("this draws on a terminal, and standard input and output are not one (gogi report and gogi serve need none)")

// onTerminal reports whether standard input and output are terminals.
func onTerminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// open starts to use the terminal. It sends no query to the terminal, so the shell gets no late answer.
func open() (tcell.Screen, error) {
	s, err := tcell.NewScreen(tcell.OptNegotiation(false), tcell.OptSanitizeContent(true))
	if err == nil {
		err = s.Init()
	}
	if err != nil {
		return nil, fmt.Errorf("taking the terminal over (TERM=%s): %w", os.Getenv("TERM"), err)
	}
	spell(s)
	return s, nil
}

// spell sets replacements for characters that a terminal without Unicode cannot show.
func spell(s tcell.Screen) {
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		for _, kanji := range kifu.Kanji(t) {
			s.RegisterRuneFallback(kanji, padLeft(t.String(), 2))
		}
	}
	for _, f := range []struct {
		shown rune
		spelt string
	}{{'・', " ."}, {'–', "-"}, {'−', "-"}, {'×', "x"}} {
		s.RegisterRuneFallback(f.shown, f.spelt)
	}
}

// styles has the appearance of each Style. White's pieces differ from Black's not only by colour.
var styles = map[Style]tcell.Style{
	Plain:  tcell.StyleDefault,
	Strong: tcell.StyleDefault.Bold(true),
	Faint:  tcell.StyleDefault.Dim(true),
	Alarm:  tcell.StyleDefault.Foreground(color.Red),
	Bar:    tcell.StyleDefault.Reverse(true),
	Blacks: tcell.StyleDefault.Bold(true),
	Whites: tcell.StyleDefault.Foreground(color.Teal),
	Moved:  tcell.StyleDefault.Reverse(true),
}

// draw shows lines. The library writes only the changed cells.
func draw(s tcell.Screen, lines []Line) {
	s.Clear()
	for y, l := range lines {
		x := 0
		for _, span := range l {
			for _, r := range span.Text {
				s.Put(x, y, string(r), styles[span.Style])
				x += cells(r)
			}
		}
	}
	s.Show()
}
