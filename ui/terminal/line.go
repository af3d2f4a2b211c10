package terminal

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/unicode/norm"

	"gogi/internal/format"
	"gogi/internal/sanitize"
)

// Style is how a piece of text looks.
type Style int

// The styles.
const (
	Plain  Style = iota
	Strong       // what one looks for
	Faint        // what explains
	Alarm        // what went wrong
	Bar          // the first line
	Blacks       // Black's pieces
	Whites       // White's
	Moved        // the piece that moved last
)

// Span is text in one style. It holds printable characters only.
type Span struct {
	Text  string
	Style Style
}

// Line is what stands in one line of the terminal.
type Line []Span

// Width is how many cells the line takes.
func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += width(s.Text)
	}
	return n
}

// cells is how wide a character is: 2 for a wide one of East Asia, 0 for one that is
// not shown or that joins another, of which terminals disagree how wide the two are.
func cells(r rune) int {
	switch {
	case !unicode.IsGraphic(r), unicode.In(r, unicode.M), isJoining(r):
		return 0
	case r < 0x7f:
		return 1
	}
	return displaywidth.Rune(r)
}

// isJoining is of the halves of flags, skin tones and the parts of Korean syllables.
func isJoining(r rune) bool {
	return r >= 0x1f1e6 && r <= 0x1f1ff || r >= 0x1f3fb && r <= 0x1f3ff ||
		r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff
}

func width(text string) int {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return n
}

// line is a line in one style.
func line(style Style, text string) Line { return Line{{text, style}} }

// clean makes text of outside fit for a line: without what is not printed, and with
// letters and their accents in one character.
func clean(text string) string {
	return visible(norm.NFC.String(sanitize.Printable(text, 2000)))
}

// visible drops what takes no cell.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if cells(r) == 0 {
			return -1
		}
		return r
	}, text)
}

// clip cuts text to so many cells, and says so by a mark in the last one.
func clip(text string, room int) string {
	if width(text) <= room {
		return text
	}
	if room < 1 {
		return ""
	}
	n, end := 0, 0
	for i, r := range text {
		if n += cells(r); n > room-1 {
			break
		}
		end = i + len(string(r))
	}
	return text[:end] + "~"
}

// pad fills text up to so many cells; longer text is clipped.
func pad(text string, room int) string {
	text = clip(text, room)
	return text + strings.Repeat(" ", max(0, room-width(text)))
}

// padLeft is pad with the text at the right.
func padLeft(text string, room int) string {
	text = clip(text, room)
	return strings.Repeat(" ", max(0, room-width(text))) + text
}

// fit cuts a line to so many cells, and drops what must not reach a terminal.
func (l Line) fit(room int) Line {
	var out Line
	for _, s := range l {
		text := clip(visible(s.Text), room)
		room -= width(text)
		out = append(out, Span{text, s.Style})
	}
	return out
}

// filled is a line of exactly so many cells.
func (l Line) filled(room int) Line {
	l = l.fit(room)
	style := Plain
	if len(l) > 0 && l[0].Style == Bar {
		style = Bar
	}
	return append(l, Span{strings.Repeat(" ", max(0, room-l.Width())), style})
}

// wrap breaks text at spaces, and between Japanese characters, into lines of at most room
// cells and at most limit of them; what follows the first is set in. The last one is
// clipped by whoever draws it.
func wrap(text string, room, limit int) []string {
	var out []string
	now := ""
	for _, piece := range format.Pieces(strings.Join(strings.Fields(text), " ")) {
		if now != "" && width(now)+width(strings.TrimRight(piece, " ")) > room && len(out) < limit-1 {
			out, now = append(out, strings.TrimRight(now, " ")), "  "
		}
		now += piece
	}
	return append(out, now)
}

// beside sets lines beside others, the left ones filled to so many cells.
func beside(left []Line, room int, right []Line) []Line {
	out := make([]Line, 0, max(len(left), len(right)))
	for i := range max(len(left), len(right)) {
		var l Line
		if i < len(left) {
			l = left[i]
		}
		l = l.filled(room)
		if i < len(right) {
			l = append(l, right[i]...)
		}
		out = append(out, l)
	}
	return out
}
