// Package sanitize makes text from other programs safe to store and to print. Engines send Shift_JIS,
// terminal escapes and invalid bytes. [Decode] converts bytes to UTF-8, [Printable] removes or escapes
// characters that are unsafe for a terminal, and [NewWriter] does this for a stream.
package sanitize

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// Decode converts the bytes of a line into text. It reads valid UTF-8 as UTF-8. It reads other bytes as
// Shift_JIS (code page 932, which older Japanese engines use). Bytes that are neither become U+FFFD. Decode
// never fails.
func Decode(line []byte) string { return decode(string(line), false) }

// Printable makes text safe for a terminal and cuts it to limit characters. It removes escape sequences,
// control characters and invisible format characters, which can reorder a line. It replaces line breaks with
// spaces.
func Printable(text string, limit int) string {
	text = printable(text)
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return text
}

// PrintableLines applies Printable to each line of a text. It does not limit the number of lines.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line, 4000)
	}
	return strings.Join(lines, "\n")
}

// Page removes control characters, except tabs and line ends, from a rendered page. A form field that a page repeats as
// the reader has sent it can have such characters, and the page may be printed in a terminal. Bytes that are not UTF-8
// stay.
func Page(page []byte) []byte {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }
	if bytes.IndexFunc(page, control) < 0 {
		return page
	}
	out := make([]byte, 0, len(page))
	for len(page) > 0 {
		r, size := utf8.DecodeRune(page)
		if !control(r) {
			out = append(out, page[:size]...)
		}
		page = page[size:]
	}
	return out
}

// LastLine returns the end of a program's raw output as one printable line of at most limit characters. It
// joins lines with " | ". cut means that the beginning of raw is missing, so that raw may begin in the middle
// of a character.
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

// decode converts a line like Decode. cut means that line may begin in the middle of a character.
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
		// The decoder returns U+FFFD, not an error, for invalid bytes.
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

// printable removes terminal escapes and control characters: CSI sequences, OSC strings and other escapes. It
// compiles its patterns in each call, because calls are rare.
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
		case !unicode.IsGraphic(r): // control, formatting and unassigned characters
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// lastRunes returns the last n characters of s. If it cuts s, it puts "…" before them.
func lastRunes(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n:])
}

// shows reports whether a terminal shows a character unchanged at its place in the line. It returns false for
// control characters, line separators and invisible format characters, except the joiners of scripts and
// emoji.
func shows(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return true
	case r == '\u200c' || r == '\u200d':
		return true
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// IsName reports whether a run, an engine or a council may have this name. The name must be valid UTF-8 that
// a terminal shows unchanged. It must not contain U+FFFD, which marks lost bytes.
func IsName(name string) bool {
	return utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !shows(r) || r == utf8.RuneError })
}

// Escape returns text on one line that a terminal shows unchanged. It writes \uXXXX for each character that a
// terminal does not show, including line ends and tabs. It writes \xXX for each byte that is not UTF-8.
func Escape(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !shows(r) }) {
		return text
	}
	return string(appendEscaped(nil, []byte(text), func(rune) bool { return false }))
}

// appendEscaped appends text and escapes all characters except those that keep accepts.
func appendEscaped(to, text []byte, keep func(rune) bool) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[0])
		case shows(r) || keep(r):
			to = append(to, text[:size]...)
		default: // the same form as in JSON
			for _, unit := range utf16.Encode([]rune{r}) {
				to = fmt.Appendf(to, `\u%04x`, unit)
			}
		}
		text = text[size:]
	}
	return to
}

// A Writer is an io.Writer that escapes text, so that the text is safe for terminals and for programs. It
// escapes the same characters as Escape, except line ends and tabs. JSON stays valid, because in a JSON
// string the escape means the character itself. A Writer is safe for concurrent use.
type Writer struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character that is not yet complete
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Raw returns the underlying writer of a Writer, for data that is not text. If w is not a Writer, Raw returns
// w.
func Raw(w io.Writer) io.Writer {
	if safe, ok := w.(*Writer); ok {
		return safe.to
	}
	return w
}

// Write escapes text and writes it. A character may be split between two calls.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := text
	if len(w.rest) > 0 {
		whole = append(w.rest, text...)
	}
	end := len(whole)
	for i := 1; i < utf8.UTFMax && i <= len(whole); i++ {
		if start := whole[len(whole)-i:]; utf8.RuneStart(start[0]) {
			if !utf8.FullRune(start) {
				end -= i
			}
			break
		}
	}
	w.rest = append([]byte(nil), whole[end:]...)
	if err := w.send(whole[:end]); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close writes the rest of the last Write if that ended within a character. It does not close the underlying
// writer. If another goroutine is in Write, Close returns at once. A Write to a pipe that no process reads
// never ends, and the program must still end.
func (w *Writer) Close() error {
	if !w.mu.TryLock() {
		return nil
	}
	defer w.mu.Unlock()
	rest := w.rest
	w.rest = nil
	return w.send(rest)
}

func (w *Writer) send(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return !shows(r) && !inText(r) }) {
		text = appendEscaped(make([]byte, 0, len(text)+16), text, inText)
	}
	_, err := w.to.Write(text)
	return err
}

func inText(r rune) bool { return r == '\n' || r == '\t' }
