package binomial

import (
	"errors"
	"fmt"
	"math"
)

// A Binomial is the distribution of the number X of successes in n trials. It stores q = 1-p in addition to
// p. If p is small, calculating 1-q later would lose digits of p.
type Binomial struct {
	n    int
	p, q float64
}

// NewBinomial returns the distribution of the number of successes in n trials, each with the success
// probability p. It does not check that n is at least 0 and that p is in [0, 1].
func NewBinomial(n int, p float64) Binomial { return Binomial{n, p, 1 - p} }

// mirror returns the distribution of the number of failures.
func (b Binomial) mirror() Binomial { return Binomial{b.n, b.q, b.p} }

// AtMost returns P(X <= k), the probability of at most k successes.
func (b Binomial) AtMost(k int) float64 { return b.mirror().AtLeast(b.n - k) }

// AtLeast returns P(X >= k), the probability of at least k successes. It adds terms from the mean outwards,
// in the direction in which they shrink. A probability of 1e-24 therefore has as many correct digits as one
// of 0.5. (The difference 1 - P(X < k) would have an absolute error of 1e-16.) AtLeast takes O(√n) steps.
func (b Binomial) AtLeast(k int) float64 {
	switch {
	case k <= 0:
		return 1
	case k > b.n || b.p == 0:
		return 0
	case float64(k) <= float64(b.n)*b.p:
		return 1 - b.AtMost(k-1)
	}
	term := b.At(k)
	sum := term
	for i := k; i < b.n && term > sum*1e-18; i++ {
		term *= float64(b.n-i) / float64(i+1) * b.p / b.q
		sum += term
	}
	return min(1, sum)
}

// UpperTails returns P(X >= k) for k = 0 … n. It adds the smallest terms first, beginning at k = n.
func (b Binomial) UpperTails() []float64 {
	tails := make([]float64, b.n+1)
	sum := 0.0
	for k := b.n; k >= 0; k-- {
		sum += b.At(k)
		tails[k] = sum
	}
	return tails
}

// At returns P(X = k), the probability of exactly k successes, by Loader's saddle-point expansion (2000,
// "Fast and accurate computation of binomial probabilities"). The expansion is accurate even for a million
// trials, for which a difference of log-gammas loses digits.
func (b Binomial) At(k int) float64 {
	n, x := float64(b.n), float64(k)
	switch {
	case k < 0 || k > b.n:
		return 0
	case b.p == 0 || b.q == 0:
		if n*b.p == x {
			return 1
		}
		return 0
	case k == 0:
		return math.Exp(n * logOneMinus(b.p, b.q))
	case k == b.n:
		return math.Exp(n * logOneMinus(b.q, b.p))
	}
	y := n - x
	exponent := stirlingError(n) - stirlingError(x) - stirlingError(y) -
		deviance(x, n*b.p) - deviance(y, n*b.q)
	return math.Exp(exponent) * math.Sqrt(n/(2*math.Pi*x*y))
}

// logOneMinus returns log(1-p), for q = 1-p. It calculates the result from the smaller of p and q, because
// the smaller number has more correct digits.
func logOneMinus(p, q float64) float64 {
	if p < q {
		return math.Log1p(-p)
	}
	return math.Log(q)
}

// stirlingError returns log(n!) minus Stirling's approximation.
func stirlingError(n float64) float64 {
	if n < 16 {
		lg, _ := math.Lgamma(n + 1)
		return lg - (n+0.5)*math.Log(n) + n - 0.5*math.Log(2*math.Pi)
	}
	nn := n * n
	return (1./12 - (1./360-(1./1260-(1./1680-1./1188/nn)/nn)/nn)/nn) / n
}

// deviance returns x log(x/m) + m - x. If x and m are close, it uses a series, because the terms of the formula would
// lose digits.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	sum := (x - m) * v
	term := 2 * x * v
	for j := 3.0; ; j += 2 {
		term *= v * v
		next := sum + term/j
		if next == sum {
			return sum
		}
		sum = next
	}
}

// Root returns the zero of an increasing function f between lo and hi. It bisects the range until no
// floating-point number is left between its ends.
func Root(lo, hi float64, f func(float64) float64) float64 {
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if f(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// CheckCounts returns an error unless n is positive and k is from 0 to n.
func CheckCounts(k, n int) error {
	switch {
	case n == 0:
		return errors.New("no games to judge by")
	case n < 0 || k < 0 || k > n:
		return fmt.Errorf("%d wins of %d games is impossible", k, n)
	}
	return nil
}

// CheckOpen returns an error unless x is strictly between 0 and 1. NaN is an error. what is the name of x in
// the error.
func CheckOpen(what string, x float64) error {
	if !(x > 0 && x < 1) {
		return fmt.Errorf("%s %v is not between 0 and 1", what, x)
	}
	return nil
}

func checkSample(k, n int, level float64) error {
	if err := CheckCounts(k, n); err != nil {
		return err
	}
	return CheckOpen("confidence level", level)
}

// Hypergeometric returns the probability that a random sample without replacement has exactly k bad items. all is the
// number of items, bad the number of bad items, and drawn the size of the sample. The result is 0 for an impossible k.
// R. A. Fisher's exact test (1934) of a two by two table sums these probabilities.
func Hypergeometric(all, bad, drawn, k int) float64 {
	if k < max(0, bad+drawn-all) || k > min(bad, drawn) {
		return 0
	}
	return math.Exp(lnChoose(bad, k) + lnChoose(all-bad, drawn-k) - lnChoose(all, drawn))
}

// lnChoose returns the logarithm of a binomial coefficient.
func lnChoose(n, k int) float64 { return lnFactorial(n) - lnFactorial(k) - lnFactorial(n-k) }

func lnFactorial(n int) float64 {
	ln, _ := math.Lgamma(float64(n) + 1)
	return ln
}
