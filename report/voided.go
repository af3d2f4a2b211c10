package report

import (
	"gogi/internal/i18n"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/stats"
)

// Voiding is pairs that were taken out of a run together, to be played again, and what
// that made of its sequential test, which is counted anew from the first pair.
type Voiding struct {
	At    time.Time `json:"at"`
	Why   string    `json:"why"`
	By    string    `json:"by"` // "" where an older gogi did not ask
	Pairs []int     `json:"pairs"`
	// Before and After are the test just before and just after; null where the run has
	// none.
	Before *Tested `json:"before"`
	After  *Tested `json:"after"`
}

// Tested is what a sequential test had found at one moment.
type Tested struct {
	LLR      *float64       `json:"llr"`
	Pairs    int            `json:"pairs"` // that it rests on
	Decision stats.Decision `json:"decision"`
}

// Withdrawn is the decision that had been told and did not stand without the pairs;
// [stats.Continue] where there was none, or it stood.
func (v *Voiding) Withdrawn() stats.Decision {
	if v.Before == nil || v.After == nil || v.Before.Decision == v.After.Decision {
		return stats.Continue
	}
	return v.Before.Decision
}

// Remarks are the voiding in words, a line each, that begin small and end without a stop.
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
	lines = append(lines, i18n.Of("counted anew without what was voided: LLR %s before, %s after", format.Decimal(v.Before.LLR, 3), format.Decimal(v.After.LLR, 3)))
	if told := v.Withdrawn(); told != stats.Continue {
		lines = append(lines, withdrawal(told))
	}
	return lines
}

// withdrawal says that a decision does not stand any more.
func withdrawal(told stats.Decision) i18n.Message {
	switch told {
	case stats.Pass:
		return i18n.Of("the verdict told before, pass, is withdrawn: pairs that it rested on were voided")
	case stats.Inconclusive:
		return i18n.Of("the verdict told before, inconclusive, is withdrawn: pairs that it rested on were voided")
	case stats.Fail, stats.Continue:
	}
	return i18n.Of("the verdict told before, fail, is withdrawn: pairs that it rested on were voided")
}

// withdrawn is the last decision of the run's test that was told and withdrawn, unless it
// has been reached again; [stats.Continue] where there is none.
func (r *Report) withdrawn() stats.Decision {
	for i := len(r.Voided) - 1; i >= 0 && r.Gate != nil; i-- {
		if told := r.Voided[i].Withdrawn(); told != stats.Continue && told != r.Gate.Decision {
			return told
		} else if told != stats.Continue {
			break
		}
	}
	return stats.Continue
}
