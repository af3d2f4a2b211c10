package trust

import "gogi/stats/binomial"

// Failing counts how often engines failed in one test, separately for a group of workers and for the other
// workers.
type Failing struct {
	Tries, Failed             int // for the first group of workers
	OthersTries, OthersFailed int
}

// Worse returns the p value of the hypothesis that a group of workers fails as often as the other workers in each
// test. It is the probability that the group then has at least as many failures as it had. It is Fisher's exact
// test over several tests, each with a two by two table with fixed margins. If all engines crash in one test, this
// is no evidence against the workers that played most of that test. Worse returns 1 if there is nothing to
// compare.
func Worse(tests []Failing) float64 {
	sum := []float64{1} // probability of each total number of failures
	failed := 0
	for _, t := range tests {
		sum = convolve(sum, t.chances())
		failed += t.Failed
	}
	p := 0.0
	for i := failed; i < len(sum); i++ {
		p += sum[i]
	}
	return min(p, 1)
}

// chances returns the probabilities that 0, 1, … of the test's failures happen to the workers of the group,
// if only chance distributes the failures. This is the hypergeometric distribution.
func (f Failing) chances() []float64 {
	all, bad, drawn := f.Tries+f.OthersTries, f.Failed+f.OthersFailed, f.Tries
	out := make([]float64, min(bad, drawn)+1)
	for k := max(0, bad+drawn-all); k < len(out); k++ {
		out[k] = binomial.Hypergeometric(all, bad, drawn, k)
	}
	return out
}

func convolve(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			out[i+j] += x * y
		}
	}
	return out
}
