package trust

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// These are the limits for a drift: the number of latest pairs whose median gogi uses, and the distances of the
// median's logarithm from 0 that lead to each Action.
const (
	driftPairs     = 50
	driftRebench   = 0.10
	driftProbation = 0.25
)

// A drift holds logarithms of speed ratios in a worker's latest games. A ratio is the base engine's speed
// divided by the claimed speed. Both speeds can be forged. The clocks of the two players have the same
// factor, so a wrong factor makes games less realistic, but not unfair.
type drift []float64

// add adds the logarithm of a ratio. It ignores invalid numbers.
func (d *drift) add(ratio float64) {
	l := math.Log(ratio)
	if math.IsNaN(l) || math.IsInf(l, 0) {
		return
	}
	if *d = append(*d, l); len(*d) > driftPairs {
		*d = slices.Delete(*d, 0, 1)
	}
}

// leastClaims is the number of workers whose speeds must be known if the base engine is not the measured
// engine. If two workers have different speeds, nothing shows which of the two claims is wrong.
const leastClaims = 3

// Claims checks the speeds that the workers of a run claim for their machines. It compares each claim with the
// speed of the run's base engine (the second player) in the games of that worker. If the claims were measured with
// the same engine, the expected speed is known. Otherwise Claims uses the median over all workers.
type Claims struct {
	nps    float64
	of     map[string]*drift
	seen   map[string]int     // number of pairs by worker
	latest map[string]float64 // median of the drift when Add last returned due for the worker
}

// NewClaims returns Claims without workers. nps is the base engine's nodes per second on the machine for
// which the plan's limits are meant. It is 0 if unknown.
func NewClaims(nps float64) *Claims {
	return &Claims{nps: nps, of: map[string]*drift{}, seen: map[string]int{}, latest: map[string]float64{}}
}

// dueEvery is the number of pairs between two evaluations of a worker.
const dueEvery = 10

// Add adds a pair of a worker. nps is the base engine's nodes per second in this pair (see BaseSpeed), and scale
// is the factor of the clocks on the worker's machine. If due is true, the result of Action for this worker may
// have changed, and the caller must call Action again.
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

// Action returns the recommended action for a worker whose real speed differs from its claim, and the reason.
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
