package report

import (
	"fmt"

	"gogi/internal/format"
)

// Finding is what a bisection learns of A, whose engine is the commit at hand.
type Finding int

// The findings of a bisection.
const (
	Unclear   Finding = iota // the games cannot tell
	Weaker                   // A is shown to be weaker than B
	NotWeaker                // it is not
)

// bisectAlpha is the error that a commit is called worse with.
const bisectAlpha = 0.05

// bisectOpenings is the least number of openings in which one side's winning all of them
// is significant: 2 to the power of -5 is below 5%.
const bisectOpenings = 5

// Worse says whether A is weaker than B: by the run's gate where it has one, else by
// the exact test over openings, one-sided.
func (r *Report) Worse() (f Finding, why string) {
	if g := r.Gate; g != nil {
		return g.worse()
	}
	test := r.weaker
	switch {
	case test.err != nil:
		return Unclear, test.err.Error()
	case r.mostlySlowed():
		return Unclear, r.Slowed() + ", so that the result may be its doing"
	case test.Significant(bisectAlpha):
		return Weaker, fmt.Sprintf("%s is weaker than %s, p = %s one-sided", r.A, r.B, format.PValue(test.P))
	case r.Dependence.Openings < bisectOpenings:
		return Unclear, fmt.Sprintf("%s are too few to show a difference (at least %d)", format.NumberOf(r.Dependence.Openings, "opening"), bisectOpenings)
	}
	return NotWeaker, fmt.Sprintf("%s is not shown to be weaker than %s, p = %s one-sided", r.A, r.B, format.PValue(test.P))
}

// worse is the verdict of a sequential test.
func (g *Gate) worse() (f Finding, why string) {
	why = fmt.Sprintf("%s: %s", g.Design, g.Verdict)
	switch g.Verdict {
	case Passed:
		return NotWeaker, why
	case Failed:
		return Weaker, why
	}
	for _, reason := range g.Because {
		why += "; " + reason
	}
	return Unclear, why
}
