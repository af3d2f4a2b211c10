package trust

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// The limits of a drift: the number of latest pairs whose median counts, and how far the logarithm of the ratio may
// be from 0.
const (
	driftPairs     = 50
	driftRebench   = 0.10
	driftProbation = 0.25
)

// A drift holds the logarithms of the base engine's speed in a worker's latest games, divided by the claimed speed.
// Both can be forged. The two sides share the factor, so a wrong one costs realism, not fairness.
type drift []float64

// add ignores invalid numbers.
func (d *drift) add(ratio float64) {
	l := math.Log(ratio)
	if math.IsNaN(l) || math.IsInf(l, 0) {
		return
	}
	if *d = append(*d, l); len(*d) > driftPairs {
		*d = slices.Delete(*d, 0, 1)
	}
}

// leastClaims is the number of workers' speeds needed to know the base engine's speed, if it is not the measured
// engine. With two different speeds the wrong claim is unknown.
const leastClaims = 3

// Claims compares the claims of a run's workers about their machines with the speed of its base engine there. If the
// base engine is the engine that machines are measured with, its speed is known. Otherwise the usual speed is the
// median of all workers'.
type Claims struct {
	nps    float64
	of     map[string]*drift
	seen   map[string]int     // pairs
	latest map[string]float64 // median of the drift when the worker was last due
}

// NewClaims returns Claims without workers. nps is the base engine's nodes a second on the machine that the plan's
// limits are meant for, 0 if unknown.
func NewClaims(nps float64) *Claims {
	return &Claims{nps: nps, of: map[string]*drift{}, seen: map[string]int{}, latest: map[string]float64{}}
}

// dueEvery is the number of pairs between two evaluations of a worker.
const dueEvery = 10

// Add adds a pair of a worker: the base engine's nodes a second there (see BaseSpeed), and the factor of the clocks.
// due means that Action may return another answer.
func (c *Claims) Add(worker string, nps, scale float64) (due bool) {
	d := c.of[worker]
	if d == nil {
		d = &drift{}
		c.of[worker] = d
	}
	usual := c.nps
	if usual == 0 {
		usual = 1 // Action subtracts the median of all workers
	}
	d.add(nps * scale / usual)
	if c.seen[worker]++; c.seen[worker]%dueEvery != 0 || len(*d) < driftPairs {
		return false
	}
	c.latest[worker] = median(*d)
	return true
}

// Forget deletes the pairs of a worker, because its claim has changed.
func (c *Claims) Forget(worker string) {
	delete(c.of, worker)
	delete(c.seen, worker)
	delete(c.latest, worker)
}

// Action returns the action that a worker's pairs require, with the reason.
func (c *Claims) Action(worker string) (act Action, why string) {
	log, ok := c.latest[worker]
	if !ok || c.nps == 0 && len(c.latest) < leastClaims {
		return Nothing, ""
	}
	if c.nps == 0 {
		log -= median(slices.Collect(maps.Values(c.latest)))
	}
	switch {
	case math.Abs(log) <= driftRebench:
		return Nothing, ""
	case math.Abs(log) <= driftProbation:
		act = Rebench
	default:
		act = Probation
	}
	return act, fmt.Sprintf("over %d pairs it was %.2f times as fast as its factor claims", driftPairs, math.Exp(log))
}
