package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"gogi/internal/format"
	"gogi/match"
	"gogi/results"
	"gogi/runner"
	"gogi/shogi"
	"gogi/stats"
)

// gateTest is the sequential test that a gate plays. It passes where the
// likelihood ratio reaches 1/α, rather than Wald's (1-β)/α, and without overshoot
// correction. For a ratio of two fixed distributions Ville's inequality would
// then keep false passes at α, whatever is looked at; the generalised ratio
// estimates its distributions, and keeps it in simulation (see the test).
func gateTest(g match.Gate) stats.SPRT {
	return stats.SPRT{
		Elo0: g.Elo0, Elo1: g.Elo1, Alpha: g.Alpha * (1 - g.Beta), Beta: g.Beta, Model: stats.EloModel(g.Model),
	}
}

// gate judges a series while it is played: its pairs in plan order, never in
// order of arrival, which favours short games. It is safe for many goroutines.
type gate struct {
	design match.Gate

	mu     sync.Mutex
	prefix *stats.Prefix
	pairs  map[int]stats.Pair // that were added
}

// newGate is the judge of a series of at most that many pairs.
func newGate(design match.Gate, pairs int) (*gate, error) {
	prefix, err := stats.NewPrefix(gateTest(design), pairs)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return &gate{design: design, prefix: prefix, pairs: map[int]stats.Pair{}}, nil
}

// add takes a finished pair. A pair that comes again is counted once; one that
// comes again with another result is an error, and is not counted.
func (g *gate) add(id int, pair stats.Pair) error {
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

// gateState is what a gate has found so far.
type gateState struct {
	Design    match.Gate
	Judgement stats.Judgement
	Tally     stats.Tally // of the pairs that the decision rests on
}

// decided reports whether the test has stopped.
func (s gateState) decided() bool { return s.Judgement.Decision != stats.Continue }

// state is what was found so far.
func (g *gate) state() gateState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return gateState{Design: g.design, Judgement: g.prefix.Judgement(), Tally: g.prefix.Tally()}
}

// gatePair are the games of a pair, by leg, as package stats counts them.
func gatePair(rows []match.Row) (pair stats.Pair) {
	for _, r := range rows {
		pair = append(pair, gateLeg(r.Black == r.PairA, r.Outcome, r.Points))
	}
	return pair
}

// gateResult is a finished pair as package stats counts it.
func gateResult(plan *match.Plan, r match.PairResult) (pair stats.Pair) {
	for i := range r.Games {
		g := &r.Games[i]
		pair = append(pair, gateLeg(g.Players[0] == r.Pair.Players[0], g.Outcome, plan.Rules.Points(g.Verdict)))
	}
	return pair
}

// gateLeg is one game from A's side; points are by colour.
func gateLeg(aIsBlack bool, outcome match.Outcome, points [2]float64) stats.Leg {
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

// gatedSink stores pairs and ends the series when the test has decided: the
// pairs in play are finished and stored, beyond the stop.
type gatedSink struct {
	runner.Sink
	gate   *gate
	plan   *match.Plan
	source *runner.PlanSource
}

// Put stores the pair before it is judged.
func (s *gatedSink) Put(ctx context.Context, r match.PairResult) error {
	if err := s.Sink.Put(ctx, r); err != nil {
		return err
	}
	err := s.gate.add(r.Pair.ID, gateResult(s.plan, r))
	if s.gate.state().decided() {
		s.source.Drain()
	}
	return err
}

// PutAttempt stores an attempt that does not count.
func (s *gatedSink) PutAttempt(ctx context.Context, a match.Attempt) error {
	if sink, ok := s.Sink.(runner.AttemptSink); ok {
		return sink.PutAttempt(ctx, a)
	}
	return nil
}

// recordedGate is the design that was written into a run before its first game.
type recordedGate struct {
	design  match.Gate
	pairs   int
	changes []string // of the design or the target after the first game
}

// readGate reads the design from the run's log of settings. first is when the
// first game began; zero where there is none.
func readGate(ctx context.Context, store *results.Store, run int64, first time.Time) (*recordedGate, error) {
	settings, err := store.Settings(ctx, run)
	if err != nil {
		return nil, err
	}
	var g recordedGate
	for i, s := range settings {
		var now struct {
			Pairs int
			Gate  match.Gate
		}
		if err := json.Unmarshal(s.Text, &now); err != nil {
			return nil, fmt.Errorf("reading the settings of the run: %w", err)
		}
		before := i == 0 || first.IsZero() || !s.At.After(first)
		if !before {
			g.note(now.Gate, now.Pairs)
			continue
		}
		g.design, g.pairs = now.Gate, now.Pairs
	}
	return &g, nil
}

// note writes down what differs from the design, once each.
func (g *recordedGate) note(design match.Gate, pairs int) {
	if design != g.design {
		g.changes = append(g.changes, fmt.Sprintf("the test was changed from %s to %s after the first game", g.design, design))
	}
	if pairs != g.pairs {
		g.changes = append(g.changes, fmt.Sprintf("the maximum was changed from %d to %d pairs after the first game", g.pairs, pairs))
	}
}

// expectation prints how long a sequential test will take, before its first game.
func (c *matchCommand) expectation(ctx context.Context, env *environment, o *opener) error {
	length, err := o.gameLength(ctx)
	if err != nil {
		return err
	}
	g := o.plan.Gate
	fmt.Fprintf(env.err, "%s, at most %s games\n", g, format.Count(o.plan.Games()))
	at := []float64{0, g.Elo0, g.Elo1}
	slices.Sort(at)
	for _, elo := range slices.Compact(at) {
		e, err := gateTest(g).Expect(elo, stats.Conditions{DrawRate: typicalDraws})
		if err != nil {
			fmt.Fprintf(env.err, "  at %+g Elo: %v\n", elo, err)
			continue
		}
		hours := time.Duration(e.Games / float64(o.plan.Concurrency) * float64(length))
		fmt.Fprintf(env.err, "  at %+g Elo: about %s games, %s; passes with probability %.2f\n", elo, format.Count(int(e.Games)), format.Duration(hours), e.Pass)
	}
	return nil
}

// typicalDraws is the draw rate for estimates: shogi has few.
const typicalDraws = 0.03
