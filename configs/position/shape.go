package position

import (
	"errors"
	"fmt"
)

// The limits of nesting and key length in a file, far above the needs of a match. The time and memory of the
// TOML library grow with the square of these sizes: 24 kB of nested tables take 18 s and 4 GB. gogi therefore
// checks the limits first.
const (
	maxNesting  = 16  // lists and tables within each other
	maxKeyParts = 16  // of a dotted key
	maxKey      = 256 // bytes of a dotted key, all parts together
)

// CheckShape returns an error, and its line counted from 1, for a text that is nested too deeply or has a key
// that is too long. Like the TOML library, it stops at the first invalid TOML.
func CheckShape(text string) (line int, err error) {
	s := shape{locator: locator{text: text, line: 1}, fresh: true, parts: 1}
	for s.pos < len(s.text) {
		line := s.line
		if what := s.step(); what != "" {
			return line, errors.New(what)
		}
	}
	return 0, nil
}

type shape struct {
	locator

	nesting  int
	fresh    bool // at the beginning of a line outside all brackets, after blanks at most
	inHeader bool // the line is a table header, [a] or [[a]]
	begin    int  // start of a possible key
	parts    int  // number of parts of this key so far
}

func (s *shape) step() (wrong string) {
	c := s.peek()
	fresh := s.fresh
	s.fresh = fresh && (c == ' ' || c == '\t' || c == '\r')
	switch c {
	case '"', '\'':
		s.quoted()
		return ""
	case '#':
		s.until("\n")
		return ""
	case '.':
		s.parts++
	case '=', ']':
		if c == '=' || s.inHeader {
			wrong = s.endKey()
		}
	}
	s.take()
	switch c {
	case '[', '{':
		s.inHeader = s.inHeader || fresh && c == '['
		s.nesting++
	case ']', '}':
		s.nesting = max(0, s.nesting-1)
	case '\n':
		s.fresh, s.inHeader = s.nesting == 0, false
	}
	switch c {
	case '[', '{', ']', '}', '\n', ',', '=':
		s.begin, s.parts = s.pos, 1
	}
	if s.nesting > maxNesting {
		wrong = fmt.Sprintf("lists and tables are nested too deeply: expected at most %d within each other", maxNesting)
	}
	return wrong
}

// endKey returns the error of the key that ends at this position, or "".
func (s *shape) endKey() string {
	switch n := s.pos - s.begin; {
	case s.parts > maxKeyParts:
		return fmt.Sprintf("a key has too many parts: expected at most %d", maxKeyParts)
	case n > maxKey:
		return fmt.Sprintf("a key has %d bytes: expected at most %d", n, maxKey)
	}
	return ""
}
