package binomial

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

// An Alternative is the hypothesis that a test accepts if it rejects the null hypothesis, such as "A is
// stronger".
type Alternative string

// The alternatives of a test, for player A.
const (
	TwoSided Alternative = "two_sided" // A is stronger or weaker
	Greater  Alternative = "greater"   // A is stronger
	Less     Alternative = "less"      // A is weaker
)

// Check returns an error for an unknown alternative.
func (a Alternative) Check() error {
	switch a {
	case TwoSided, Greater, Less:
		return nil
	}
	return fmt.Errorf("unknown alternative %q", string(a))
}

// Tail returns the error probability for one tail of a test with the total error probability alpha. It is
// alpha/2 for TwoSided, and alpha for the other alternatives.
func (a Alternative) Tail(alpha float64) float64 {
	if a == TwoSided {
		return alpha / 2
	}
	return alpha
}

// Size returns the absolute value of elo, the true Elo difference that a test is to detect. It returns an
// error if elo is 0, is not finite, or has a sign that does not fit the alternative.
func (a Alternative) Size(elo float64) (float64, error) {
	if err := CheckFinite(elo); err != nil {
		return 0, err
	}
	if a == Less || a == TwoSided && elo < 0 {
		elo = -elo
	}
	if !(elo > 0) {
		return 0, errors.New("there is no difference to find on that side")
	}
	return elo, nil
}

// CheckPower returns an error if no test with the error probability alpha can have this power.
func CheckPower(alpha, power float64, alt Alternative) error {
	if err := errors.Join(CheckOpen("alpha", alpha), CheckOpen("power", power), alt.Check()); err != nil {
		return err
	}
	if tail := alt.Tail(alpha); tail >= power {
		return fmt.Errorf("power %v is no more than the error rate %v: it takes no games", power, tail)
	}
	return nil
}

// A Test is the result of a significance test.
type Test struct {
	Method      string      `json:"method"` // such as binomial_exact or pair_sign_flip.
	Alternative Alternative `json:"alternative"`
	N           int         `json:"n"` // number of units: decisive games, pairs or openings
	// p value in [0, 1]. Below 1e-308 it has fewer digits; below 1e-323 it is 0.
	P     float64  `json:"p"`
	Draws DrawRule `json:"draws,omitempty"` // the draw rule of a [Counted]
}

// Significant reports whether the p value is at most alpha. (It allows a rounding error, because p values such as 1/32
// may be equal to alpha.)
func (t Test) Significant(alpha float64) bool { return t.P <= alpha*(1+1e-12) }

// Exact tests the null hypothesis that A wins each of n games with probability p0, after A won k games. n
// must not contain draws, because half points make the p value wrong. The two-sided p value is the
// probability, under p0, of all counts that are at most as probable as k. (R's binom.test and scipy's
// binomtest do the same.) For p0 = ½ this is twice the smaller tail. Exact returns an error for impossible
// counts, for n = 0, and for p0 outside (0, 1).
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

// BothTails returns the two-sided p value: twice the smaller of ge and le, but at most 1. ge is the
// probability of a result at least as large as the observed one. le is the probability of a result at most as
// large.
func BothTails(ge, le float64) float64 { return min(1, 2*min(ge, le)) }

// noMoreProbable returns the probability of all counts that are at most as probable as k. k must not be below the mean.
// The result has two parts: the upper tail from k, and the lower tail up to the last count that is at most as probable
// as k.
func (b Binomial) noMoreProbable(k int) float64 {
	const tie = 1 + 1e-7 // R uses the same tolerance for rounding errors
	limit := b.At(k) * tie
	mode := min(b.n, int(float64(b.n+1)*b.p))
	if b.At(mode) <= limit {
		return 1
	}
	below := sort.Search(mode, func(i int) bool { return b.At(i) > limit }) - 1
	return min(1, b.AtLeast(k)+b.AtMost(below))
}

// CriticalWins returns the smallest number of wins in n decisive games that shows A stronger at level alpha.
// The test is the exact test against ½, one-sided for Greater and two-sided for TwoSided. For Less it returns
// the largest number of wins that shows A weaker. ok is false if no number of wins is significant, or if the
// arguments are impossible.
func CriticalWins(n int, alpha float64, alt Alternative) (k int, ok bool) {
	return critical(n, alpha, alt, func(tail float64) int {
		b := NewBinomial(n, 0.5)
		return 1 + sort.Search(n, func(i int) bool { return Test{P: b.AtLeast(i + 1)}.Significant(tail) })
	})
}

// critical returns the critical number of wins. least(tail) returns the smallest number of wins that is significant in
// one tail, or a number above n if there is none.
func critical(n int, alpha float64, alt Alternative, least func(tail float64) int) (k int, ok bool) {
	if n <= 0 || CheckOpen("alpha", alpha) != nil || alt.Check() != nil {
		return 0, false
	}
	if k = least(alt.Tail(alpha)); k > n {
		return 0, false
	}
	if alt == Less {
		k = n - k
	}
	return k, true
}

// NormalCriticalWins is like [CriticalWins], but uses the normal approximation without continuity correction.
// For Greater, the result is the smallest count that is at least n/2 + z√n/2. Use it to explain published
// numbers. For example, at one-sided 1 %, 537 of 1000 wins are significant by this approximation, but the
// exact test needs 538. In half of all cases the result is one win too few.
func NormalCriticalWins(n int, alpha float64, alt Alternative) (k int, ok bool) {
	return critical(n, alpha, alt, func(tail float64) int {
		return max(0, int(math.Ceil(float64(n)/2+ZAbove(tail)*math.Sqrt(float64(n))/2)))
	})
}
