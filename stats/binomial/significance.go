package binomial

import (
	"fmt"
	"math"
)

// Alternative is what a test holds against its null hypothesis.
type Alternative string

// The alternatives, from A's side.
const (
	TwoSided Alternative = "two_sided" // A is stronger or weaker
	Greater  Alternative = "greater"   // A is stronger
	Less     Alternative = "less"      // A is weaker
)

// Check fails for all but the three.
func (a Alternative) Check() error {
	switch a {
	case TwoSided, Greater, Less:
		return nil
	}
	return fmt.Errorf("unknown alternative %q", string(a))
}

// Tail is how much of the error probability alpha is on one side.
func (a Alternative) Tail(alpha float64) float64 {
	if a == TwoSided {
		return alpha / 2
	}
	return alpha
}

// Test is what a significance test says.
type Test struct {
	Method      string      `json:"method"` // binomial_exact, binomial_mid_p, pair_sign_flip
	Alternative Alternative `json:"alternative"`
	N           int         `json:"n"`               // units judged: decisive games, or pairs
	P           float64     `json:"p"`               // p value in [0, 1]; with ever fewer digits below 1e-308, 0 below 1e-323
	Draws       DrawRule    `json:"draws,omitempty"` // the convention, where the games came from [Counted]
}

// Significant reports whether the p value is at most alpha. (It forgives a
// rounding error, as p values such as 1/32 may be exactly alpha.)
func (t Test) Significant(alpha float64) bool { return t.P <= alpha*(1+1e-12) }

// Exact is the exact test of the null hypothesis that each of n games is
// won with probability p0, after k wins. Draws do not belong in n: half points
// in a binomial test make its p value wrong. The two-sided p value is the
// probability, under p0, of all counts no more probable than k (as R's
// binom.test and scipy's binomtest give it); for p0 = ½ that is twice the
// smaller tail. It fails for impossible counts, n = 0, and p0 outside (0, 1).
func Exact(k, n int, p0 float64, alt Alternative) (Test, error) {
	if err := CheckCounts(k, n); err != nil {
		return Test{}, err
	}
	if err := CheckOpen("null probability", p0); err != nil {
		return Test{}, err
	}
	if err := alt.Check(); err != nil {
		return Test{}, err
	}
	return Test{Method: "binomial_exact", Alternative: alt, N: n, P: NewBinomial(n, p0).pValue(k, alt)}, nil
}

func (b Binomial) pValue(k int, alt Alternative) float64 {
	switch {
	case alt == Greater:
		return b.AtLeast(k)
	case alt == Less:
		return b.AtMost(k)
	case b.p == b.q:
		return BothTails(b.AtLeast(k), b.AtMost(k))
	case float64(k) < float64(b.n)*b.p:
		return b.mirror().noMoreProbable(b.n - k)
	}
	return b.noMoreProbable(k)
}

// BothTails is the two-sided p value, twice the smaller tail but 1 at most, of the
// probabilities of a result at least and at most as large as the one seen.
func BothTails(ge, le float64) float64 { return min(1, 2*min(ge, le)) }

// noMoreProbable is the probability of all counts no more probable than a k at
// or above the mean: its upper tail, and the lower tail up to the last count
// that is as rare.
func (b Binomial) noMoreProbable(k int) float64 {
	const tie = 1 + 1e-7 // R's allowance for rounding
	limit := b.At(k) * tie
	below, mode := -1, min(b.n, int(float64(b.n+1)*b.p))
	if b.At(mode) <= limit {
		return 1
	}
	for below+1 < mode {
		mid := below + (mode-below)/2
		if b.At(mid) <= limit {
			below = mid
		} else {
			mode = mid
		}
	}
	return min(1, b.AtLeast(k)+b.AtMost(below))
}

// CriticalWins is the smallest number of wins of n decisive games that shows A
// stronger at level alpha, by the exact test against ½ (one-sided for Greater,
// two-sided for TwoSided). For Less it is the largest number that shows A
// weaker. ok is false where no number would: the series is too short, or the
// arguments are impossible.
func CriticalWins(n int, alpha float64, alt Alternative) (k int, ok bool) {
	if n <= 0 || CheckOpen("alpha", alpha) != nil || alt.Check() != nil {
		return 0, false
	}
	if alt == Less {
		k, ok = CriticalWins(n, alpha, Greater)
		return n - k, ok
	}
	alpha = alt.Tail(alpha)
	b := NewBinomial(n, 0.5)
	significant := func(k int) bool { return Test{P: b.AtLeast(k)}.Significant(alpha) }
	if !significant(n) {
		return 0, false
	}
	lo, hi := 0, n // not significant, significant
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if significant(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}

// NormalCriticalWins is [CriticalWins] by the normal approximation without
// continuity correction: the first count at least n/2 + z√n/2. It is here to
// explain numbers that are often quoted: 537 of 1000 at one-sided 1 % are
// significant by it, and not by the exact test, which needs 538; in half of all
// cases it is one win too few.
func NormalCriticalWins(n int, alpha float64, alt Alternative) (k int, ok bool) {
	if n <= 0 || CheckOpen("alpha", alpha) != nil || alt.Check() != nil {
		return 0, false
	}
	if alt == Less {
		k, ok = NormalCriticalWins(n, alpha, Greater)
		return n - k, ok
	}
	alpha = alt.Tail(alpha)
	limit := float64(n)/2 + ZAbove(alpha)*math.Sqrt(float64(n))/2
	if !(limit <= float64(n)) {
		return 0, false
	}
	return max(0, int(math.Ceil(limit))), true
}
