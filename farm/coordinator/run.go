package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/match"
	"gogi/match/gate"
	"gogi/match/trust"
	"gogi/runner/events"
)

// A record is the stored part of a test. State stores it in the bucket of tests under the digest of the
// test's plan.
type record struct {
	farm.Submission

	Name      string        `cbor:"name"`
	Owner     string        `cbor:"owner"`
	By        string        `cbor:"by"` // the key that submitted it
	Number    int           `cbor:"number"`
	State     farm.State    `cbor:"state"`
	Why       string        `cbor:"why"`
	Condemned []int         `cbor:"condemned"`
	Granted   bool          `cbor:"granted"` // the test was running before, so workers may hold leases.
	Verdict   string        `cbor:"verdict"` // the SPRT's verdict when the state last changed
	Log       []farm.Change `cbor:"log"`
	// Rule is the rule by which results of this test quarantine workers automatically. It is set when the
	// test is submitted.
	Rule string `cbor:"rule"`
	// Evidence is the evidence about the test's workers when the test ended, as logarithms of e-values.
	Evidence map[string]float64 `cbor:"evidence,omitempty"`
	// Provisional is set while the test has ended and its verdict is not final.
	Provisional *provisional `cbor:"provisional,omitempty"`
	// Voided describes the pairs that became void last, with the reason. It is "" if no pairs did.
	Voided string `cbor:"voided,omitempty"`
	// Inexact means that an audit has shown that the players do not repeat their games.
	Inexact bool `cbor:"inexact,omitempty"`
	// Logged holds the subjects that the log mentions only once, see Coordinator.logOnce.
	Logged []string `cbor:"told,omitempty"`

	noted int // number of lines that this process has added to Log
}

// maxLog limits the lines of a test's log.
const maxLog = 1000

// A run is a test while this process of the coordinator runs it.
type run struct {
	record
	digest   string
	revision uint64
	plan     *match.Plan
	task     farm.Task

	// The following fields are nil unless the run is open, see Coordinator.open.
	store     Store
	ledger    *ledger.Ledger
	gate      *gate.Gate // nil without an SPRT
	tune      *tuned     // nil if the run is no tune
	aside     bool       // the run is not open, because the coordinator could not open or evaluate it
	hub       *events.Hub
	acted     int // how many of the lines that record.noted counts are already in the log of the farm
	crowd     crowd
	untrusted untrustedPairs
	events    uint64
	stored    int                  // number of stored pairs when this process started; used while the run is not open
	listeners map[string]*listener // listeners by worker, while the run is watched
	relayed   map[string]uint64    // number of published events, by worker

	attempts map[int]int // number of stored attempts, by pair
	by       []string    // in a run with an SPRT, the workers of the stored pairs
	window   int         // the window of the ledger, in a run with an SPRT
	trusted  time.Time   // the last time when a trusted worker held a pair, or else the first time when one could get one
	cost     float64     // slot-seconds of a pair: an average of the latest pairs
	counts   farm.ResultCounts
	exact    bool          // the players repeat their games move for move
	claims   *trust.Claims // the speeds that the workers' machines claim to have; nil if clocks are not scaled
	audits   []*audit
	line     *trust.Line // compares the results of the run's workers; nil if the run is not open or its record has no Rule

	auditsChanged  bool   // the audits have changed since they were stored
	auditsRevision uint64 // the revision of the stored audits

	// agreed maps each pair whose result a second playing has confirmed to the worker of that playing. It has
	// only pairs that a verdict needs, see Coordinator.mustProve.
	agreed         map[int]string
	agreedChanged  bool
	agreedRevision uint64
	unproved       bool // the next tick examines the provisional verdict
	// unprovedWorkers is the number of workers that prevented a final verdict when it was last examined.
	unprovedWorkers int
	// samples holds the pairs that audits must confirm, by worker. A sample of 100,000 pairs takes 0.2 s. It is nil
	// before the first examination of a provisional verdict.
	samples map[string][]int
}

// newRun creates a run from its record. It returns an error if the plan does not have the digest.
func newRun(digest string, rec record, revision uint64) (*run, error) {
	plan, err := match.DecodePlan(rec.Plan)
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: %w", rec.Name, err)
	}
	if got := plan.Digest(); got != digest {
		return nil, fmt.Errorf("coordinator: test %s: its plan has the digest %s, and is stored as %s", rec.Name, got, digest)
	}
	r := &run{
		record: rec, digest: digest, revision: revision, plan: plan, hub: events.NewHub(plan.Run), attempts: map[int]int{}, cost: 60,
		listeners: map[string]*listener{}, relayed: map[string]uint64{}, unproved: true,
	}
	if plan.Scales() {
		r.claims = newClaims(plan)
	}
	return r, nil
}

// open reads the stored pairs of the run, and creates the run's ledger and SPRT. It does nothing if the run
// is open. After an error the run is closed.
func (c *Coordinator) open(ctx context.Context, r *run, now time.Time) (err error) {
	if r.store != nil {
		return nil
	}
	store, err := c.config.Open(ctx, r.plan)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // a half open run would accept results without its SPRT or its tune
			r.store, r.ledger = nil, nil
			err = errors.Join(err, store.Close())
			return
		}
		r.aside = false
	}()
	finished, err := store.Finished(ctx)
	if err != nil {
		return err
	}
	takes, err := store.Takes(ctx)
	if err != nil {
		return err
	}
	var grace time.Duration
	if r.Granted {
		grace = c.config.Lease
	}
	r.store = store
	r.ledger = ledger.New(ledger.Config{
		Pairs: r.plan.Pairs, Finished: func(id int) bool { return finished[id] }, Takes: takes, Epochs: c.epochs,
		Lease: c.config.Lease, Now: now, Grace: grace,
	})
	for _, s := range c.roster.Sessions {
		r.ledger.Enter(s.Name, s.ID)
	}
	for _, pair := range r.Condemned {
		r.ledger.Condemn(pair)
	}
	standings, err := c.rejudge(ctx, r)
	if err != nil {
		return err
	}
	r.publish(match.RunEvent(r.plan, len(finished), standings))
	r.limit()
	return nil
}

// rejudge evaluates all stored pairs again, with a new SPRT, a new tune and new comparisons of workers.
func (c *Coordinator) rejudge(ctx context.Context, r *run) (*match.Standings, error) {
	var standings match.Standings
	var judge *gate.Gate
	course, err := newTuned(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.compares() {
		r.line = c.newLine()
	}
	r.by = make([]string, r.plan.Pairs)
	if !r.plan.Gate.IsZero() {
		if judge, err = gate.New(r.plan.Gate, r.plan.Pairs); err != nil {
			return nil, err
		}
	}
	err = r.store.Rows(ctx, func(rows []match.Row) error {
		standings.AddRows(rows)
		course.resume(rows)
		if err := r.putRows(rows); err != nil {
			return err
		}
		if judge == nil || len(rows) == 0 {
			return nil
		}
		if err := judge.Add(rows[0].Pair, gate.OfRows(rows)); err != nil {
			return err
		}
		r.by[rows[0].Pair] = rows[0].Worker
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: judging the stored pairs: %w", r.Name, err)
	}
	r.gate, r.tune = judge, course.started()
	return &standings, nil
}

// limit updates which pairs the ledger may grant. This depends on the state of the run, its SPRT and its tune.
func (r *run) limit() {
	r.ledger.Over(r.State.Final())
	r.ledger.Pause(r.State != farm.Running)
	if r.tune != nil {
		r.ledger.Until(r.tune.drawable)
	}
	if r.gate != nil {
		r.limitByGate()
	}
}

// limitByGate sets the ledger's window from the number of pairs that the SPRT is expected to need.
func (r *run) limitByGate() {
	r.window = ledger.Window(min(r.gate.Remaining(), float64(r.plan.Pairs-r.ledger.State().Prefix)))
	r.ledger.Window(r.window)
}

// verdict returns the decision of the SPRT, or "" without an SPRT.
func (r *run) verdict() string {
	if r.gate == nil {
		return ""
	}
	return string(r.gate.State().Judgement.Decision)
}

// decided returns the reason why the run needs no more pairs, or "" if it still needs pairs.
func (r *run) decided() string {
	switch state := r.ledger.State(); {
	case r.gate != nil && r.gate.State().Decided():
		return "the gate has decided: " + r.verdict()
	case state.Stored == state.Pairs:
		return "every " + r.word() + " is stored"
	}
	return ""
}

// word returns the unit that the run counts, in the singular: pair or block.
func (r *run) word() string { return (&farm.TestStatus{Selfplay: r.selfplays()}).Unit() }

// selfplays reports whether the run's pairs are blocks of self-play.
func (r *run) selfplays() bool { return r.plan.Design.Kind == match.DesignSelfplay }

// publish sets the number and the time of an event of the run, and sends the event to the hub.
func (r *run) publish(ev match.Event) {
	r.events++
	ev.V, ev.Seq, ev.Time, ev.Run = match.EventVersion, r.events, time.Now(), r.plan.Run
	r.hub.Publish(ev)
}

// publishPair publishes one event for the end of each game of a stored pair. Then it publishes an event that the
// pair counts.
func (r *run) publishPair(p *match.PairResult) {
	for i := range p.Games {
		g := &p.Games[i]
		pair, leg, slot := g.Pair, g.Leg, g.Slot
		black, white := r.plan.Players[g.Players[0]].Name, r.plan.Players[g.Players[1]].Name
		points := r.plan.Rules.Points(g.Verdict)
		ev := match.Event{
			Type: match.EventEnd, Pair: &pair, Leg: &leg, Slot: &slot, Black: black, White: white, Points: &points,
			Outcome: g.Outcome.String(), Termination: g.Termination.String(), Note: g.Note, Plies: len(g.Record.Moves), Marked: g.Marked,
			Sides: &[2]match.Effort{g.Sides[0].Effort(black), g.Sides[1].Effort(white)}, At: g.Ended,
		}
		if g.Questions != (match.Questions{}) {
			ev.Mate = &g.Questions
		}
		r.publish(ev)
	}
	pair := p.Pair.ID
	r.publish(match.Event{Type: match.EventPair, Pair: &pair})
}

// addCost adds the slot-seconds of a pair, by the worker's clock, to the average of the run.
func (r *run) addCost(p *match.PairResult) {
	var sum float64
	for i := range p.Games {
		sum += p.Games[i].Ended.Sub(p.Games[i].Started).Seconds()
	}
	if sum > 0 && sum < 1e6 {
		r.cost += (max(sum, 0.001) - r.cost) / 32
	}
}

// note adds a line to the test's log. It does not move earlier lines in memory, because a copy of the record
// shares them. The caller restores that copy if the change cannot be stored.
func (r *run) note(now time.Time, by, what string) {
	r.noted++
	r.Log = append(r.Log, farm.Change{At: now.Round(0), By: by, What: what})
	r.Log = r.Log[max(0, len(r.Log)-maxLog):]
}

// status returns the status of the run's test, for gogi farm.
func (r *run) status() farm.TestStatus {
	s := farm.TestStatus{
		Run: r.digest, Name: r.Name, Owner: r.Owner, State: r.State, Why: r.Why, Priority: r.Priority, Share: r.Share, Note: r.Note,
		Needs: r.Needs, Log: slices.Clone(r.Log), Pairs: r.plan.Pairs, Condemned: slices.Clone(r.Condemned), Verdict: r.Verdict,
		Selfplay: r.selfplays(), ResultCounts: r.counts, Voided: r.Voided, Aside: r.aside,
	}
	s.Provisional = r.Provisional.text()
	if r.ledger == nil {
		s.Stored = r.stored
		return s
	}
	s.Tune = r.tune.status()
	l := r.ledger.State()
	s.Stored, s.Prefix, s.Held, s.Window, s.Reach, s.LeaseCounts = l.Stored, l.Prefix, l.Held, l.Window, l.Reach, l.Counts.LeaseCounts
	if r.gate != nil {
		g := r.gate.State()
		s.Verdict, s.LLR = string(g.Judgement.Decision), g.Judgement.LLR
		s.Lower, s.Upper = g.Judgement.Lower, g.Judgement.Upper
		if g.Decided() {
			s.Beyond = g.Judgement.Beyond
		}
	}
	return s
}
