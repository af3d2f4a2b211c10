// Package shellwords splits a command line into words like a shell, without running a shell. [Split] splits a
// command line, and [Quote] quotes one word.
package shellwords

import (
	"errors"
	"strings"
)

// Split splits a command into words like a POSIX shell, but without variables and other functions of a shell.
// Blanks separate words, and 'text' is literal. In "text" a backslash escapes only ", \, $, ` and a line
// break. Outside quotes a backslash makes the next character literal. Split returns an error for open quotes
// and for a backslash at the end. The result may be empty.
func Split(s string) ([]string, error) {
	w := splitter{rest: s}
	for w.rest != "" {
		if err := w.step(); err != nil {
			return nil, err
		}
	}
	w.end()
	return w.words, nil
}

type splitter struct {
	rest  string
	words []string
	word  strings.Builder
	open  bool // a word has begun; it may be empty, such as ""
}

func (w *splitter) end() {
	if w.open {
		w.words = append(w.words, w.word.String())
	}
	w.word.Reset()
	w.open = false
}

func (w *splitter) step() error {
	c := w.rest[0]
	w.rest = w.rest[1:]
	switch c {
	case ' ', '\t', '\n', '\r':
		w.end()
		return nil
	case '\'':
		return w.single()
	case '"':
		return w.double()
	case '\\':
		if w.rest == "" {
			return errors.New(`a backslash at the end: expected a character after it`)
		}
		c = w.rest[0]
		w.rest = w.rest[1:]
		if c == '\n' { // a backslash at the end of a line continues the line
			return nil
		}
	}
	w.add(c)
	return nil
}

func (w *splitter) add(c byte) {
	w.word.WriteByte(c)
	w.open = true
}

func (w *splitter) single() error {
	text, rest, ok := strings.Cut(w.rest, "'")
	if !ok {
		return errors.New("the quote ' is never closed: expected another one")
	}
	w.word.WriteString(text)
	w.rest, w.open = rest, true
	return nil
}

func (w *splitter) double() error {
	w.open = true
	for w.rest != "" {
		c := w.rest[0]
		w.rest = w.rest[1:]
		switch {
		case c == '"':
			return nil
		case c == '\\' && w.rest != "" && strings.Contains("\"\\$`\n", w.rest[:1]):
			if w.rest[0] != '\n' { // a backslash at the end of a line continues the line
				w.add(w.rest[0])
			}
			w.rest = w.rest[1:]
		default:
			w.add(c)
		}
	}
	return errors.New(`the quote " is never closed: expected another one`)
}

// Quote returns a word, in quotes if necessary, so that Split and every POSIX shell read the same word.
func Quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./:,=@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
