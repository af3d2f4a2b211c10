package tests

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

// A Record is the stored part of a test. State stores it in the bucket of tests under the digest of the
// test's plan.
type Record struct {
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
	Provisional *Provisional `cbor:"provisional,omitempty"`
	// Voided describes the pairs that became void last, with the reason. It is "" if no pairs did.
	Voided string `cbor:"voided,omitempty"`
	// Inexact means that an audit has shown that the players do not repeat their games.
	Inexact bool `cbor:"inexact,omitempty"`
	// Logged holds the subjects that the log mentions only once, see Tests.LogOnce.
	Logged []string `cbor:"told,omitempty"`
	// Disputes holds the pairs that became void because two workers disagreed, in the order in which they did.
	Disputes []Dispute `cbor:"disputes,omitempty"`
	// Doubted has the workers whose pairs must become void without a quarantine, with the reasons, see Doubt.
	Doubted map[string]string `cbor:"doubted,omitempty"`
	// Benches has what workers have read in the messages of the commits that they have built.
	Benches []farm.BenchCheck `cbor:"benches,omitempty"`

	noted int // number of lines that this process has added to Log
}

// maxLog limits the lines of a test's log.
const maxLog = 1000

// A Test is a test while this process of the coordinator runs it. Its run is open if workers may play it, see
// Tests.Open.
type Test struct {
	Record
	Digest   string
	Match    *match.Plan // the decoded Plan
	Task     farm.Task
	Hub      *events.Hub
	Attempts map[int]int // number of stored attempts, by pair
	Cost     float64     // slot-seconds of a pair: an average of the latest pairs
	Counts   farm.ResultCounts
	Exact    bool          // the players repeat their games move for move
	Protocol int           // the oldest protocol with which a worker can play the run
	Claims   *trust.Claims // the speeds that the workers' machines claim to have; nil if clocks are not scaled
	Aside    bool          // the run is not open, because the coordinator could not open or evaluate it

	// The following fields are nil unless the run is open.
	Store    Store
	Ledger   *ledger.Ledger
	Gate     *gate.Gate  // nil without an SPRT
	Tune     *Tune       // nil if the run is no tune
	Line     *trust.Line // compares the results of the run's workers; nil if the record has no Rule
	PlayedBy PlayedBy    // only in a run with an SPRT
	Window   int         // the window of the ledger, in a run with an SPRT

	revision uint64
	acted    int // how many of the lines that Record.noted counts are already in the log of the farm
	events   uint64
	stored   int // number of stored pairs when this process started; used while the run is not open
}

// newTest creates a test from its record. It returns an error if the plan does not have the digest.
func newTest(digest string, rec Record, revision uint64) (*Test, error) {
	plan, err := match.DecodePlan(rec.Plan)
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: %w", rec.Name, err)
	}
	if got := plan.Digest(); got != digest {
		return nil, fmt.Errorf("coordinator: test %s: its plan has the digest %s, and is stored as %s", rec.Name, got, digest)
	}

	r := &Test{
		Record: rec, Digest: digest, revision: revision, Match: plan, Hub: events.NewHub(plan.Run), Attempts: map[int]int{},
		Cost: 60,
	}
	if plan.Scales() {
		r.Claims = newClaims(plan)
	}
	switch r.Protocol = farm.Oldest; {
	case trust.FreshPairs(plan):
		r.Protocol = farm.ProtocolFresh
	case plan.Tune != "" || r.Selfplays():
		r.Protocol = farm.ProtocolTunes
	}
	return r, nil
}

// Open reads the stored pairs of the run, and creates the run's ledger and SPRT. It does nothing if the run
// is open. After an error the run is closed.
func (s *Tests) Open(ctx context.Context, r *Test, now time.Time) (err error) {
	if r.Store != nil {
		return nil
	}
	store, err := s.config.Open(ctx, r.Match)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // a half open run would accept results without its SPRT or its tune
			r.Store, r.Ledger = nil, nil
			err = errors.Join(err, store.Close())
			return
		}
		r.Aside = false
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
		grace = s.config.Lease
	}
	r.Store = store
	r.Ledger = ledger.New(ledger.Config{
		Pairs: r.Match.Pairs, Finished: func(id int) bool { return finished[id] }, Takes: takes, Epochs: s.config.Epochs,
		Lease: s.config.Lease, Now: now, Grace: grace, Standing: func(worker string) ledger.Standing {
			return s.Standing(r, worker)
		},
		Apart: func(now time.Time, worker string, pair int) bool { return apart(s, now, r, worker, pair) },
	})
	for _, w := range s.config.Roster.Sessions {
		r.Ledger.Enter(w.Name, w.ID)
	}
	for _, pair := range r.Condemned {
		r.Ledger.Condemn(now, pair)
	}
	standings, err := s.Rejudge(ctx, r)
	if err != nil {
		return err
	}
	r.Publish(match.RunEvent(r.Match, len(finished), standings))
	r.Limit()
	return nil
}

// Rejudge evaluates all stored pairs again, with a new SPRT, a new tune and new comparisons of workers.
func (s *Tests) Rejudge(ctx context.Context, r *Test) (*match.Standings, error) {
	var standings match.Standings
	var sprt *gate.Gate
	course, err := newTune(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Compares() {
		r.Line = newLine(s)
	}
	r.PlayedBy = PlayedBy{}
	if !r.Match.Gate.IsZero() {
		if sprt, err = gate.New(r.Match.Gate, r.Match.Pairs); err != nil {
			return nil, err
		}
	}
	err = r.Store.Rows(ctx, func(rows []match.Row) error {
		standings.AddRows(rows)
		course.resume(rows)
		if err := r.PutRows(rows); err != nil {
			return err
		}
		if sprt == nil || len(rows) == 0 {
			return nil
		}
		if err := sprt.Add(rows[0].Pair, gate.OfRows(rows)); err != nil {
			return err
		}
		r.PlayedBy.Set(rows[0].Pair, rows[0].Worker)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: judging the stored pairs: %w", r.Name, err)
	}
	r.Gate, r.Tune = sprt, course.started()
	return &standings, nil
}

// Limit updates which pairs the ledger may grant. This depends on the state of the run, its SPRT and its tune.
func (r *Test) Limit() {
	r.Ledger.Over(r.State.Final())
	r.Ledger.Pause(r.State != farm.Running)
	if r.Tune != nil {
		r.Ledger.Until(r.Tune.drawable)
	}
	if r.Gate != nil {
		r.LimitByGate()
	}
}

// LimitByGate sets the ledger's window from the number of pairs that the SPRT is expected to need.
func (r *Test) LimitByGate() {
	r.Window = ledger.Window(min(r.Gate.Remaining(), float64(r.Match.Pairs-r.Ledger.State().Prefix)))
	r.Ledger.Window(r.Window)
}

// Decision returns the decision of the SPRT, or "" without an SPRT.
func (r *Test) Decision() string {
	if r.Gate == nil {
		return ""
	}
	return string(r.Gate.State().Judgement.Decision)
}

// Decided returns the reason why the run needs no more pairs, or "" if it still needs pairs.
func (r *Test) Decided() string {
	switch state := r.Ledger.State(); {
	case r.Gate != nil && r.Gate.State().Decided():
		return "the gate has decided: " + r.Decision()
	case state.Stored == state.Pairs:
		return "every " + r.Word() + " is stored"
	}
	return ""
}

// Word returns the unit that the run counts, in the singular: pair or block.
func (r *Test) Word() string { return (&farm.TestStatus{Selfplay: r.Selfplays()}).Unit() }

// Selfplays reports whether the run's pairs are blocks of self-play.
func (r *Test) Selfplays() bool { return r.Match.Design.Kind == match.DesignSelfplay }

// Publish sets the number and the time of an event of the run, and sends the event to the hub.
func (r *Test) Publish(ev match.Event) {
	r.events++
	ev.V, ev.Seq, ev.Time, ev.Run = match.EventVersion, r.events, time.Now(), r.Match.Run
	r.Hub.Publish(ev)
}

// PublishPair publishes one event for the end of each game of a stored pair. Then it publishes an event that the
// pair counts.
func (r *Test) PublishPair(p *match.PairResult) {
	for i := range p.Games {
		g := &p.Games[i]
		pair, leg, slot := g.Pair, g.Leg, g.Slot
		black, white := r.Match.Players[g.Players[0]].Name, r.Match.Players[g.Players[1]].Name
		points := r.Match.Rules.Points(g.Verdict)
		ev := match.Event{
			Type: match.EventEnd, Pair: &pair, Leg: &leg, Slot: &slot, Points: &points,
			GameHead: match.GameHead{Black: black, White: white, Plies: len(g.Record.Moves)},
			Outcome:  g.Outcome.String(), Termination: g.Termination.String(), Note: g.Note, Marked: g.Marked,
			Sides: &[2]match.Effort{g.Sides[0].Effort(black), g.Sides[1].Effort(white)}, At: g.Ended,
		}
		if g.Questions != (match.Questions{}) {
			ev.Mate = &g.Questions
		}
		r.Publish(ev)
	}
	pair := p.Pair.ID
	r.Publish(match.Event{Type: match.EventPair, Pair: &pair})
}

// AddCost adds the slot-seconds of a pair, by the worker's clock, to the average of the run.
func (r *Test) AddCost(p *match.PairResult) {
	var sum float64
	for i := range p.Games {
		sum += p.Games[i].Ended.Sub(p.Games[i].Started).Seconds()
	}
	if sum > 0 && sum < 1e6 {
		r.Cost += (max(sum, 0.001) - r.Cost) / 32
	}
}

// AddLine adds a line to the test's log. It does not move earlier lines in memory, because a copy of the record
// shares them. The caller restores that copy if the change cannot be stored.
func (r *Test) AddLine(now time.Time, by, what string) {
	r.noted++
	r.Log = append(r.Log, farm.Change{At: now.Round(0), By: by, What: what})
	r.Log = r.Log[max(0, len(r.Log)-maxLog):]
}

// Status returns the status of the run's test, for gogi farm.
func (r *Test) Status() farm.TestStatus {
	s := farm.TestStatus{
		Run: r.Digest, Name: r.Name, Owner: r.Owner, State: r.State, Why: r.Why, Priority: r.Priority, Share: r.Share,
		Note:  r.Note,
		Needs: r.Needs, Log: slices.Clone(r.Log), Pairs: r.Match.Pairs, Condemned: slices.Clone(r.Condemned),
		Verdict:  r.Verdict,
		Selfplay: r.Selfplays(), ResultCounts: r.Counts, Voided: r.Voided, Aside: r.Aside,
		Benches: slices.Clone(r.Benches),
	}
	s.Provisional = r.Provisional.Why()
	if r.Ledger == nil {
		s.Stored = r.stored
		return s
	}
	s.Tune = r.Tune.Status()
	l := r.Ledger.State()
	s.Stored, s.Prefix, s.Held, s.Window, s.Reach, s.LeaseCounts = l.Stored, l.Prefix, l.Held, l.Window, l.Reach,
		l.Counts.LeaseCounts
	if r.Gate != nil {
		g := r.Gate.State()
		s.Verdict, s.LLR = string(g.Judgement.Decision), g.Judgement.LLR
		s.Lower, s.Upper = g.Judgement.Lower, g.Judgement.Upper
		if g.Decided() {
			s.Beyond = g.Judgement.Beyond
		}
	}
	return s
}
