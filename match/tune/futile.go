package tune

import (
	"fmt"
	"math"

	"gogi/match"
)

// Futile is the error that a tune may end early, because no parameter has a measurable effect at the current
// perturbations. To end the tune then only saves games. Futile claims nothing about strength, so it has no error
// rate.
type Futile struct {
	Pairs  int     // number of learnt pairs
	Factor float64 // factor of all perturbations, at its upper bound
}

// Error returns the reason for the end as text.
func (f *Futile) Error() string {
	return fmt.Sprintf("after %d pairs no parameter matters: with %.1f times the requested perturbation, none differs from a parameter without effect", f.Pairs, f.Factor)
}

// IsFutile returns a Futile if a tune may end, and nil if it must continue. A tune may end if it has played half of
// its pairs, the factor of its perturbations has reached its upper bound, and the always-valid 99 % interval of each
// parameter's slope contains 0. IsFutile returns nil for other methods than SPSA, for perturbations of fixed size
// (Settings.Spread is 0), and if the tune has a parameter of the kind Choice.
func IsFutile(s *Settings, st *State) *Futile {
	if s.Spread == 0 || s.Method != SPSA || 2*st.Pairs < s.Pairs || st.Factor < s.mostFactor()*(1-1e-9) {
		return nil
	}
	for i := range s.Params {
		if p := &s.Params[i]; !p.Unused && (p.Kind == Choice || st.Each[i].isSteep(float64(s.Pairs)/2)) {
			return nil
		}
	}
	return &Futile{Pairs: st.Pairs, Factor: st.Factor}
}

// isSteep reports whether the slope of W − L on the sign of a perturbation differs from 0. It uses the confidence
// sequence of a normal mixture with estimated variance (H. Robbins, Ann. Math. Statist. 41 (1970) 1397; I.
// Waudby-Smith, D. Arbour, R. Sinha, E. Kennedy, A. Ramdas, Ann. Statist. 52 (2024) 2613, theorem 2.2). tightest is
// the number of duels for which this sequence is optimised.
func (e *ParamSums) isSteep(tightest float64) bool {
	if e.N < 2 {
		return true // without data the parameter may have an effect
	}
	const alpha = 0.01
	slope := e.FY / e.N
	variance := max(0, e.YY/e.N-float64(slope*slope))
	l := -2*math.Log(alpha) + math.Log(-2*math.Log(alpha)+1) // the papers' ρ² for the tightest time
	rho2 := l / tightest
	n := e.N*rho2 + 1
	radius := math.Sqrt(variance * 2 * n / (e.N * e.N * rho2) * math.Log(math.Sqrt(n)/alpha))
	return math.Abs(slope) > radius
}

// Lost returns how much Elo the perturbed values lost to the unperturbed ones in the probes so far. A probe is a
// pair in which one player has the perturbed values and the other the unperturbed ones. Lost returns nil without
// probes.
func (st *State) Lost() *float64 {
	if st.Probes == 0 {
		return nil
	}
	elo := -EloPerPair * st.ProbeSum / float64(st.Probes)
	return &elo
}

// Setup returns the settings of the tune for tune events.
func (s *Settings) Setup() match.TuneSetup {
	t := match.TuneSetup{Method: s.Method, Pairs: s.Pairs, Blocks: s.Blocks(), Block: s.Block, Inflight: s.Inflight,
		Target: s.Spread}
	for i := range s.Params {
		p := &s.Params[i]
		one := match.TuneParam{Name: p.Name, Kind: string(p.Kind), Start: p.Start, Min: p.Min, Max: p.Max, Levels: p.Levels,
			Unused: p.Unused}
		if p.Kind != Choice {
			one.C = p.Spread(s.Method)
		}
		t.Params = append(t.Params, one)
	}
	return t
}
