package trust

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

const ln10 = math.Ln10

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

// Action returns what the drift asks for. A claim that was measured anew begins a new Drift.
func (d *Drift) Action() Action {
	log, ok := d.Log()
	if !ok {
		return Nothing
	}
	return actOn(log)
}

func actOn(log float64) Action {
	switch {
	case math.Abs(log) <= driftRebench:
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
	return fast(log)
}

func fast(log float64) string {
	return fmt.Sprintf("over %d pairs it was %.2f times as fast as its factor claims", driftPairs, math.Exp(log))
}

// leastClaims is how many workers' speeds it takes to say what the base engine's is,
// where that is not the engine that was measured: of two that differ nobody knows which
// one claims too much.
const leastClaims = 3

// Claims holds what the workers of one run claim of their machines against how fast its
// base engine was there. Where the base engine is the one that machines are measured with,
// that is known; else the usual speed is the median of all workers'.
type Claims struct {
	nps    float64
	of     map[string]*Drift
	seen   map[string]int     // pairs
	latest map[string]float64 // of Drift.Log, as of when the worker was due
}

// NewClaims begins with nobody known; nps is the base engine's nodes a second on the
// machine that the plan's limits are meant for, 0 where that is not known.
func NewClaims(nps float64) *Claims {
	return &Claims{nps: nps, of: map[string]*Drift{}, seen: map[string]int{}, latest: map[string]float64{}}
}

// dueEvery is after how many more pairs a worker is looked at again.
const dueEvery = 10

// Add takes a pair of a worker: the base engine's nodes a second there (see BaseSpeed),
// and what clocks were multiplied by. due says that Act may have another answer.
func (c *Claims) Add(worker string, nps, scale float64) (due bool) {
	d := c.of[worker]
	if d == nil {
		d = &Drift{}
		c.of[worker] = d
	}
	usual := c.nps
	if usual == 0 {
		usual = 1 // the median of the others is taken off when it is asked for
	}
	d.Add(nps, scale, usual)
	if c.seen[worker]++; c.seen[worker]%dueEvery != 0 {
		return false
	}
	log, ok := d.Log()
	if ok {
		c.latest[worker] = log
	}
	return ok
}

// Forget begins a worker anew: it claims something else.
func (c *Claims) Forget(worker string) {
	delete(c.of, worker)
	delete(c.seen, worker)
	delete(c.latest, worker)
}

// Action returns what a worker's pairs ask for, with the figure.
func (c *Claims) Action(worker string) (act Action, why string) {
	log, ok := c.latest[worker]
	if !ok {
		return Nothing, ""
	}
	if c.nps == 0 {
		usual, known := c.usual()
		if !known {
			return Nothing, ""
		}
		log -= usual
	}
	if act = actOn(log); act == Nothing {
		return act, ""
	}
	return act, fast(log)
}

// usual is the median of the workers' speeds, as logarithms; false where too few are known.
func (c *Claims) usual() (log float64, ok bool) {
	if len(c.latest) < leastClaims {
		return 0, false
	}
	return median(slices.Collect(maps.Values(c.latest))), true
}
