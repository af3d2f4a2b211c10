package position

import (
	"fmt"
	"strings"
)

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
