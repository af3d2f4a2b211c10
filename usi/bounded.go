package usi

import "math"

// Limits for the numbers of an engine's info lines. They are far above what any search reports. They are low
// enough that no line can overflow a sum or a stored integer.
const (
	maxNodes = 1<<53 - 1 // nodes, and nodes per second: every JSON reader holds them exactly; 104 days at 10^9 per second
	maxDepth = 1_000_000 // plies, also for seldepth
	maxMS    = 1 << 40   // milliseconds: 34 years
	maxFull  = 1000      // use of the hash table, per mille
)

// bounded parses a signed decimal number of any length and clamps it to low…high. ok is false if the word is
// not a number.
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
			n = math.MaxInt64 / 16 // above every limit, and the next digit cannot overflow it
		}
	}
	if negative {
		n = -n
	}
	return max(low, min(n, high)), true
}
