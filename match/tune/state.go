package tune

import (
	"maps"
	"slices"

	"gogi/match"
	"math"
	"math/rand/v2"
)

// State is the state of a tune after a number of whole blocks. A learnt block or pair is one whose results the
// State includes. The function Learn does not change a State; it returns a new one.
type State struct {
	Blocks int `json:"blocks"` // number of learnt blocks
	Pairs  int `json:"pairs"`  // number of learnt pairs
	// Theta is the centre, by parameter. For a choice it is the start level.
	Theta []float64 `json:"theta"`
	// Factor multiplies all perturbations. The controller changes it.
	Factor float64 `json:"factor"`
	Probes int     `json:"probes"` // number of learnt probes
	// ProbeSum is the sum of W − L of the probes.
	ProbeSum float64 `json:"probe_sum"`
	// Equal is the number of duels with two equal points. Forfeits is the number of duels in which the engine did
	// not start with one of the points.
	Equal    int         `json:"equal"`
	Forfeits int         `json:"forfeits"`
	Each     []ParamSums `json:"each"` // by parameter
}

// batches is the number of batches from whose means the standard error of a final value is estimated.
const batches = 16

// ParamSums has sums for one parameter over the pairs in which the tune perturbed the parameter, without the
// probes. In the comments of the fields, y is the wins minus the losses (W − L) of the player with the point Plus,
// and flip is the sign of this player's perturbation: 1 or −1.
type ParamSums struct {
	N  float64 `json:"n"`
	FY float64 `json:"fy"` // Σ flip·y
	YY float64 `json:"yy"` // Σ y²
	// Drift is a weighted sum of flip·y, and DriftSquares the sum of the squares of its terms. For a parameter without
	// effect, Drift is a martingale, and DriftSquares estimates its variance. In the method "spsa" a pair has the weight
	// of its perturbation, and early pairs weigh more. In "fishtest" it has the weight that its step has in the final
	// values.
	Drift        float64 `json:"drift"`
	DriftSquares float64 `json:"drift_squares"`
	// Mean has the sum of the centre over the pairs of each batch, and Of the number of these pairs. The batches
	// divide the averaged part of a tune (Settings.Average).
	Mean [batches]float64 `json:"mean"`
	Of   [batches]float64 `json:"of"`
	// The keys of Won and Met are two levels of a choice, the first played by plus, the second by minus. Won is
	// Σ y of these duels, and Met is their number.
	Won map[string]float64 `json:"won,omitempty"`
	Met map[string]float64 `json:"met,omitempty"`
}

// Begin returns the state before the first block.
func Begin(s *Settings) State {
	st := State{Theta: make([]float64, len(s.Params)), Factor: s.firstFactor(), Each: make([]ParamSums, len(s.Params))}
	for i, p := range s.Params {
		st.Theta[i] = p.Start
	}
	return st
}

func (st State) clone() State {
	st.Theta = append([]float64(nil), st.Theta...)
	st.Each = slices.Clone(st.Each)
	for i := range st.Each {
		e := &st.Each[i]
		e.Won, e.Met = maps.Clone(e.Won), maps.Clone(e.Met)
	}
	return st
}

// DuelKind is the purpose of a pair in a tune: to find better values, or to measure the cost of the perturbation.
type DuelKind string

// The kinds of pairs in a tune.
const (
	KindDuel  DuelKind = "duel"  // plus against minus, to learn from
	KindProbe DuelKind = "probe" // plus against the centre, to measure the cost of the perturbation
)

// Duel is one pair to play: two points with one value for each parameter.
type Duel struct {
	Pair  int
	Kind  DuelKind
	Plus  []float64
	Minus []float64 // for a probe: the centre
	// Flips are the signs of the perturbation, 0 for a parameter that is not perturbed. C is its size,
	// and At the middle of the two points before rounding.
	Flips []float64
	C     []float64
	At    []float64
}

// Equal reports whether both points of the duel have the same option values.
func (d *Duel) Equal(params []Param) bool {
	for i := range params {
		if params[i].Text(d.Plus[i]) != params[i].Text(d.Minus[i]) {
			return false
		}
	}
	return true
}

// Outcome is a duel with its result.
type Outcome struct {
	Duel
	// Score is W − L of plus, from −2 to 2.
	Score float64
	// Forfeit means that the engine did not start with a point. Score shows which point.
	Forfeit bool
}

// random returns the random source of a pair. It is the same on every machine.
func (s *Settings) random(pair int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, match.SplitMix(uint64(pair))))
}

func flip(random *rand.Rand) float64 {
	return float64(int64(random.Uint64()>>63)*2 - 1)
}

// schedule defines how the perturbation and the gain fall over a stage: J. C. Spall, IEEE Trans. Aerospace and
// Electronic Systems 34 (1998) 817, scaled to their values at the end.
type schedule struct{ n, a, alpha, gamma float64 }

func (s *Settings) schedule(stage int) schedule {
	n := float64(s.Pairs)
	if len(s.Stages) > 1 {
		end := s.Blocks()
		if stage+1 < len(s.Stages) {
			end = s.stageBegins(stage + 1)
		}
		n = float64(min(end*s.Block, s.Pairs) - s.stageBegins(stage)*s.Block)
	}
	return schedule{n: n, a: math.Floor(s.A * n), alpha: s.Alpha, gamma: s.Gamma}
}

// c returns the perturbation at pair k of the stage as a multiple of the perturbation at the stage's end. k counts
// from 1.
func (t schedule) c(k float64) float64 { return math.Pow(t.n, t.gamma) / math.Pow(k, t.gamma) }

// gain returns the gain at pair k as a multiple of the gain at the stage's end.
func (t schedule) gain(k float64) float64 {
	return math.Pow(t.a+t.n, t.alpha) / math.Pow(t.a+k, t.alpha)
}

// place returns the place of a pair in its stage: the stage's schedule and the pair's number in it, from
// 1.
func (s *Settings) place(pair int) (stage int, t schedule, k float64) {
	stage = s.stageOf(s.BlockOf(pair))
	return stage, s.schedule(stage), float64(pair - s.stageBegins(stage)*s.Block + 1)
}

// isProbe reports whether a pair is a probe. The probes are spread evenly over the pairs.
func (s *Settings) isProbe(pair int) bool {
	return math.Floor(float64(pair+1)*s.Probes) > math.Floor(float64(pair)*s.Probes)
}

// rounded limits a value to the parameter's range and rounds an int up or down. u, uniform in [0, 1), decides the
// direction, so that the mean of the results is the value. Both points of a duel use the same u. With separate u they
// would often be equal.
func (p *Param) rounded(x, u float64) float64 {
	if p.Kind == Int {
		x = math.Floor(x + u)
	}
	return min(max(x, p.Min), p.Max)
}
