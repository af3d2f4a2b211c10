package binomial

import "math"

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
