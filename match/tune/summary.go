package tune

import (
	"math"

	"gogi/stats/binomial"
)

// Summary has the numbers that gogi prints about a tune. They do not prove that a value plays better:
// intervals and p values describe only the games of the tune.
type Summary struct {
	Method string `json:"method"`
	Pairs  int    `json:"pairs"`  // number of learnt pairs
	Budget int    `json:"budget"` // number of pairs of the plan
	Blocks int    `json:"blocks"` // number of learnt blocks
	// Factor is the controller's factor of the perturbations. Loss is the loss of plus to the centre over
	// all probes, in Elo with its 95 % interval. It is nil without probes.
	Factor   float64            `json:"factor"`
	Loss     *binomial.Interval `json:"loss"`
	Equal    int                `json:"equal"`    // number of duels whose two points were equal
	Forfeits int                `json:"forfeits"` // number of pairs decided because the engine did not start with a point
	Params   []ParamSummary     `json:"params"`
}

// Done reports whether all pairs of the tune are learnt. Its values are final only then: a tune that has stopped
// because no parameter matters can still be resumed.
func (sum *Summary) Done() bool { return sum.Pairs >= sum.Budget }

// ParamSummary has the printed figures of one parameter. Unknown figures are nil.
type ParamSummary struct {
	Name  string   `json:"name"`
	Kind  Kind     `json:"kind"`
	Start float64  `json:"start"`
	Now   float64  `json:"now"`   // current value
	Mean  float64  `json:"mean"`  // the final value, not rounded
	Value string   `json:"value"` // the final value as gogi sends it to the engine
	Error *float64 `json:"error"` // standard error of Mean, from the means of batches of pairs
	// Moved shows whether the results favoured larger (positive) or smaller (negative) values. It is ParamSums.Drift
	// divided by the standard deviation that Drift has for a parameter without effect. P is its two-sided p value,
	// adjusted for the number of parameters (Holm).
	Moved *float64 `json:"moved"`
	P     *float64 `json:"p"`
	// Distinct means that P is below 0.05.
	Distinct bool `json:"distinct"`
	// SensitivityElo is the mean Elo difference between the points Plus and Minus that this parameter causes.
	// Sensitivity is its interval at 95 %.
	Sensitivity    *binomial.Interval `json:"sensitivity"`
	SensitivityElo *float64           `json:"sensitivity_elo"` // Elo that the perturbation of this parameter loses
	Levels         []Level            `json:"levels,omitempty"`
}

// Summarize returns the Summary of a tune at a state.
func Summarize(s *Settings, st *State) Summary {
	sum := Summary{
		Method: s.Method, Pairs: st.Pairs, Budget: s.Pairs, Blocks: st.Blocks, Factor: st.Factor,
		Equal: st.Equal, Forfeits: st.Forfeits, Loss: loss(st),
	}
	answer := Answer(s, st)
	var tested []int
	for i := range s.Params {
		p := &s.Params[i]
		e := &st.Each[i]
		one := ParamSummary{Name: p.Name, Kind: p.Kind, Start: p.Start, Now: st.Theta[i], Mean: answer[i],
			Value: p.Text(answer[i])}
		if p.Kind == Choice {
			one.Levels = Levels(s, st, i)
			one.Distinct = answer[i] != p.Start
		} else if e.N > 0 {
			one.Error = e.standardError()
			one.SensitivityElo, one.Sensitivity = e.sensitivity()
			if one.Moved = e.moved(); one.Moved != nil {
				p := math.Erfc(math.Abs(*one.Moved) / math.Sqrt2) // 2·(1−Φ) would be 0 above 8.3
				one.P = &p
				tested = append(tested, i)
			}
		}
		sum.Params = append(sum.Params, one)
	}
	sum.holm(tested)
	return sum
}

// holm adjusts the p values of the tested parameters by Holm's method.
func (sum *Summary) holm(tested []int) {
	p := make([]float64, len(tested))
	for j, i := range tested {
		p[j] = *sum.Params[i].P
	}
	adjusted, err := binomial.Holm.Adjust(p)
	if err != nil {
		return // no p value
	}
	for j, i := range tested {
		sum.Params[i].P, sum.Params[i].Distinct = &adjusted[j], adjusted[j] < 0.05
	}
}

// loss returns the mean loss of the perturbed values in the probes, in Elo, with its 95 % interval.
func loss(st *State) *binomial.Interval {
	if st.Probes < 2 {
		return nil
	}
	n := float64(st.Probes)
	mean := -st.ProbeSum / n
	// W − L is between −2 and 2, so its variance is at most 4 minus the square of its mean.
	half := binomial.ZWithin(0.95) * math.Sqrt((4-min(mean*mean, 4))/n)
	i := binomial.NewInterval("normal", 0.95, EloPerPair*(mean-half), EloPerPair*(mean+half))
	return &i
}

// standardError returns the standard error of a final value, from the spread of its batches.
func (e *ParamSums) standardError() *float64 {
	var means []float64
	for b := range batches {
		if e.Of[b] > 0 {
			means = append(means, e.Mean[b]/e.Of[b])
		}
	}
	if len(means) < batches/2 {
		return nil
	}
	mean, square := 0.0, 0.0
	for _, m := range means {
		mean += m / float64(len(means))
	}
	for _, m := range means {
		square += (m - mean) * (m - mean)
	}
	n := float64(len(means))
	se := math.Sqrt(square / (n - 1) / n)
	return &se
}

func (e *ParamSums) moved() *float64 {
	if e.DriftSquares == 0 {
		return nil
	}
	z := e.Drift / math.Sqrt(e.DriftSquares)
	return &z
}

// sensitivity returns the slope of W − L on the sign of the perturbation, with the heteroscedasticity-consistent
// variance (H. White, Econometrica 48 (1980) 817), of n - 1 degrees of freedom. The interval is Student's. The normal
// one covers 94.5% after 75 pairs.
func (e *ParamSums) sensitivity() (*float64, *binomial.Interval) {
	if e.N < 2 {
		return nil, nil
	}
	slope := e.FY / e.N
	half := binomial.TWithin(0.95, e.N-1) * math.Sqrt(max(0, e.YY-e.N*slope*slope)/(e.N-1)/e.N)
	elo := EloPerPair * slope
	i := binomial.NewInterval("student", 0.95, EloPerPair*(slope-half), EloPerPair*(slope+half))
	return &elo, &i
}
