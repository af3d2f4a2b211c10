package voting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tie is one level of the chain that orders candidates of equal value.
type Tie string

// The levels.
const (
	TieScore    Tie = "score"    // the best score among its backers, calibrated
	TieMember   Tie = "member"   // the first member that backs it
	TieWeight   Tie = "weight"   // its heaviest single backer
	TieSum      Tie = "sum"      // the sum of its backers' weights
	TieCount    Tie = "count"    // the number of its backers
	TieLeader   Tie = "leader"   // backed by the heaviest member of all
	TiePrevious Tie = "previous" // backed by more of those whose vote was adopted last
	TieRandom   Tie = "random"   // drawn from the game's seed and the number of the decision
)

// DefaultTies returns the chain of a council that names none.
func DefaultTies() []Tie { return []Tie{TieScore, TieMember} }

// TieNames lists the levels.
func TieNames() []string {
	return []string{
		string(TieScore), string(TieMember), string(TieWeight), string(TieSum), string(TieCount),
		string(TieLeader), string(TiePrevious), string(TieRandom),
	}
}

// ParseTies reads a chain such as "weight,score,member".
func ParseTies(text string) ([]Tie, error) {
	var chain []Tie
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if !slices.Contains(TieNames(), part) {
			return nil, fmt.Errorf("there is no tie-break %q: expected a list of %s", part, strings.Join(TieNames(), ", "))
		}
		chain = append(chain, Tie(part))
	}
	return chain, nil
}

// ordering compares candidates: first by value, then along the chain, which the first member of each ends.
type ordering struct {
	chain    []Tie
	weights  []float64
	leader   int
	previous []int // whose vote was adopted last
	seed     uint64
	exact    bool // Settings.Exact
}

// sums compares two sums, the larger one first.
func (o *ordering) sums(a, b float64) int { return compareSums(b, a, o.exact) }

// compare is negative if a comes first; it also returns the level that decided. "" is the value itself.
func (o *ordering) compare(a, b *Candidate) (int, Tie) {
	if c := o.sums(a.Value, b.Value); c != 0 {
		return c, ""
	}
	for _, level := range o.chain {
		if c := o.level(level, a, b); c != 0 {
			return c, level
		}
	}
	if c := o.level(TieMember, a, b); c != 0 {
		return c, TieMember
	}
	return cmp.Compare(a.Move, b.Move), TieMember // moves without votes
}

func (o *ordering) level(level Tie, a, b *Candidate) int {
	switch level {
	case TieScore:
		return o.sums(a.Best, b.Best)
	case TieWeight:
		return o.sums(o.heaviest(a), o.heaviest(b))
	case TieSum:
		return o.sums(a.Weight, b.Weight)
	case TieCount:
		return cmp.Compare(b.Count(), a.Count())
	case TieLeader:
		return cmp.Compare(count(b.Backers, []int{o.leader}), count(a.Backers, []int{o.leader}))
	case TiePrevious:
		return cmp.Compare(count(b.Backers, o.previous), count(a.Backers, o.previous))
	case TieRandom:
		return cmp.Compare(Mix(o.seed, uint64(a.Move)), Mix(o.seed, uint64(b.Move)))
	case TieMember:
	}
	return cmp.Compare(first(a), first(b))
}

func (o *ordering) heaviest(c *Candidate) float64 {
	w := -1.0
	for _, i := range c.Backers {
		w = max(w, o.weights[i])
	}
	return w
}

// first returns the first backer, or a number after all members without one.
func first(c *Candidate) int {
	if len(c.Backers) == 0 {
		return 1 << 30
	}
	return c.Backers[0]
}

// count returns how many of list are in set.
func count(list, set []int) int {
	n := 0
	for _, i := range list {
		if slices.Contains(set, i) {
			n++
		}
	}
	return n
}

// Two sums are equal that differ by less than this, relative to the larger one or in itself: 0.1 + 0.2 is
// 0.3. Rounding is a thousandth of it for as many members and decisions as there can be.
const (
	relativeRounding = 1e-9
	absoluteRounding = 1e-12
)

// CompareSums is negative if a is the smaller sum, positive if b is, and 0 if they differ by rounding alone.
// All sums of weights, points and evaluations are compared by it.
func CompareSums(a, b float64) int {
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return cmp.Compare(a, b)
	}
	if d := math.Abs(a - b); d <= absoluteRounding || d <= relativeRounding*max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return cmp.Compare(a, b)
}

// compareSums compares bit by bit under settings that are exact.
func compareSums(a, b float64, exact bool) int {
	if exact {
		return cmp.Compare(a, b)
	}
	return CompareSums(a, b)
}
