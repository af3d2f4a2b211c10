// Package position finds the line of each key in a TOML text, for error messages. [Locate] returns the
// places of all keys. [CheckShape] rejects a text that would make the TOML library slow.
package position

import (
	"fmt"
	"strconv"
	"strings"
)

// Place is the place of a key in its file.
type Place struct {
	Line  int // number of the line, from 1
	Order int // position among all keys of the file, from 1
}

// Locate finds every key of a TOML text. Paths have the form "engine[1].limits", with elements of lists
// counted from 0. The text must be valid TOML, because Locate checks nothing. gogi needs Locate because the
// TOML library stores the places of keys only for the last table of a list.
func Locate(text string) map[string]Place {
	l := locator{text: text, line: 1, places: map[string]Place{}, counts: map[string]int{}}
	table := ""
	for l.skip(); l.pos < len(l.text); l.skip() {
		if l.peek() == '[' {
			table = l.header()
			continue
		}
		l.pair(table)
	}
	return l.places
}

type locator struct {
	text   string
	pos    int
	line   int
	places map[string]Place
	counts map[string]int // number of tables [[path]] so far
	depth  int            // depth of lists within lists
}

// maxDepth is the largest depth of nested lists for which Locate returns places. No key of gogi is deeper,
// and the limit keeps paths short.
const maxDepth = 8

// peek returns the next byte, or 0 at the end of the text.
func (l *locator) peek() byte {
	if l.pos < len(l.text) {
		return l.text[l.pos]
	}
	return 0
}

// advance moves past one byte.
func (l *locator) advance() {
	if l.peek() == '\n' {
		l.line++
	}
	l.pos++
}

// skip moves past blanks, line breaks and comments.
func (l *locator) skip() {
	for l.pos < len(l.text) {
		switch l.peek() {
		case ' ', '\t', '\r', '\n':
			l.advance()
		case '#':
			l.until("\n")
		default:
			return
		}
	}
}

// until moves to the next byte that is one of stops.
func (l *locator) until(stops string) {
	for l.pos < len(l.text) && strings.IndexByte(stops, l.peek()) < 0 {
		l.advance()
	}
}

func (l *locator) found(path string) {
	if _, ok := l.places[path]; !ok {
		l.places[path] = Place{l.line, len(l.places) + 1}
	}
}

// header reads a table header such as [a.b] or [[a.b]] and returns the path of the table.
func (l *locator) header() string {
	l.advance()
	list := l.peek() == '['
	if list {
		l.advance()
	}
	path := ""
	keys := l.key()
	for i, key := range keys {
		path = Join(path, key)
		last := i == len(keys)-1
		l.found(path)
		if list && last {
			l.counts[path]++
		}
		if n := l.counts[path]; n > 0 {
			path = Element(path, n-1)
		}
	}
	l.found(path)
	l.until("]\n")
	for l.peek() == ']' {
		l.advance()
	}
	return path
}

// pair reads key = value in the table at path.
func (l *locator) pair(path string) {
	start := l.pos
	for _, key := range l.key() {
		path = Join(path, key)
		l.found(path)
	}
	l.until("=\n")
	l.advance()
	l.value(path)
	l.moveOn(start)
}

// moveOn moves past one byte if the position is still start. So invalid text cannot cause an endless loop.
func (l *locator) moveOn(start int) {
	if l.pos == start {
		l.advance()
	}
}

// key reads a dotted key.
func (l *locator) key() []string {
	var keys []string
	for {
		l.skip()
		keys = append(keys, l.keyPart())
		l.skip()
		if l.peek() != '.' {
			return keys
		}
		l.advance()
	}
}

func (l *locator) keyPart() string {
	if q := l.peek(); q == '"' || q == '\'' {
		quoted := l.quoted()
		if text, err := strconv.Unquote(quoted); err == nil && q == '"' {
			return text
		}
		return strings.Trim(quoted, string(q))
	}
	start := l.pos
	l.until(" \t\r\n.=]#")
	return l.text[start:l.pos]
}

// quoted moves past a TOML string of any of the four kinds and returns it with its quotes.
func (l *locator) quoted() string {
	start := l.pos
	quote := l.text[l.pos : l.pos+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.text[l.pos:], triple) {
		quote = triple
	}
	l.pos += len(quote)
	for l.pos < len(l.text) && !strings.HasPrefix(l.text[l.pos:], quote) {
		if l.peek() == '\\' && quote[0] == '"' {
			l.advance()
		}
		l.advance()
	}
	l.pos = min(l.pos+len(quote), len(l.text))
	for len(quote) == 3 && l.peek() == quote[0] {
		l.advance() // the string itself may end in quotes
	}
	return l.text[start:l.pos]
}

func (l *locator) value(path string) {
	l.skip()
	switch l.peek() {
	case '"', '\'':
		l.quoted()
	case '[':
		l.list(path)
	case '{':
		l.inline(path)
	default:
		l.until(",]}#\n")
	}
}

func (l *locator) list(path string) {
	l.advance()
	l.depth++
	defer func() { l.depth-- }()
	for i := 0; ; i++ {
		l.skip()
		if l.pos >= len(l.text) || l.peek() == ']' {
			l.advance()
			return
		}
		inner, start := path, l.pos
		if l.depth <= maxDepth {
			inner = Element(path, i)
		}
		l.found(inner)
		l.value(inner)
		l.comma()
		l.moveOn(start)
	}
}

func (l *locator) inline(path string) {
	l.advance()
	for {
		l.skip()
		if l.pos >= len(l.text) || l.peek() == '}' {
			l.advance()
			return
		}
		l.pair(path)
		l.comma()
	}
}

func (l *locator) comma() {
	l.skip()
	if l.peek() == ',' {
		l.advance()
	}
}

// Join returns the path of a key in the table at path. The path of the top table is "".
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Element returns the path of one element of a list, counted from 0.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// These limits of a file are far above the needs of a match. The time and memory of the TOML library grow
// with the square of these numbers: 24 kB of nested tables take 18 s and 4 GB. gogi therefore checks the
// limits first.
const (
	maxNesting = 200  // brackets and braces that are open at the same time
	maxDots    = 1000 // dots in one line, as in a dotted key
)

// CheckShape returns an error for a text that is nested too deeply or has a key with too many parts. line is
// the place of the error, counted from 1. CheckShape also counts brackets and dots in strings and comments.
func CheckShape(text string) (line int, err error) {
	open := 0
	for part := range strings.Lines(text) {
		line++
		for i := range len(part) {
			switch part[i] {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > maxNesting {
				return line, fmt.Errorf("lists and tables are nested too deeply: expected at most %d within each other", maxNesting)
			}
		}
		if n := strings.Count(part, "."); n > maxDots {
			return line, fmt.Errorf("the line has %d dots: expected at most %d", n, maxDots)
		}
	}
	return 0, nil
}
