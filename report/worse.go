package report

import (
	"fmt"
	"math"

	"gogi/internal/format"
	"gogi/match"
)

// Finding is what a bisection learns of A, whose engine is the commit at hand.
type Finding int

// The findings of a bisection.
const (
	Unclear   Finding = iota // the games cannot tell
	Weaker                   // A is shown to be weaker than B
	NotWeaker                // it is not
)

// LeastPairs is how many pairs, each from an opening of its own, it takes to show
// anything at a level: one side's winning all of n happens between equals with
// probability 2 to the power of -n.
func LeastPairs(alpha float64) int { return int(math.Ceil(-math.Log2(alpha))) }

// Worse says whether A is weaker than B: by the run's gate where it has one, else by
// the exact test over openings, one-sided at the level alpha.
func (r *Report) Worse(alpha float64) (f Finding, why string) {
	if g := r.Gate; g != nil {
		return g.worse()
	}
	test := r.weaker
	switch {
	case test.err != nil:
		return Unclear, test.err.Error()
	case r.mostlySlowed():
		return Unclear, r.Slowed().String() + ", so that the result may be its doing"
	case test.Significant(alpha):
		return Weaker, fmt.Sprintf("%s is weaker than %s, p = %s one-sided against %.3g", r.A, r.B, format.PValue(test.P), alpha)
	case r.Dependence.Openings < LeastPairs(alpha):
		return Unclear, fmt.Sprintf("%s are too few to show a difference (at least %d)", format.NumberOf(r.Dependence.Openings, "opening"), LeastPairs(alpha))
	}
	return NotWeaker, fmt.Sprintf("%s is not shown to be weaker than %s, p = %s one-sided against %.3g", r.A, r.B, format.PValue(test.P), alpha)
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
		why += "; " + reason.String()
	}
	return Unclear, why
}

// Doubt turns the games of a pair that a finding must not rest on against it. A that
// is not weaker shall not owe it to games that B lost by a fault: B wins them. A that
// is weaker shall not be so by having crashed before its first move, which says
// nothing of its play: A wins those. A finding that holds of such pairs, too, is sound.
func (f Finding) Doubt(rows []match.Row) {
	for i := range rows {
		r := &rows[i]
		winner, ok := r.Outcome.Winner()
		if !ok {
			continue
		}
		loser := winner.Opponent()
		byB := f == NotWeaker && LoserOf(*r) == r.PairB && r.Termination.IsFault()
		// Who is to move and has not moved has seen one move at most.
		byA := f == Weaker && LoserOf(*r) == r.PairA && r.Termination == match.Crash && r.Plies-r.OpeningPlies <= 1
		if byA || byB {
			r.Outcome, r.Points = match.WinFor(loser), [2]float64{}
			r.Points[loser] = 1
		}
	}
}
