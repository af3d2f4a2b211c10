package format

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// init makes tables count Unicode's ambiguous characters, such as – and ±, as narrow. A terminal shows them narrow or
// wide, depending on its own settings and not on the locale. Most terminals show them narrow.
//
//nolint:gochecknoinits // a setting of a library, for the whole program
func init() { text.OverrideRuneWidthEastAsianWidth(false) }

// Width returns the number of terminal columns that a text takes. Each Japanese character takes two.
func Width(s string) int { return text.StringWidthWithoutEscSequences(s) }

// Pad adds blanks to a text up to a width in terminal columns.
func Pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Width(s))) }

// Lines breaks a text into lines of at most width terminal columns. It breaks at blanks and between Japanese
// characters, but not before closing characters such as 。. It does not break longer words.
func Lines(s string, width int) []string {
	var list []string
	line := ""
	for _, piece := range Pieces(s) {
		if line != "" && Width(line)+Width(strings.TrimRight(piece, " ")) > width {
			list, line = append(list, strings.TrimRight(line, " ")), ""
		}
		line += piece
	}
	if line != "" {
		list = append(list, strings.TrimRight(line, " "))
	}
	return list
}

// Pieces splits a text at the places where a line may end. A blank at such a place belongs to the piece before it.
func Pieces(s string) []string {
	var list []string
	from := 0
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		next, _ := utf8.DecodeRuneInString(s[at:])
		if at < len(s) && mayBreak(r, next) {
			list, from = append(list, s[from:at]), at
		}
	}
	if from < len(s) {
		list = append(list, s[from:])
	}
	return list
}

func mayBreak(r, next rune) bool {
	if r == ' ' {
		return next != ' '
	}
	return (wide(r) || wide(next)) && next != ' ' && !strings.ContainsRune("。、）」：；ー％%", next) &&
		!strings.ContainsRune("（「", r)
}

// wide reports whether a character belongs to the Japanese scripts or is punctuation of full width.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 &&
		r < 0xff61
}
