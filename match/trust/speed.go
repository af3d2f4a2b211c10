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

// Drift compares the base engine's speed in a worker's latest games with the claim of its factor. Both
// can be forged. The two sides share the factor, so a wrong one costs realism, not fairness.
type Drift struct{ logs []float64 }

// Add takes a pair: the base engine's nodes a second on the worker, times the factor, divided by those of
// the plan. It ignores invalid numbers.
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

// Action returns the action that the drift requires. A newly measured claim starts a new Drift.
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

// leastClaims is the number of workers' speeds needed to know the base engine's speed, if it is not the
// measured engine. With two different speeds the wrong claim is unknown.
const leastClaims = 3

// Claims compares the claims of a run's workers about their machines with the speed of its base engine
// there. If the base engine is the engine that machines are measured with, its speed is known. Otherwise
// the usual speed is the median of all workers'.
type Claims struct {
	nps    float64
	of     map[string]*Drift
	seen   map[string]int     // pairs
	latest map[string]float64 // Drift.Log at the time the worker was due
}

// NewClaims returns Claims without workers. nps is the base engine's nodes a second on the machine that
// the plan's limits are meant for, 0 if unknown.
func NewClaims(nps float64) *Claims {
	return &Claims{nps: nps, of: map[string]*Drift{}, seen: map[string]int{}, latest: map[string]float64{}}
}

// dueEvery is after how many more pairs a worker is looked at again.
const dueEvery = 10

// Add takes a pair of a worker: the base engine's nodes a second there (see BaseSpeed), and the factor of
// the clocks. due means that Action may return another answer.
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

// Forget starts a worker again, because its claim has changed.
func (c *Claims) Forget(worker string) {
	delete(c.of, worker)
	delete(c.seen, worker)
	delete(c.latest, worker)
}

// Action returns the action that a worker's pairs require, with the figure.
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

// usual returns the median of the workers' speeds, as a logarithm; ok is false if too few are known.
func (c *Claims) usual() (log float64, ok bool) {
	if len(c.latest) < leastClaims {
		return 0, false
	}
	return median(slices.Collect(maps.Values(c.latest))), true
}
