package trust

import (
	"fmt"
	"math"
	"slices"
)

const ln10 = math.Ln10

// Scale is what a machine's clocks are multiplied by: the nodes a second of the plan
// through those that were measured there with the same engine on all slots at once. It
// fails outside the plan's bounds, with the figure: such a machine is refused for games
// with clocks.
func Scale(plan, measured, least, most float64) (float64, error) {
	if plan <= 0 || measured <= 0 || least <= 0 || most < least || math.IsInf(plan+measured+most, 0) || math.IsNaN(plan+measured+least+most) {
		return 0, fmt.Errorf("trust: a plan of %v nodes a second, %v measured, bounds [%v, %v]: expected positive numbers in order", plan, measured, least, most)
	}
	scale := plan / measured
	if scale < least || scale > most {
		return scale, fmt.Errorf("trust: the machine plays %.0f nodes a second, the plan %.0f: clocks times %.2f, outside [%g, %g]", measured, plan, scale, least, most)
	}
	return scale, nil
}

// The bounds of Drift: over so many pairs, and by how much the logarithm of the ratio
// may be off.
const (
	driftPairs     = 50
	driftRebench   = 0.10
	driftProbation = 0.25
)

// Drift is how fast the base engine was in a worker's latest games, compared with what
// its factor claims. A claim can be forged, and so can these: both sides share the
// factor, so a wrong one costs realism, not fairness.
type Drift struct{ logs []float64 }

// Add takes a pair: the base engine's nodes a second there, times the factor, through
// those of the plan. Numbers that are none are passed over.
func (d *Drift) Add(nps, scale, plan float64) {
	l := math.Log(nps * scale / plan)
	if math.IsNaN(l) || math.IsInf(l, 0) {
		return
	}
	if d.logs = append(d.logs, l); len(d.logs) > driftPairs {
		d.logs = slices.Delete(d.logs, 0, 1)
	}
}

// Log is the median of the logarithms of the latest pairs' ratios; ok is false before
// there are enough.
func (d *Drift) Log() (log float64, ok bool) {
	if len(d.logs) < driftPairs {
		return 0, false
	}
	return median(d.logs), true
}

// Act is what the drift asks for. A claim that was measured anew begins a new Drift.
func (d *Drift) Act() Act {
	log, ok := d.Log()
	switch {
	case !ok || math.Abs(log) <= driftRebench:
		return Nothing
	case math.Abs(log) <= driftProbation:
		return Rebench
	}
	return Probation
}

// String is the drift in words.
func (d *Drift) String() string {
	log, ok := d.Log()
	if !ok {
		return fmt.Sprintf("its speed is known of %d pairs, expected %d", len(d.logs), driftPairs)
	}
	return fmt.Sprintf("over %d pairs it was %.2f times as fast as its factor claims", driftPairs, math.Exp(log))
}
