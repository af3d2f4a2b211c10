package trust

import "gogi/stats/binomial"

// Failing counts how often engines failed in one test, for some workers and for the others.
type Failing struct {
	Tries, Failed             int // for the workers in question
	OthersTries, OthersFailed int
}

// Worse returns the probability that the workers in question fail at least as often as they did, if in
// each test they fail as often as the others. It is the exact test of Fisher over tests, each a table of
// two by two with its margins given. A test in which all engines crash is therefore no evidence against
// the workers that play more of it. It is 1 without anything to compare.
func Worse(tests []Failing) float64 {
	sum := []float64{1} // how likely each number of failures is in all
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

// chances returns how likely 0, 1, … of the test's failures fall to the workers that are
// looked at, if chance alone deals them: the hypergeometric distribution.
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
