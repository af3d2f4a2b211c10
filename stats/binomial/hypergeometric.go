package binomial

import "math"

// Hypergeometric is how likely k of drawn things are bad that are drawn at random, without
// putting any back, from so many of which bad are bad; 0 where that cannot be. Its sums
// over k are R. A. Fisher's exact test (1934) of a table of two by two.
func Hypergeometric(all, bad, drawn, k int) float64 {
	if k < max(0, bad+drawn-all) || k > min(bad, drawn) {
		return 0
	}
	return math.Exp(lnChoose(bad, k) + lnChoose(all-bad, drawn-k) - lnChoose(all, drawn))
}

// lnChoose is the logarithm of a binomial coefficient.
func lnChoose(n, k int) float64 { return lnFactorial(n) - lnFactorial(k) - lnFactorial(n-k) }

func lnFactorial(n int) float64 {
	ln, _ := math.Lgamma(float64(n) + 1)
	return ln
}
