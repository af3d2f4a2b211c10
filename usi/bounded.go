package usi

import "math"

// The limits of what is taken from an engine's info lines. They are far beyond what
// any search reports, and so small that a line cannot make a sum or a stored
// integer wrap.
const (
	maxNodes = 1<<53 - 1 // nodes, also a second: what every reader of JSON holds exactly; at 10^9 a second 104 days
	maxDepth = 1_000_000 // plies, selective ones too
	maxMS    = 1 << 40   // milliseconds: 34 years
	maxFull  = 1000      // of a hash table, per mille
)

// bounded is the whole decimal number that a word of an engine says: low or high
// where it is beyond them, however many digits it has. ok is false for a word that is
// no number.
func bounded[T string | []byte](word T, low, high int64) (n int64, ok bool) {
	negative := len(word) > 0 && word[0] == '-'
	first := 0
	if negative || len(word) > 0 && word[0] == '+' {
		first = 1
	}
	if first == len(word) {
		return 0, false
	}
	for i := first; i < len(word); i++ {
		digit := word[i] - '0'
		if digit > 9 {
			return 0, false
		}
		if n = 10*n + int64(digit); n > math.MaxInt64/16 {
			n = math.MaxInt64 / 16 // beyond every limit, and the next digit cannot make it wrap
		}
	}
	if negative {
		n = -n
	}
	return max(low, min(n, high)), true
}
