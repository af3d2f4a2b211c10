package report

import (
	"strings"
	"time"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/phrases"
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
func (v *Voiding) Remarks() []phrases.Said {
	pairs, why := phrases.Number{N: len(v.Pairs), Noun: "pair"}, strings.TrimRight(foreign.Printable(v.Why, 200), ".")
	lines := []phrases.Said{phrases.Of("%s voided: %s", pairs, why)}
	if v.By != "" {
		lines[0] = phrases.Of("%s voided by %s: %s", pairs, foreign.Printable(v.By, 40), why)
	}
	if v.Before == nil || v.After == nil {
		return lines
	}
	them := phrases.Of("them")
	if len(v.Pairs) == 1 {
		them = phrases.Of("it")
	}
	counted := phrases.Of("counted anew without %s: LLR %s before, %s after", them, format.Decimal(v.Before.LLR, 3), format.Decimal(v.After.LLR, 3))
	if told := v.Withdrawn(); told != stats.Continue {
		counted = phrases.Of("%s; the verdict told before, %s, is withdrawn", counted, phrases.Of(string(told)))
	}
	return append(lines, counted)
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
