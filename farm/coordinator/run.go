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

// record is what is kept of a test, in the bucket of tests under its plan's digest.
type record struct {
	Plan      []byte            `cbor:"plan"`
	Name      string            `cbor:"name"`
	Owner     string            `cbor:"owner"`
	By        string            `cbor:"by"` // the key that submitted it
	Number    int               `cbor:"number"`
	State     farm.State        `cbor:"state"`
	Why       string            `cbor:"why"`
	Priority  int               `cbor:"priority"`
	Share     float64           `cbor:"share"`
	Note      string            `cbor:"note"`
	Needs     map[string]string `cbor:"needs"`
	Condemned []int             `cbor:"condemned"`
	Granted   bool              `cbor:"granted"` // it was running once: workers may hold leases of it
	Verdict   string            `cbor:"verdict"` // the latest that was told
	Log       []farm.Change     `cbor:"log"`
	// Rule is by which workers are quarantined because of this test's results, without
	// anybody's word; as of when it was handed in.
	Rule string `cbor:"rule"`
	// Evidence is what its residuals said of its workers when it ended: logarithms of
	// e-values.
	Evidence map[string]float64 `cbor:"evidence,omitempty"`
	// Told is what the log says once only was said of, see Coordinator.tellOnce.
	Told []string `cbor:"told,omitempty"`
}

// maxLog bounds a test's log.
const maxLog = 1000

// run is a test in this process.
type run struct {
	record
	digest   string
	revision uint64
	plan     *match.Plan
	task     farm.Task

	// Of a run that is open, see Coordinator.open; else nil.
	store   Store
	ledger  *ledger.Ledger
	gate    *gate.Gate // nil: it has none
	tune    *tuned     // nil: it is none
	hub     *events.Hub
	events  uint64
	heard   map[string]*heard // workers that are listened to while somebody watches
	relayed map[string]uint64 // how many events of each were published

	attempts map[int]int // that were stored, by pair
	cost     float64     // of a pair, in slot-seconds: an average of the latest
	counts   counts
	exact    bool          // its games can be played again move for move
	claims   *trust.Claims // of workers' speeds, since the start; nil: its clocks are not scaled
	audits   []*audit
	line     *trust.Line // compares its workers; nil: it is not open, or accuses nobody
}

// counts are of what came for a run since the start.
type counts struct{ added, duplicates, refused, stale, agreed, differed int }

// newRun makes a run of what is kept of it.
func newRun(digest string, rec record, revision uint64) (*run, error) {
	plan, err := match.DecodePlan(rec.Plan)
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: %w", rec.Name, err)
	}
	if got := plan.Digest(); got != digest {
		return nil, fmt.Errorf("coordinator: test %s: its plan has the digest %s, and is kept as %s", rec.Name, got, digest)
	}
	r := &run{record: rec, digest: digest, revision: revision, plan: plan, hub: events.NewHub(plan.Run), attempts: map[int]int{}, cost: 60, heard: map[string]*heard{}, relayed: map[string]uint64{}}
	if plan.Scales() {
		r.claims = newClaims(plan)
	}
	return r, nil
}

// open reads what is stored of the run, and begins its ledger and its gate.
func (c *Coordinator) open(ctx context.Context, r *run, now time.Time) (err error) {
	if r.store != nil {
		return nil
	}
	store, err := c.config.Open(ctx, r.plan)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // half open, results would be taken without a gate's or a tune's word
			r.store, r.ledger = nil, nil
			err = errors.Join(err, store.Close())
		}
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
	for _, s := range c.sessions {
		r.ledger.Enter(s.name, s.session)
	}
	for _, pair := range r.Condemned {
		r.ledger.Condemn(pair)
	}
	standings, err := c.rejudge(ctx, r)
	if err != nil {
		return err
	}
	r.publish(match.RunEvent(r.plan, len(finished), standings))
	r.obey()
	return nil
}

// rejudge asks a new gate about all that is stored.
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
		return judge.Add(rows[0].Pair, gate.OfRows(rows))
	})
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: judging what is stored: %w", r.Name, err)
	}
	r.gate, r.tune = judge, course.begun()
	return &standings, nil
}

// obey makes the ledger do what the state and the gate say.
func (r *run) obey() {
	r.ledger.Over(r.State.Final())
	r.ledger.Pause(r.State != farm.Running)
	if r.tune != nil {
		r.ledger.Until(r.tune.drawable)
	}
	if r.gate != nil {
		r.ledger.Window(ledger.Window(r.remaining()))
	}
}

// remaining is how many pairs the gate is expected to need still, at the present estimate.
func (r *run) remaining() float64 {
	return min(r.gate.Remaining(), float64(r.plan.Pairs-r.ledger.State().Prefix))
}

// verdict is what the gate says.
func (r *run) verdict() string {
	if r.gate == nil {
		return ""
	}
	return string(r.gate.State().Judgement.Decision)
}

// decided says why nothing more is to be played, "" where something is.
func (r *run) decided() string {
	switch state := r.ledger.State(); {
	case r.gate != nil && r.gate.State().Decided():
		return "the gate has decided: " + r.verdict()
	case state.Stored == state.Pairs:
		return "every " + r.word() + " is stored"
	}
	return ""
}

// word is what the run's units are, in the singular.
func (r *run) word() string { return (&farm.TestStatus{Selfplay: r.selfplays()}).Unit() }

// selfplays reports whether the run's pairs are blocks of self-play.
func (r *run) selfplays() bool { return r.plan.Design.Kind == match.DesignSelfplay }

// publish numbers and stamps an event of the run, for whoever watches.
func (r *run) publish(ev match.Event) {
	r.events++
	ev.V, ev.Seq, ev.Time, ev.Run = match.EventVersion, r.events, time.Now(), r.plan.Run
	r.hub.Publish(ev)
}

// tellPair publishes the ends of a stored pair's games, and that it counts.
func (r *run) tellPair(p *match.PairResult) {
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

// took counts how long a pair has kept a slot, in its worker's own time.
func (r *run) took(p *match.PairResult) {
	var sum float64
	for i := range p.Games {
		sum += p.Games[i].Ended.Sub(p.Games[i].Started).Seconds()
	}
	if sum > 0 && sum < 1e6 {
		r.cost += (max(sum, 0.001) - r.cost) / 32
	}
}

// needTrust is the need that no label of a worker meets, but what the farm itself knows of it:
// the least of Worker.Trust. A tune learns from results at once, so that audits come too late
// for it: who wants none of untrusted workers in it says so here.
const needTrust = "trust"

// levels of trust, from the least.
var levels = []string{trustNone, trustSome, trustOwner} //nolint:gochecknoglobals // a constant

// fits reports whether a worker has the labels that the test needs.
func (c *Coordinator) fits(r *run, worker string, labels map[string]string) bool {
	for label, want := range r.Needs {
		if label == needTrust {
			if w := c.workers[worker]; w == nil || slices.Index(levels, w.Trust) < slices.Index(levels, want) {
				return false
			}
			continue
		}
		if labels[label] != want {
			return false
		}
	}
	return true
}

// note adds a line to the test's log. The lines of before stay where they are: a copy of the
// record, kept for when the change cannot be stored, shares them.
func (r *run) note(now time.Time, by, what string) {
	r.Log = append(r.Log, farm.Change{At: now.Round(0), By: by, What: what})
	r.Log = r.Log[max(0, len(r.Log)-maxLog):]
}

// status is the test for others.
func (r *run) status() farm.TestStatus {
	s := farm.TestStatus{
		Run: r.digest, Name: r.Name, Owner: r.Owner, State: r.State, Why: r.Why, Priority: r.Priority, Share: r.Share, Note: r.Note,
		Needs: r.Needs, Log: slices.Clone(r.Log), Pairs: r.plan.Pairs, Condemned: slices.Clone(r.Condemned), Verdict: r.Verdict,
		Selfplay: r.selfplays(), Added: r.counts.added, Duplicates: r.counts.duplicates, Refused: r.counts.refused, Stale: r.counts.stale, Agreed: r.counts.agreed, Differed: r.counts.differed,
	}
	if r.ledger == nil {
		return s
	}
	s.Tune = r.tune.status()
	l := r.ledger.State()
	s.Stored, s.Prefix, s.Held, s.Window, s.Reach = l.Stored, l.Prefix, l.Held, l.Window, l.Reach
	s.Granted, s.Expired, s.Adopted, s.Returned = l.Counts.Granted, l.Counts.Expired, l.Counts.Adopted, l.Counts.Returned
	s.Revoked, s.Regranted, s.Lost = l.Counts.Revoked, l.Counts.Regranted, l.Counts.Lost
	if r.gate != nil {
		g := r.gate.State()
		s.Verdict, s.LLR = string(g.Judgement.Decision), g.Judgement.LLR
		if g.Decided() {
			s.Beyond = g.Judgement.Beyond
		}
	}
	return s
}
