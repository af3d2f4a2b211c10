// Package gate is the sequential judge of a series: it takes pairs as they are finished
// and judges them in plan order.
package gate

import (
	"fmt"
	"slices"
	"sync"

	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

// Test is the sequential test that a gate plays. It passes where the
// likelihood ratio reaches 1/α, rather than Wald's (1-β)/α, and without overshoot
// correction. For a ratio of two fixed distributions Ville's inequality would
// then keep false passes at α, whatever is looked at; the generalised ratio
// estimates its distributions, and keeps it in simulation (see the test).
func Test(g match.Gate) stats.SPRT {
	return stats.SPRT{
		Elo0: g.Elo0, Elo1: g.Elo1, Alpha: g.Alpha * (1 - g.Beta), Beta: g.Beta, Model: stats.EloModel(g.Model),
	}
}

// Gate judges a series while it is played: its pairs in plan order, never in
// order of arrival, which favours short games. It is safe for many goroutines.
type Gate struct {
	design match.Gate

	mu     sync.Mutex
	prefix *stats.Prefix
	pairs  map[int]stats.Pair // that were added
}

// New is the judge of a series of at most that many pairs.
func New(design match.Gate, pairs int) (*Gate, error) {
	prefix, err := stats.NewPrefix(Test(design), pairs)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return &Gate{design: design, prefix: prefix, pairs: map[int]stats.Pair{}}, nil
}

// Add takes a finished pair. A pair that comes again is counted once; one that
// comes again with another result is an error, and is not counted.
func (g *Gate) Add(id int, pair stats.Pair) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if before, ok := g.pairs[id]; ok {
		if !slices.Equal(before, pair) {
			return fmt.Errorf("gate: pair %d came again with another result", id)
		}
		return nil
	}
	if err := g.prefix.Add(id, pair); err != nil {
		return fmt.Errorf("gate: pair %d: %w", id, err)
	}
	g.pairs[id] = slices.Clone(pair)
	return nil
}

// State is what a gate has found so far.
type State struct {
	Design    match.Gate
	Judgement stats.Judgement
	Tally     stats.Tally // of the pairs that the decision rests on
}

// Decided reports whether the test has stopped.
func (s State) Decided() bool { return s.Judgement.Decision != stats.Continue }

// State is what was found so far.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return State{Design: g.design, Judgement: g.prefix.Judgement(), Tally: g.prefix.Tally()}
}

// OfRows are the games of a pair, by leg, as package stats counts them.
func OfRows(rows []match.Row) (pair stats.Pair) {
	for _, r := range rows {
		pair = append(pair, leg(r.Black == r.PairA, r.Outcome, r.Points))
	}
	return pair
}

// OfResult is a finished pair as package stats counts it.
func OfResult(plan *match.Plan, r match.PairResult) (pair stats.Pair) {
	for i := range r.Games {
		g := &r.Games[i]
		pair = append(pair, leg(g.Players[0] == r.Pair.Players[0], g.Outcome, plan.Rules.Points(g.Verdict)))
	}
	return pair
}

// leg is one game from A's side; points are by colour.
func leg(aIsBlack bool, outcome match.Outcome, points [2]float64) stats.Leg {
	colour := shogi.White
	if aIsBlack {
		colour = shogi.Black
	}
	leg := stats.Leg{AIsBlack: aIsBlack, Outcome: stats.Draw, Points: points[colour]}
	if winner, ok := outcome.Winner(); ok {
		leg.Outcome = stats.Loss
		if winner == colour {
			leg.Outcome = stats.Win
		}
	}
	return leg
}
