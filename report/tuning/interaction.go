package tuning

import (
	"cmp"
	"math"
	"slices"

	"gogi/internal/i18n"
	"gogi/match/tune"
	"gogi/stats/binomial"
)

// Interaction is the evidence from the probes that two parameters interact.
type Interaction struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	Correlation float64 `json:"correlation"` // correlation of the product of their signs with W − L, see tune.Coupled
	P           float64 `json:"p"`           // two-sided, adjusted over all pairs (Holm)
}

// couples are pairs of parameters, the most correlated first, at most so many.
func couples(a *Account, most int) []Interaction {
	list := []Interaction{}
	params, which := a.Plan.Settings.Params, perturbed(&a.Plan.Settings)
	if len(params) > tune.MaxCoupled || a.Coupled.Probes < 3 {
		return list
	}
	var p []float64
	for n, i := range which {
		for _, j := range which[n+1:] {
			r := a.Coupled.Correlation(i, j, len(params))
			list = append(list, Interaction{A: params[i].Name, B: params[j].Name, Correlation: r})
			p = append(p, math.Erfc(math.Abs(r)*math.Sqrt(float64(a.Coupled.Probes)/2)))
		}
	}
	adjusted, err := binomial.Holm.Adjust(p)
	for i := range list {
		if list[i].P = 1; err == nil {
			list[i].P = adjusted[i]
		}
	}
	slices.SortStableFunc(list, func(x, y Interaction) int { return cmp.Compare(math.Abs(y.Correlation), math.Abs(x.Correlation)) })
	return list[:min(len(list), most)]
}

// perturbed are the indices of the parameters that have a direction.
func perturbed(s *tune.Settings) (list []int) {
	for i := range s.Params {
		if p := &s.Params[i]; !p.Unused && p.Kind != tune.Choice {
			list = append(list, i)
		}
	}
	return list
}

// told returns the interaction in a line.
func (c *Interaction) told() i18n.Message {
	return i18n.Of("%s and %s work together: r = %+.2f in the probes* (p = %.2g)", c.A, c.B, c.Correlation, c.P)
}

// failures are the lines of parameters whose points have failed.
func failures(a *Account) (lines []i18n.Message) {
	for _, i := range perturbed(&a.Plan.Settings) {
		f := a.Failed[i]
		if f.Above+f.Below > 0 {
			lines = append(lines, i18n.Of("%s: %d of %d points above its centre failed, %d of %d below",
				a.Plan.Settings.Params[i].Name, f.Above, f.OfAbove, f.Below, f.OfBelow))
		}
	}
	return lines
}
