package binomial

import (
	"cmp"
	"fmt"
	"slices"
)

// A Correction is the name of a method to adjust p values when several tests are made.
type Correction string

// These are the corrections for several tests. Bonferroni, Holm, Hochberg and Hommel limit the probability of any false
// claim. The other two limit the expected share of false claims. Bonferroni, Holm and BenjaminiYekutieli are valid for
// any dependence between the tests. The others need independence or positive dependence.
const (
	Bonferroni         Correction = "bonferroni"
	Holm               Correction = "holm" // never worse than Bonferroni
	Hochberg           Correction = "hochberg"
	Hommel             Correction = "hommel"
	BenjaminiHochberg  Correction = "bh"
	BenjaminiYekutieli Correction = "by"
)

// Adjust returns the adjusted p values in the order of p, as R's p.adjust does. The caller may compare each
// adjusted p value with alpha as if it were the only one. Adjust returns an error for a p value outside [0,
// 1] and for an unknown correction.
func (c Correction) Adjust(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, x := range p {
		if !(x >= 0 && x <= 1) {
			return nil, fmt.Errorf("p value %v is not in [0, 1]", x)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	sorted := make([]float64, len(p))
	for i, at := range order {
		sorted[i] = p[at]
	}
	adjusted, err := c.ascending(sorted)
	if err != nil {
		return nil, err
	}
	result := make([]float64, len(p))
	for i, at := range order {
		result[at] = min(1, adjusted[i])
	}
	return result, nil
}

// ascending adjusts p values that are in ascending order.
func (c Correction) ascending(p []float64) ([]float64, error) {
	n := float64(len(p))
	switch c {
	case Bonferroni:
		return scaled(p, func(float64) float64 { return n }), nil
	case Holm:
		return runningMax(scaled(p, func(rank float64) float64 { return n - rank + 1 })), nil
	case Hochberg:
		return runningMin(scaled(p, func(rank float64) float64 { return n - rank + 1 })), nil
	case BenjaminiHochberg:
		return runningMin(scaled(p, func(rank float64) float64 { return n / rank })), nil
	case BenjaminiYekutieli:
		harmonic := 0.0
		for i := range p {
			harmonic += 1 / float64(i+1)
		}
		return runningMin(scaled(p, func(rank float64) float64 { return harmonic * n / rank })), nil
	case Hommel:
		return hommel(p), nil
	}
	return nil, fmt.Errorf("unknown correction %q", string(c))
}

// scaled multiplies each p value by factor(rank). The first rank is 1.
func scaled(p []float64, factor func(rank float64) float64) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i] = factor(float64(i+1)) * x
	}
	return out
}

func runningMax(p []float64) []float64 {
	for i := 1; i < len(p); i++ {
		p[i] = max(p[i], p[i-1])
	}
	return p
}

func runningMin(p []float64) []float64 {
	for i := len(p) - 2; i >= 0; i-- {
		p[i] = min(p[i], p[i+1])
	}
	return p
}

// hommel adjusts p values by Hommel's procedure in Wright's algorithm (1992). The adjusted value of p is the
// largest p value of Simes' test over all sets of hypotheses that contain p.
func hommel(p []float64) []float64 {
	n := len(p)
	adjusted := slices.Clone(p)
	simes := func(p []float64, m int) float64 { // of the largest values, which have the ranks 2 to m
		least := 1.0
		for i, x := range p {
			least = min(least, float64(m)*x/float64(m-len(p)+i+1))
		}
		return least
	}
	for m := n; m > 1; m-- {
		low, high := n-m+1, n // the m-1 largest values; a set of m also has one smaller value p[i]
		c := simes(p[low:high], m)
		for i := range p {
			bound := c
			if i < low {
				bound = min(c, float64(m)*p[i])
			}
			adjusted[i] = max(adjusted[i], bound)
		}
	}
	return adjusted
}
