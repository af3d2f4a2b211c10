package report

import (
	"fmt"

	"gogi/internal/format"
	"gogi/stats"
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

// bisectPairs is the least number of pairs in which one side's winning all of
// them is significant: 2 to the power of -5 is below 5%.
const bisectPairs = 5

// Worse says whether A is weaker than B: by the run's gate where it has one, else by
// the exact test over pairs, one-sided.
func (r *Report) Worse() (f Finding, why string) {
	if g := r.Gate; g != nil {
		return g.worse()
	}
	test, err := r.tally.SignFlip(stats.Less)
	if err != nil {
		k, n := r.tally.Total().Decisive()
		test, err = stats.BinomialTest(k, n, 0.5, stats.Less)
	}
	switch {
	case err != nil:
		return Unclear, err.Error()
	case test.Significant(bisectAlpha):
		return Weaker, fmt.Sprintf("%s is weaker than %s, p = %s one-sided", r.A, r.B, format.PValue(test.P))
	case r.Pairs < bisectPairs:
		return Unclear, fmt.Sprintf("%d pairs are too few to show a difference (at least %d)", r.Pairs, bisectPairs)
	}
	return NotWeaker, fmt.Sprintf("%s is not shown to be weaker than %s, p = %s one-sided", r.A, r.B, format.PValue(test.P))
}

// worse is the verdict of a sequential test.
func (g *Gate) worse() (f Finding, why string) {
	why = fmt.Sprintf("%s: %s", g.Design, g.Decision)
	switch g.Decision {
	case stats.Pass:
		return NotWeaker, why
	case stats.Fail:
		return Weaker, why
	case stats.Continue, stats.Inconclusive:
	}
	return Unclear, why
}
