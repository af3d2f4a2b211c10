package report

import (
	"gogi/internal/format"
	"gogi/internal/i18n"
)

// mostly reports whether more than half of all pairs are meant.
func mostly(some, all int) bool { return 2*some > all }

// slowedOf returns in words how many of the pairs the machine slowed.
func slowedOf(slowed, pairs int) i18n.Message {
	return i18n.Of("the machine slowed %s of %s pairs", format.Count(slowed), format.Count(pairs))
}

// mostlySlowed reports whether the machine slowed most pairs of A against B. Their results may then measure
// the machine and not the players.
func (r *Report) mostlySlowed() bool {
	return r.Unmarked != nil && mostly(r.Unmarked.Marked, r.Dependence.Pairs)
}

// Slowed returns the warning that the machine slowed most pairs, or an empty message. Every form of a report
// has it in its first line.
func (r *Report) Slowed() i18n.Message {
	if !r.mostlySlowed() {
		return i18n.Message{}
	}
	return slowedOf(r.Unmarked.Marked, r.Dependence.Pairs)
}
