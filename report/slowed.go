package report

import (
	"math"

	"gogi/internal/format"
	"gogi/internal/i18n"
)

// LeastPairs returns the smallest number of pairs that can give a significant result in a one-sided test at
// the level alpha. Each pair has its own opening. If the players are equal, a given player wins all of n
// pairs with a probability of at most 2 to the power of -n.
func LeastPairs(alpha float64) int { return int(math.Ceil(-math.Log2(alpha))) }

// mostly reports whether part is more than half of whole.
func mostly(part, whole int) bool { return 2*part > whole }

// slowedOf returns text with the number of pairs in which the machine delayed a move.
func slowedOf(slowed, pairs int) i18n.Message {
	return i18n.Of("the machine slowed %s of %s pairs", format.Count(slowed), format.Count(pairs))
}

// mostlySlowed reports whether the machine delayed moves in most pairs of A against B. Their results may then measure
// the machine and not the players.
func (r *Report) mostlySlowed() bool {
	return r.Unmarked != nil && mostly(r.Unmarked.Marked, r.Dependence.Pairs)
}

// Slowed returns the warning that the machine delayed moves in most pairs, or the zero Message. Every form of
// a report prints the warning in its first line.
func (r *Report) Slowed() i18n.Message {
	if !r.mostlySlowed() {
		return i18n.Message{}
	}
	return slowedOf(r.Unmarked.Marked, r.Dependence.Pairs)
}
