// Package tests runs the tests of a farm. [Tests] reads and stores them, opens their runs, and changes their states.
// A [Test] has what one run consists of: its record, its store, its ledger of leases, its SPRT and its tune. The
// package does not decide which worker plays a pair, and does not read results.
package tests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/trust"
	"gogi/results/farmstate"
)

// A Config is the input of New. Auditor, Stored and Lacks may be nil.
type Config struct {
	State  entries.State
	Roster *roster.Roster
	Epochs *ledger.Epochs
	Sign   farm.Signer // signs with the coordinator's key
	// Send publishes a message on a subject of the bus.
	Send func(subject string, body []byte) error
	// Open opens the store of a plan, and creates the store if it is missing.
	Open  func(ctx context.Context, plan *match.Plan) (Store, error)
	Lease time.Duration
	// Exact reports whether the plan's players repeat their games move for move. If it is nil, nothing is audited.
	Exact func(p *match.Plan) bool
	// Stored returns the numbers of stored pairs by plan digest. If it is nil, the status shows no stored pairs
	// for tests that had ended before the start.
	Stored func(ctx context.Context) (map[string]int, error)
	// Lacks reports whether the store may lack pairs of an ended test with this digest, because this process continues
	// the work of another machine.
	Lacks func(digest string) bool
	Log   *slog.Logger
}

// Tests has all tests of a farm. The caller guards it with a lock. Other packages read the fields of a Test, and change
// its record only through methods of Tests.
type Tests struct {
	All    map[string]*Test // by the digest of the plan
	Unread []farm.Unread    // stored tests that this program cannot decode, see setUnread
	// VoidDue is set if pairs may have to become void: VoidReason may have a reason for a worker of a test, or a
	// dispute may be settled.
	VoidDue bool
	// Changed is called after the state, the priority or the share of a test has changed.
	Changed func(*Test)

	config Config
}

// bucket has the records of tests by the digest of the plan.
const bucket = "tests"

// New returns an empty list of tests.
func New(c Config) *Tests {
	return &Tests{All: map[string]*Test{}, VoidDue: true, Changed: func(*Test) {}, config: c}
}

func (s *Tests) Read(ctx context.Context) error {
	err := s.config.State.Each(ctx, bucket, func(digest string, body []byte, revision uint64) error {
		var rec Record
		err := farm.Decode(body, &rec)
		var r *Test
		if err == nil {
			r, err = newTest(digest, rec, revision)
		}
		if err != nil {
			setUnread(s, digest, rec.Name, err)
			return nil
		}
		return s.enter(ctx, r)
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the tests: %w", err)
	}
	return nil
}

// ReadStored reads the number of stored pairs of each test. It does not open tests that have ended.
func (s *Tests) ReadStored(ctx context.Context) error {
	if s.config.Stored == nil {
		return nil
	}
	stored, err := s.config.Stored(ctx)
	entries.Warn(s.config.Log, err, "the stored pairs of ended tests are unknown")
	for digest, r := range s.All {
		r.stored = stored[digest]
	}
	return ctx.Err()
}

// setUnread records a test that this program cannot decode, for example because a later version wrote its
// plan. The other tests are played. A program that can decode the test resumes it. The coordinator rejects
// results of such a test like results of a deleted test, and the pairs are played again.
func setUnread(s *Tests, digest, name string, why error) {
	s.config.Log.Error("a test cannot be decoded", "run", cmp.Or(name, digest), "err", why)
	s.Unread = append(s.Unread, farm.Unread{Run: digest, Name: name, Why: why.Error()})
}

// enter adds a run to the coordinator. It opens the run if workers may play it now.
func (s *Tests) enter(ctx context.Context, r *Test) error {
	r.Task = farm.Task{Run: r.Digest, Name: r.Name, Plan: r.Plan, Owner: r.Owner, Approved: r.State != farm.Submitted}
	if err := r.Task.Sign(s.config.Sign); err != nil {
		return err
	}
	s.All[r.Digest] = r
	r.Exact = s.config.Exact != nil && !r.Inexact && s.config.Exact(trust.WithOneThread(r.Match, r.OneThread))
	if r.State == farm.Over && s.config.Lacks != nil && s.config.Lacks(r.Digest) {
		if err := complete(ctx, s, r); err != nil {
			return err
		}
	}
	if r.State != farm.Running && r.State != farm.Paused {
		return nil
	}
	if err := s.Open(ctx, r, time.Now()); err != nil {
		if ctx.Err() != nil {
			return err // the test is not the cause
		}
		s.SetAside(ctx, r, err)
	}
	s.Changed(r)
	return nil
}

// complete lets a test run again if it has ended, and the store lacks pairs on which its end depends.
func complete(ctx context.Context, s *Tests, r *Test) error {
	if err := s.Open(ctx, r, time.Now()); err != nil {
		if ctx.Err() == nil {
			s.SetAside(ctx, r, err)
			return nil
		}
		return err
	}
	if r.Decided() != "" {
		return nil
	}
	return s.Turn(ctx, r, farm.Running, "farm",
		"the former leader had pairs that this machine lacks; workers play them again")
}

// SetAside closes a test that cannot be opened or evaluated, so that the other tests continue. It also pauses
// the test, unless the test was stopped or has failed. It pauses a test in the state Over, too, because the
// test may lack pairs now. A resume or the next process opens the test again.
func (s *Tests) SetAside(ctx context.Context, r *Test, why error) {
	s.config.Log.Error("a test is set aside", "run", r.Name, "err", why)
	if r.Store != nil {
		entries.Warn(s.config.Log, r.Store.Close(), "a store was not closed", "run", r.Name)
	}
	r.Store, r.Ledger, r.Gate, r.Tune, r.Line, r.Aside = nil, nil, nil, nil, nil, true
	if what := "it cannot be opened: " + why.Error(); r.State != farm.Stopped && r.State != farm.Failed &&
		(r.State != farm.Paused || r.Why != what) {
		r.State, r.Why, r.Provisional = farm.Paused, what, nil
		r.AddLine(time.Now(), "farm", string(farm.Paused)+farm.Because(what))
		entries.Warn(s.config.Log, s.Keep(ctx, r), "the pause of a test was not stored", "run", r.Name)
	}
	s.Changed(r)
	s.Hint(r)
}

// Keep stores the record of a test, and adds the new lines of its log to the log of the farm.
func (s *Tests) Keep(ctx context.Context, r *Test) error {
	var actions []farmstate.Action
	for _, l := range r.Log[max(0, len(r.Log)-(r.noted-r.acted)):] {
		actions = append(actions, farmstate.Action{At: l.At, By: l.By, On: farmstate.OnTest, Name: r.Name, What: l.What})
	}
	if err := entries.Save(ctx, s.config.State, bucket, r.Digest, r.Record, &r.revision, actions...); err != nil {
		return fmt.Errorf("coordinator: test %s: %w", r.Name, err)
	}
	r.acted = r.noted
	return nil
}

// Turn changes the state of a test. by is the name of the user's key or "farm", and why the reason. turn stores the
// record before the change takes effect.
func (s *Tests) Turn(ctx context.Context, r *Test, state farm.State, by, why string) error {
	now := time.Now()
	if state == farm.Running || state == farm.Paused {
		// turn opens the run before it stores the record. Otherwise the record could name a state in which no later
		// process can open the test.
		if err := s.Open(ctx, r, now); err != nil {
			return fmt.Errorf("coordinator: test %s cannot be opened: %w", r.Name, err)
		}
	}
	before := r.Record
	r.State, r.Why = state, why
	r.AddLine(now, by, string(state)+farm.Because(why))
	r.Granted = r.Granted || state == farm.Running
	if r.Gate != nil {
		r.Verdict = r.Decision()
	}
	if state == farm.Over && r.Gate != nil && r.Gate.State().Decided() {
		r.Voided = "" // it may say that an earlier verdict is withdrawn; the log keeps it
	}
	if state.Final() {
		r.Evidence = r.CurrentEvidence()
	}
	r.Provisional = nil
	if state == farm.Over || r.Gate != nil && r.Gate.State().Decided() { // pushed and late pairs decide in any state
		r.Provisional = provisional(s, r)
	}
	if r.Gate != nil {
		// The store gets this remark before the record does. Otherwise a reader of the database could see a
		// verdict without the remark.
		if err := r.Store.SetProvisional(ctx, r.Provisional.Why()); err != nil {
			r.Record = before
			return fmt.Errorf("coordinator: test %s: %w", r.Name, err)
		}
	}
	if err := s.Keep(ctx, r); err != nil {
		r.Record = before
		return err
	}
	r.Task.Approved = state != farm.Submitted
	if err := r.Task.Sign(s.config.Sign); err != nil {
		return err
	}
	if r.Ledger != nil {
		r.Limit()
	}
	s.VoidDue = s.VoidDue || state == farm.Running // no pair became void while the test was stopped
	s.Changed(r)
	s.Hint(r)
	return nil
}

// Hint publishes a change of a test at once, because heartbeats would report the change some seconds later.
func (s *Tests) Hint(r *Test) {
	var h farm.Hint
	subject := farm.SubjectRun + r.Digest
	switch {
	case r.State.Final():
		h.Over = []string{r.Digest}
	case r.State == farm.Paused:
		h.Paused = []string{r.Digest}
	case r.State == farm.Running:
		h.Ask, subject = true, farm.SubjectAll
	default:
		return
	}
	entries.Warn(s.config.Log, s.Publish(subject, h), "a hint was not sent", "run", r.Name)
}

// Publish sends a hint. Heartbeats have the same information, so the caller may ignore the error.
func (s *Tests) Publish(subject string, h farm.Hint) error {
	body, err := farm.Encode(h)
	if err != nil {
		return err
	}
	return s.config.Send(subject, body)
}

// Examine ends a run that needs no more pairs, and pauses a run that cannot continue. ended is true if the run needs
// no more pairs.
func (s *Tests) Examine(ctx context.Context, r *Test) (ended bool) {
	if r.State != farm.Running {
		return false
	}
	examineCrashes(ctx, s, time.Now(), r)
	examineTune(ctx, s, r)
	if why := r.Decided(); why != "" && r.State == farm.Running {
		r.Ledger.Over(true) // even if the new state cannot be stored now
		entries.Warn(s.config.Log, s.Turn(ctx, r, farm.Over, "farm", why), "a test did not end", "run", r.Name)
		return true
	}
	return false
}

// InOrder returns the runs in the order of submission.
func (s *Tests) InOrder() []*Test {
	return slices.SortedFunc(maps.Values(s.All), func(a, b *Test) int { return a.Number - b.Number })
}

// Names returns the names, digests and states of the tests in the order of submission.
func (s *Tests) Names() []farm.TestStatus {
	return lists.Map(s.InOrder(), func(r *Test) farm.TestStatus {
		return farm.TestStatus{Name: r.Name, Run: r.Digest, State: r.State}
	})
}

// Found returns the test that a user means by a name, a digest or the beginning of a digest, or a rejection.
func (s *Tests) Found(test string) (*Test, error) { return s.found(test, farm.Found) }

// FoundForOrder is Found for requests that change the test, see farm.FoundForOrder.
func (s *Tests) FoundForOrder(test string) (*Test, error) { return s.found(test, farm.FoundForOrder) }

func (s *Tests) found(test string, find func([]farm.TestStatus, string) (int, error)) (*Test, error) {
	if r := s.All[test]; r != nil {
		return r, nil
	}
	names := s.Names()
	i, err := find(names, test)
	if err != nil {
		return nil, err
	}
	return s.All[names[i].Run], nil
}

// mayCondemn is the number of given-up pairs at which the coordinator pauses a run without an SPRT. It pauses a run
// with an SPRT, or a tune, at the first given-up pair, because they can use no results beyond a missing pair.
const mayCondemn = 3

// Running returns the number of an owner's running tests.
func (s *Tests) Running(owner string) (n int) {
	for _, r := range s.All {
		if r.Owner == owner && r.State == farm.Running {
			n++
		}
	}
	return n
}

// HeldBy returns the number of a worker's leases in all tests, and the number of leases that the worker has
// not reported as finished.
func (s *Tests) HeldBy(worker string) (held, playing int) {
	for _, r := range s.All {
		if r.Ledger != nil {
			held += r.Ledger.HeldBy(worker)
			playing += r.Ledger.Playing(worker)
		}
	}
	return held, playing
}

// Join tells the ledgers that a worker has begun a session.
func (s *Tests) Join(worker, session string) {
	for _, r := range s.All {
		if r.Ledger != nil {
			r.Ledger.Enter(worker, session)
		}
	}
}

// Leave ends the leases of a worker. If it has a session, the session can get new ones.
func (s *Tests) Leave(now time.Time, worker string) {
	for _, r := range s.All {
		if r.Ledger == nil {
			continue
		}
		r.Ledger.Leave(now, worker)
		if w := s.config.Roster.Sessions[worker]; w != nil {
			r.Ledger.Enter(worker, w.ID)
		}
	}
}

// Drained tells the ledgers that all results that were published before the time at have been processed.
func (s *Tests) Drained(at time.Time) {
	for _, r := range s.All {
		if r.Ledger != nil {
			r.Ledger.Drained(at)
		}
	}
}

// Close closes the hubs and the stores of all tests.
func (s *Tests) Close() error {
	var errs []error
	for _, r := range s.All {
		r.Hub.Close()
		if r.Store != nil {
			errs = append(errs, r.Store.Close())
		}
	}
	return errors.Join(errs...)
}

// Drain sends a hint to a worker that must stop, so that the worker does not wait for its next heartbeat.
func (s *Tests) Drain(name string, w *roster.Worker) {
	if w.Draining || w.Quarantine != "" {
		_ = s.Publish(farm.SubjectWorker+name, farm.Hint{Say: farm.SayDrain})
	}
}
