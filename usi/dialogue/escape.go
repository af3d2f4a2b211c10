package dialogue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape appends text to dst in a form that is one line, safe for every terminal
// and reversible: what is valid UTF-8 and visible (or a space) stays as it is, a
// backslash is written \\, and each byte of everything else \xNN.
func Escape(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\\':
			dst = append(dst, `\\`...)
		case r == ' ' || r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) || r == utf8.RuneError && size > 1:
			dst = append(dst, text[:size]...)
		default:
			for _, b := range text[:size] {
				dst = append(dst, '\\', 'x', hex[b>>4], hex[b&15])
			}
		}
		text = text[size:]
	}
	return dst
}

const hex = "0123456789abcdef"

// errEscape is what is wrong with a text that Escape has not written.
var errEscape = errors.New(`expected \\ or \xNN behind a backslash`)

// Unescape is the inverse of Escape.
func Unescape(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for {
		before, rest, escaped := strings.Cut(text, `\`)
		out = append(out, before...)
		switch {
		case !escaped:
			return out, nil
		case strings.HasPrefix(rest, `\`):
			out, text = append(out, '\\'), rest[1:]
		case len(rest) >= 3 && rest[0] == 'x':
			b, err := strconv.ParseUint(rest[1:3], 16, 8)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", `\`+rest[:3], errEscape)
			}
			out, text = append(out, byte(b)), rest[3:]
		default:
			return nil, fmt.Errorf("%q: %w", `\`+rest[:min(3, len(rest))], errEscape)
		}
	}
}

// Word is Escape for a name that stands between spaces: its own are escaped, too.
func Word(name string) string {
	text := strings.ReplaceAll(string(Escape(nil, []byte(name))), " ", `\x20`)
	if text == "" {
		return `\`
	}
	return text
}

// FileName makes a name, of a player or a run, part of a file's name: letters of
// ASCII, digits, '-', '_' and '.' but at the beginning stay, every other byte is
// %NN. It is cut to 80 bytes.
func FileName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0
		if plain {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	text := b.String()
	if text == "" {
		return "%"
	}
	return text[:min(len(text), 80)]
}
