// Package gate runs the SPRT of a match. [New] makes a [Gate]; give it pairs as they finish,
// and it judges them in plan order. [OfRows] and [OfResult] turn stored and played pairs into
// the plays that package stats judges.
package gate

import (
	"fmt"
	"sync"

	"gogi/match"
	"gogi/stats"
)

// Test returns the sequential test of a gate. With [match.GateRatio] it passes when the likelihood ratio
// reaches 1/α, as at [stats.BoundaryRatio], without overshoot correction. For a ratio of two fixed
// distributions Ville's inequality keeps false passes at α, for any stopping time. The generalised ratio
// estimates its distributions, and keeps α in simulation (see the test).
//
// It fails at Wald's bound for β if a pass has the probability α(1-β) under H0, which is the effect of
// the upper bound: ln(β/(1-α(1-β))). That is a little above BoundaryRatio's ln β. Stored runs stopped
// there, and must not become undecided.
func Test(g match.Gate) stats.SPRT {
	s := stats.SPRT{Elo0: g.Elo0, Elo1: g.Elo1, Alpha: g.Alpha * (1 - g.Beta), Beta: g.Beta, Model: stats.EloModel(g.Model)}
	if g.Boundary == match.GateBounded {
		s.Alpha, s.Boundary = g.Alpha, stats.BoundaryBounded
	}
	return s
}

// Gate judges a series while it is played: its pairs in plan order, never in
// order of arrival, which favours short games. It is safe for many goroutines.
type Gate struct {
	design match.Gate
	pairs  int // pairs of the plan

	mu     sync.Mutex
	prefix *stats.Prefix
}

// New returns the judge of a series of at most that many pairs.
func New(design match.Gate, pairs int) (*Gate, error) {
	prefix, err := stats.NewPrefix(Test(design), pairs)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return &Gate{design: design, pairs: pairs, prefix: prefix}, nil
}

// Add takes a finished pair with its number in the plan. One that comes again is counted
// once; one that comes again with other games is an error, and is not counted.
func (g *Gate) Add(id int, play stats.Play) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.prefix.AddPlay(id, play); err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	return nil
}

// Void removes pairs that were voided in the run, and judges the others again from the first. A decided
// test may become undecided or decide otherwise. The pairs may be added again after they are played
// again. On an error nothing changes.
func (g *Gate) Void(ids []int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	anew, err := g.prefix.Without(ids)
	if err != nil {
		return fmt.Errorf("gate: without the voided pairs: %w", err)
	}
	g.prefix = anew
	return nil
}

// State is the state of a gate.
type State struct {
	Design    match.Gate
	Judgement stats.Judgement // with the openings that it rests on, and the pairs that only repeat others
	Tally     stats.Tally     // tally of the pairs behind it
}

// Decided reports whether the test has stopped.
func (s State) Decided() bool { return s.Judgement.Decision != stats.Continue }

// State returns the state so far.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return State{Design: g.design, Judgement: g.prefix.Judgement(), Tally: g.prefix.Tally()}
}

// Elo returns the median-unbiased rating difference at the stop, by openings. It returns an error before
// the stop.
func (g *Gate) Elo(level float64) (stats.StoppedElo, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prefix.Elo(level)
}
