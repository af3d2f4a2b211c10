package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gogi/gate"
	"gogi/internal/format"
	"gogi/match"
	"gogi/players"
	"gogi/results"
	"gogi/runner"
	"gogi/stats"
)

// gatedSink stores pairs and ends the series when the test has decided: the
// pairs in play are finished and stored, beyond the stop.
type gatedSink struct {
	runner.Sink
	gate   *gate.Gate
	plan   *match.Plan
	source *runner.PlanSource
}

// Put stores the pair before it is judged.
func (s *gatedSink) Put(ctx context.Context, l runner.Lease, r match.PairResult) (added bool, err error) {
	if added, err = s.Sink.Put(ctx, l, r); err != nil || !added {
		return added, err
	}
	err = s.gate.Add(r.Pair.ID, gate.OfResult(s.plan, r))
	if s.gate.State().Decided() {
		s.source.Drain()
	}
	return true, err
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
func (c *matchCommand) expectation(ctx context.Context, env *environment, o *players.Opener) error {
	length, err := o.GameLength(ctx)
	if err != nil {
		return err
	}
	g := o.Plan.Gate
	fmt.Fprintf(env.err, "%s, at most %s games\n", g, format.Count(o.Plan.Games()))
	at := []float64{0, g.Elo0, g.Elo1}
	slices.Sort(at)
	for _, elo := range slices.Compact(at) {
		e, err := gate.Test(g).Expect(elo, stats.Conditions{DrawRate: typicalDraws})
		if err != nil {
			fmt.Fprintf(env.err, "  at %+g Elo: %v\n", elo, err)
			continue
		}
		hours := time.Duration(e.Games / float64(o.Plan.Concurrency) * float64(length))
		fmt.Fprintf(env.err, "  at %+g Elo: about %s games, %s; passes with probability %.2f\n", elo, format.Count(int(e.Games)), format.Duration(hours), e.Pass)
	}
	return nil
}

// typicalDraws is the draw rate for estimates: shogi has few.
const typicalDraws = 0.03
