package report

import (
	"fmt"
	"math"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// Finding is the result of one step of a bisection, which searches for the commit that made an engine weaker.
// A is the engine built from the current commit.
type Finding int

// The findings of a bisection.
const (
	Unclear   Finding = iota // the games do not decide
	Weaker                   // A is shown to be weaker than B
	NotWeaker                // there are enough games, and they do not show that A is weaker
)

// LeastPairs returns the smallest number of pairs that can give a significant result in a one-sided test at
// the level alpha. Each pair has its own opening. If the players are equal, a given player wins all of n
// pairs with a probability of at most 2 to the power of -n.
func LeastPairs(alpha float64) int { return int(math.Ceil(-math.Log2(alpha))) }

// Worse returns whether A is weaker than B, and the reason as text. It uses the run's gate (sequential test)
// if there is one. Otherwise it uses the exact test over openings, one-sided at the significance level alpha.
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

// worse returns whether A is weaker than B by the sequential test, and the reason as text.
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

// Doubt changes the results of games that a fault decided, if these results support the finding f. The caller
// then tests the changed pairs. If that test has the same finding, the finding does not depend on these
// faults.
//
// If f is NotWeaker, Doubt makes B the winner of the games that B lost by a fault. If f is Weaker, it makes A
// the winner of the games in which A crashed before its first move, because these games show nothing about
// A's play.
func (f Finding) Doubt(rows []match.Row) {
	for i := range rows {
		r := &rows[i]
		winner, ok := r.Outcome.Winner()
		if !ok {
			continue
		}
		loser := winner.Opponent()
		byB := f == NotWeaker && LoserOf(*r) == r.PairB && r.Termination.IsFault()
		// If the side to move has not moved yet, the game has at most one move after the opening.
		byA := f == Weaker && LoserOf(*r) == r.PairA && r.Termination == match.Crash && r.Plies-r.OpeningPlies <= 1
		if byA || byB {
			r.Outcome, r.Points = match.WinFor(loser), [2]float64{}
			r.Points[loser] = 1
		}
	}
}

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
