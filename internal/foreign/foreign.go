// Package foreign makes text of other programs safe to keep and to print:
// engines send Shift_JIS, terminal escapes and bytes that are no text at all.
package foreign

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// Decode turns a line's bytes into text: UTF-8 when they are valid UTF-8, else
// Shift_JIS (code page 932, older Japanese engines), else with U+FFFD for what
// is neither. It never fails.
func Decode(line []byte) string { return decode(string(line), false) }

// Printable makes text safe for a terminal: escape sequences, control
// characters and invisible format characters (they can reorder a line) are
// removed, line breaks become spaces, and it is cut to limit characters.
func Printable(text string, limit int) string {
	text = printable(text)
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return text
}

// PrintableLines is Printable for each line of a text, however many.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line, 4000)
	}
	return strings.Join(lines, "\n")
}

// LastLine makes one printable line of the end of a program's raw output, its
// lines joined by " | " and cut to the last limit characters. cut says that the
// beginning of raw is lost, perhaps in the middle of a character.
func LastLine(raw []byte, cut bool, limit int) string {
	// Neither encoding has a line end inside a character.
	lines := strings.FieldsFunc(string(raw), func(r rune) bool { return r == '\n' || r == '\r' })
	var out []string
	for i, line := range lines {
		if text := printable(decode(line, cut && i == 0)); text != "" {
			out = append(out, text)
		}
	}
	return lastRunes(strings.Join(out, " | "), limit)
}

// decode reads a line as UTF-8, else as Shift_JIS, else with U+FFFD for what is
// neither.
func decode(line string, cut bool) string {
	start := line
	for i := 0; cut && i < utf8.UTFMax-1 && start != "" && !utf8.RuneStart(start[0]); i++ {
		start = start[1:]
	}
	if utf8.ValidString(start) {
		return start
	}
	sjis := line
	for range 2 { // a cut line may begin with a character's second byte
		// The decoder gives no error for what it cannot read, but U+FFFD.
		s, err := japanese.ShiftJIS.NewDecoder().String(sjis)
		if err == nil && !strings.ContainsRune(s, utf8.RuneError) {
			return s
		}
		if !cut {
			break
		}
		sjis = sjis[1:]
	}
	return strings.ToValidUTF8(start, string(utf8.RuneError))
}

// printable removes terminal escapes and control characters. Compiled here, as
// a diagnosis is rare: CSI sequences, OSC strings, and the other escapes.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return strings.TrimSpace(s)
	}
	escapes := regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")
	s = escapes.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case !unicode.IsGraphic(r): // control, formatting, unassigned
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// lastRunes keeps the last n characters of s, and says so if there were more.
func lastRunes(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n:])
}
