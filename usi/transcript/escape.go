package transcript

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Escape appends text to dst as one line that is safe for every terminal. Unescape restores the text. Visible
// UTF-8 characters and spaces do not change. A backslash becomes \\, and each other byte becomes \xNN.
func Escape(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\\':
			dst = append(dst, `\\`...)
		case r == ' ' || r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) || r == utf8.RuneError &&
			size > 1:
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

// errEscape is the error for a text that Escape cannot have written.
var errEscape = errors.New(`expected \\ or \xNN behind a backslash`)

// Unescape decodes a text that Escape encoded.
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

// Word escapes a name for a line whose fields are separated by spaces. It is like Escape, but also escapes spaces.
func Word(name string) string {
	text := strings.ReplaceAll(string(Escape(nil, []byte(name))), " ", `\x20`)
	if text == "" {
		return `\`
	}
	return text
}

// maxFileName is the maximum length of FileName's result in bytes.
const maxFileName = 80

// FileName returns the name of a player or a run as a part of a file name that is valid on all file systems.
// ASCII letters, letters of scripts without capitals (such as Japanese), digits, '-', '_' and '.' do not
// change. Every other byte becomes %NN, and so do a '.' at either end and the first letter of a name that
// Windows reserves. FileName cuts a long name and appends a hash of the whole name.
//
// Different names have different results, even if the file system normalises Unicode. Names that differ only
// in case may be equal on a file system that ignores case.
func FileName(name string) string {
	if text := fileName(name, readable); norm.NFC.IsNormalString(text) {
		return text
	}
	return fileName(name, func(rune) bool { return false })
}

func plain(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}

// readable reports whether a character beyond ASCII may stay, because no file system confuses it with another
// character.
func readable(r rune) bool { return r != utf8.RuneError && unicode.In(r, unicode.Lo, unicode.Lm) }

// reserved matches the names that Windows reserves for devices, with any suffix after a '.'.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

func fileName(name string, stays func(rune) bool) string {
	var b strings.Builder
	device := reserved.MatchString(name)
	for i, r := range name {
		size := max(1, utf8.RuneLen(r))
		if r == utf8.RuneError && !strings.HasPrefix(name[i:], "\ufffd") {
			size = 1
		}
		dot := r == '.' && i > 0 && i < len(name)-1
		if (plain(r) || dot || r >= utf8.RuneSelf && stays(r)) && (i > 0 || !device) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(name[i : i+size]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	text := cmp.Or(b.String(), "%")
	if len(text) <= maxFileName {
		return text
	}
	sum := sha256.Sum256([]byte(name))
	end := maxFileName - 9
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s-%x", text[:end], sum[:4])
}
