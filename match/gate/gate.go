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

// Test is the sequential test that a gate plays. By [match.GateRatio] it passes where
// the likelihood ratio reaches 1/α, as at [stats.BoundaryRatio], and without overshoot
// correction: for a ratio of two fixed distributions Ville's inequality would then keep
// false passes at α, whatever is looked at; the generalised ratio estimates its
// distributions, and keeps it in simulation (see the test). It fails at the bound that
// Wald gives for β where a pass has the probability α(1-β) under H0, which is what the
// upper bound makes of it: ln(β/(1-α(1-β))), a little above BoundaryRatio's ln β. Runs
// were stopped there, and must not become undecided.
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
	pairs  int // of the plan

	mu     sync.Mutex
	prefix *stats.Prefix
}

// New is the judge of a series of at most that many pairs.
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

// Void takes pairs out that were taken out of the run, and judges the others anew from
// the first: a test that had decided may be undecided, or have decided otherwise. They
// may be added again when they have been played again. Where that fails, nothing is
// changed.
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

// State is what a gate has found so far.
type State struct {
	Design    match.Gate
	Judgement stats.Judgement // with the openings that it rests on, and the pairs that only repeat others
	Tally     stats.Tally     // of the pairs that it rests on
}

// Decided reports whether the test has stopped.
func (s State) Decided() bool { return s.Judgement.Decision != stats.Continue }

// State is what was found so far.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return State{Design: g.design, Judgement: g.prefix.Judgement(), Tally: g.prefix.Tally()}
}

// Elo is the median-unbiased rating difference where the test stopped, by openings. It
// fails before that.
func (g *Gate) Elo(level float64) (stats.StoppedElo, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prefix.Elo(level)
}
