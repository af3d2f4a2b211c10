package voting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gogi/internal/lists"
)

// A Tie is a tie-break: a criterion that orders candidates of equal value. A chain of them applies in order.
type Tie string

// The tie-breaks.
const (
	TieScore    Tie = "score"    // the best score of the move's backers, as log odds
	TieMember   Tie = "member"   // the lowest index among the move's backers
	TieWeight   Tie = "weight"   // the largest weight among the move's backers
	TieSum      Tie = "sum"      // the sum of the backers' weights
	TieCount    Tie = "count"    // the number of backers
	TieLeader   Tie = "leader"   // whether the member with the largest weight of all backs the move
	TiePrevious Tie = "previous" // the number of backers whose vote was last adopted
	TieRandom   Tie = "random"   // a random order from the game's seed and the number of the decision
)

// DefaultTies returns the chain of tie-breaks of a council whose configuration has none.
func DefaultTies() []Tie { return []Tie{TieScore, TieMember} }

// TieNames returns the names of all tie-breaks.
func TieNames() []string {
	return []string{
		string(TieScore), string(TieMember), string(TieWeight), string(TieSum), string(TieCount),
		string(TieLeader), string(TiePrevious), string(TieRandom),
	}
}

// ParseTies parses a chain such as "weight,score,member".
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

// ordering compares candidates first by value, then by each tie-break of the chain. At last it compares the
// first backer of each.
type ordering struct {
	chain    []Tie
	weights  []float64
	leader   int
	previous []int // the members whose vote was last adopted
	seed     uint64
	exact    bool // Settings.Exact
}

// sums returns a negative number if a is the larger sum, a positive number if b is, and 0 for equal sums. So a sort
// puts larger sums first.
func (o *ordering) sums(a, b float64) int { return compareSums(b, a, o.exact) }

// compare returns a negative number if a comes before b. It also returns the tie-break that decided, or "" if
// the values decided.
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

// first returns the first backer. For a candidate without backers it returns a number larger than any
// member's index.
func first(c *Candidate) int {
	if len(c.Backers) == 0 {
		return 1 << 30
	}
	return c.Backers[0]
}

// count returns the number of elements of list that are in set.
func count(list, set []int) int {
	return lists.Count(list, func(i int) bool { return slices.Contains(set, i) })
}

// relativeRounding and absoluteRounding are the limits within which two sums count as equal, so 0.1 + 0.2 equals 0.3.
// One of the two limits is enough. Real rounding errors are a thousand times smaller, for any possible number of
// members and decisions.
const (
	relativeRounding = 1e-9
	absoluteRounding = 1e-12
)

// CompareSums returns a negative number if a is the smaller sum, and a positive number if b is. It returns 0
// if the sums differ only by rounding. All sums of weights, points and evaluations are compared with it.
func CompareSums(a, b float64) int {
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return cmp.Compare(a, b)
	}
	if d := math.Abs(a - b); d <= absoluteRounding || d <= relativeRounding*max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return cmp.Compare(a, b)
}

// compareSums compares two sums. Its result has the same meaning as that of CompareSums. With exact it compares the
// sums bit by bit.
func compareSums(a, b float64, exact bool) int {
	if exact {
		return cmp.Compare(a, b)
	}
	return CompareSums(a, b)
}
