package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"gogi/match"
	"gogi/results"
	"gogi/runner"
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
// order of arrival, which favours short games.
type gate struct {
	mu     sync.Mutex
	prefix *stats.Prefix
}

func newGate(g match.Gate, pairs int) (*gate, error) {
	prefix, err := stats.NewPrefix(gateTest(g), pairs)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return &gate{prefix: prefix}, nil
}

// add takes a finished pair and reports whether the test has decided.
func (g *gate) add(id int, pair stats.Pair) (decided bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.prefix.Add(id, pair); err != nil {
		return false, fmt.Errorf("gate: pair %d: %w", id, err)
	}
	return g.prefix.Judgement().Decision != stats.Continue, nil
}

// decided reports whether the test has stopped.
func (g *gate) decided() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prefix.Judgement().Decision != stats.Continue
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
func (s *gatedSink) Put(ctx context.Context, l runner.Lease, r match.PairResult) (added bool, err error) {
	if added, err = s.Sink.Put(ctx, l, r); err != nil || !added {
		return added, err
	}
	decided, err := s.gate.add(r.Pair.ID, resultPair(s.plan, r))
	if decided {
		s.source.Drain()
	}
	return true, err
}

// resultPair is a finished pair as package stats counts it.
func resultPair(plan *match.Plan, r match.PairResult) stats.Pair {
	var pair stats.Pair
	for _, g := range r.Games {
		leg := stats.Leg{AIsBlack: g.Players[0] == r.Pair.Players[0], Outcome: stats.Draw}
		colour := 1
		if leg.AIsBlack {
			colour = 0
		}
		if winner, ok := g.Outcome.Winner(); ok {
			leg.Outcome = stats.Loss
			if int(winner) == colour {
				leg.Outcome = stats.Win
			}
		}
		leg.Points = plan.Rules.Points(g.Verdict)[colour]
		pair = append(pair, leg)
	}
	return pair
}

// gateReport is the state of a run's sequential test.
type gateReport struct {
	Design   match.Gate     `json:"design"`
	Decision stats.Decision `json:"decision"`
	LLR      *float64       `json:"llr"`
	Lower    float64        `json:"lower"`
	Upper    float64        `json:"upper"`
	Pairs    int            `json:"pairs"`  // that the decision rests on
	Beyond   int            `json:"beyond"` // finished after the stop, or behind a gap
	Elo      eloReport      `json:"elo"`    // median-unbiased, after the stop
	Why      string         `json:"why,omitempty"`

	tally stats.Tally
}

// report is the state of the test as it is told.
func (g *gate) report(design match.Gate) *gateReport {
	g.mu.Lock()
	defer g.mu.Unlock()
	j := g.prefix.Judgement()
	r := &gateReport{
		Design: design, Decision: j.Decision, LLR: number(j.LLR), Lower: j.Lower, Upper: j.Upper,
		Pairs: j.Units, Beyond: j.Beyond, tally: g.prefix.Tally(),
	}
	if j.Decision == stats.Continue {
		r.Elo.Why = "the test has not stopped"
		return r
	}
	stopped, err := gateTest(design).Elo(r.tally.Outcomes(), level)
	if err != nil {
		r.Elo.Why = err.Error()
		return r
	}
	r.Elo = eloReport{Estimate: number(stopped.Elo), Lo: number(stopped.Interval.Lo), Hi: number(stopped.Interval.Hi)}
	return r
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
	fmt.Fprintf(env.err, "%s, at most %s games\n", g, count(o.plan.Games()))
	at := []float64{0, g.Elo0, g.Elo1}
	slices.Sort(at)
	for _, elo := range slices.Compact(at) {
		e, err := gateTest(g).Expect(elo, stats.Conditions{DrawRate: typicalDraws})
		if err != nil {
			fmt.Fprintf(env.err, "  at %+g Elo: %v\n", elo, err)
			continue
		}
		hours := time.Duration(e.Games / float64(o.plan.Concurrency) * float64(length))
		fmt.Fprintf(env.err, "  at %+g Elo: about %s games, %s; passes with probability %.2f\n", elo, count(int(e.Games)), shortDuration(hours), e.Pass)
	}
	return nil
}

// typicalDraws is the draw rate for estimates: shogi has few.
const typicalDraws = 0.03
