package usi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// Decode turns bytes of an engine into text: UTF-8 when they are valid UTF-8,
// else Shift_JIS (code page 932, older Japanese engines), else with every bad
// byte replaced. It never fails.
func Decode(line []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	text, err := japanese.ShiftJIS.NewDecoder().Bytes(line)
	if err == nil && !strings.ContainsRune(string(text), utf8.RuneError) {
		return string(text)
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}

// Printable makes text of an engine safe for a terminal: escape sequences,
// control characters and invisible format characters (they can reorder a line)
// are removed, line breaks become spaces, and it is cut to limit runes.
func Printable(text string, limit int) string {
	var b strings.Builder
	n := 0
	for text = stripEscapes(text); text != "" && n < limit; n++ {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '\t' || r == '\n':
			b.WriteByte(' ')
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			n--
		default:
			b.WriteRune(r)
		}
	}
	if text != "" {
		b.WriteString("…")
	}
	return strings.TrimSpace(b.String())
}

// stripEscapes removes the sequences "ESC [ … letter" (ECMA-48, CSI).
func stripEscapes(text string) string {
	for {
		i := strings.Index(text, "\x1b[")
		if i < 0 {
			return text
		}
		end := strings.IndexFunc(text[i+2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
		if end < 0 {
			return text[:i]
		}
		text = text[:i] + text[i+2+end+1:]
	}
}

// PrintableLines is Printable for each line of a text, however long.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line, 4000)
	}
	return strings.Join(lines, "\n")
}
