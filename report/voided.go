package report

import (
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/stats"
)

// Voiding is a set of pairs that a user voided (declared invalid) together. gogi plays these pairs again, and
// calculates the run's sequential test again from the first pair.
type Voiding struct {
	At    time.Time `json:"at"`
	Why   string    `json:"why"`
	By    string    `json:"by"` // the user who voided the pairs; "" if an older gogi did not record it
	Pairs []int     `json:"pairs"`
	// Before and After are the states of the test just before and just after the voiding. They are null if
	// the run has no test.
	Before *Tested `json:"before"`
	After  *Tested `json:"after"`
}

// Tested has the state of a sequential test before or after a voiding.
type Tested struct {
	LLR      *float64       `json:"llr"`
	Pairs    int            `json:"pairs"` // pairs on which the decision is based
	Decision stats.Decision `json:"decision"`
}

// Withdrawn returns a decision that gogi has printed and that is no longer valid without the voided pairs. It returns
// [stats.Continue] if there was no decision, or if the decision is still valid.
func (v *Voiding) Withdrawn() stats.Decision {
	if v.Before == nil || v.After == nil || v.Before.Decision == v.After.Decision {
		return stats.Continue
	}
	return v.Before.Decision
}

// Remarks returns text about the voiding, one message for each line. The lines begin with a small letter and
// end without a full stop.
func (v *Voiding) Remarks() []i18n.Message {
	pairs, why := i18n.Number{N: len(v.Pairs), Noun: "pair"}, strings.TrimRight(sanitize.Printable(v.Why, 200), ".")
	first := i18n.Of("%s voided: %s", pairs, why)
	if v.By != "" {
		first = i18n.Of("%s voided by %s: %s", pairs, sanitize.Printable(v.By, 40), why)
	}
	lines := []i18n.Message{first}
	if v.Before == nil || v.After == nil {
		return lines
	}
	lines = append(lines, i18n.Of("counted again without the voided pairs: LLR %s before, %s after",
		format.Decimal(v.Before.LLR, 3), format.Decimal(v.After.LLR, 3)))
	if earlier := v.Withdrawn(); earlier != stats.Continue {
		lines = append(lines, withdrawal(earlier))
	}
	return lines
}

// withdrawal returns the text that an earlier decision is no longer valid.
func withdrawal(earlier stats.Decision) i18n.Message {
	switch earlier {
	case stats.Pass:
		return i18n.Of("the earlier verdict, pass, is withdrawn: pairs of it were voided")
	case stats.Inconclusive:
		return i18n.Of("the earlier verdict, inconclusive, is withdrawn: pairs of it were voided")
	case stats.Fail, stats.Continue:
	}
	return i18n.Of("the earlier verdict, fail, is withdrawn: pairs of it were voided")
}

// withdrawn returns the last decision that gogi has printed and then withdrawn, because pairs were voided. It returns
// [stats.Continue] if there is none, or if the test has reached that decision again.
func (r *Report) withdrawn() stats.Decision {
	for i := len(r.Voided) - 1; i >= 0 && r.Gate != nil; i-- {
		if earlier := r.Voided[i].Withdrawn(); earlier != stats.Continue && earlier != r.Gate.Decision {
			return earlier
		} else if earlier != stats.Continue {
			break
		}
	}
	return stats.Continue
}
