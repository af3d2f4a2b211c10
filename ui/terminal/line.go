package terminal

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/unicode/norm"

	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
)

// Style is the appearance of a text.
type Style int

// The styles of text.
const (
	Plain  Style = iota
	Strong       // the important text
	Faint        // labels and explanations
	Alarm        // faults and warnings
	Bar          // the first line
	Blacks       // Black's pieces
	Whites       // White's pieces
	Moved        // the piece that moved last
)

// Span is text in one style. It has only printable characters.
type Span struct {
	Text  string
	Style Style
}

// Line is one line of the terminal.
type Line []Span

// Width returns the width of the line in terminal cells.
func (l Line) Width() int {
	return lists.Sum(l, func(s Span) int { return width(s.Text) })
}

// cells returns the width of a character in terminal cells. It is 2 for a wide East Asian character, and 0 for a
// character that is invisible or joins another. Terminals disagree about the width of joined characters.
func cells(r rune) int {
	switch {
	case !unicode.IsGraphic(r), unicode.In(r, unicode.M), isJoining(r):
		return 0
	case r < 0x7f:
		return 1
	}
	return displaywidth.Rune(r)
}

// isJoining reports whether r is half of a flag, a skin tone or a part of a Korean syllable.
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

func line(style Style, text string) Line { return Line{{text, style}} }

// clean removes unprintable characters from foreign text, and combines letters with their accents.
func clean(text string) string {
	return visible(norm.NFC.String(sanitize.Printable(text, 2000)))
}

// visible drops characters of width 0.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if cells(r) == 0 {
			return -1
		}
		return r
	}, text)
}

// clip cuts text to at most cols cells. The last cell of a cut text is ~.
func clip(text string, cols int) string {
	if width(text) <= cols {
		return text
	}
	if cols < 1 {
		return ""
	}
	n, end := 0, 0
	for i, r := range text {
		if n += cells(r); n > cols-1 {
			break
		}
		end = i + len(string(r))
	}
	return text[:end] + "~"
}

// pad fills or clips text to cols cells.
func pad(text string, cols int) string {
	text = clip(text, cols)
	return text + strings.Repeat(" ", max(0, cols-width(text)))
}

// padLeft does the same as pad, but adds the blanks before the text.
func padLeft(text string, cols int) string {
	text = clip(text, cols)
	return strings.Repeat(" ", max(0, cols-width(text))) + text
}

// fit cuts a line to cols cells, and drops characters of width 0.
func (l Line) fit(cols int) Line {
	var out Line
	for _, s := range l {
		text := clip(visible(s.Text), cols)
		cols -= width(text)
		out = append(out, Span{text, s.Style})
	}
	return out
}

// filled returns the line with exactly cols cells.
func (l Line) filled(cols int) Line {
	l = l.fit(cols)
	style := Plain
	if len(l) > 0 && l[0].Style == Bar {
		style = Bar
	}
	return append(l, Span{strings.Repeat(" ", max(0, cols-l.Width())), style})
}

// wrap breaks text at spaces and between Japanese characters into at most limit lines of at most cols cells. It indents
// all lines but the first. The last line may be longer; the caller clips it.
func wrap(text string, cols, limit int) []string {
	var out []string
	now := ""
	for _, piece := range format.Pieces(strings.Join(strings.Fields(text), " ")) {
		if now != "" && width(now)+width(strings.TrimRight(piece, " ")) > cols && len(out) < limit-1 {
			out, now = append(out, strings.TrimRight(now, " ")), "  "
		}
		now += piece
	}
	return append(out, now)
}

// columns returns two columns of lines, the left one cols cells wide.
func columns(left []Line, cols int, right []Line) []Line {
	out := make([]Line, 0, max(len(left), len(right)))
	for i := range max(len(left), len(right)) {
		var l Line
		if i < len(left) {
			l = left[i]
		}
		l = l.filled(cols)
		if i < len(right) {
			l = append(l, right[i]...)
		}
		out = append(out, l)
	}
	return out
}
