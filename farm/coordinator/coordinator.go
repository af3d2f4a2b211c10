package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/results/farmstate"
	"gogi/runner/events"
)

// A Coordinator is one coordinating process of a farm. Create it with New, and run it with Serve. Its
// exported methods may be called by several goroutines.
type Coordinator struct {
	config Config
	boot   uint32

	verifies func(*match.Plan, *match.PairResult) error // checkBrought, or a replacement in a test

	// judging is locked while results are stored and while pairs are voided, so that storing and voiding never
	// overlap. It is locked before mu.
	judging sync.Mutex

	// mu guards all fields below. It is not locked while results are stored. It is locked while tests change,
	// which is rare.
	mu       sync.Mutex
	runs     map[string]*run
	unread   []farm.Unread        // stored tests that this program cannot decode, see setUnread
	allowed  map[string]allowance // allowances by owner
	roster   *roster.Roster
	schedule ledger.Schedule
	epochs   *ledger.Epochs
	judge    farm.JudgeStatus
	day      time.Time                // the UTC day to which spent applies
	spent    map[string]time.Duration // slot-time that the tests of each owner have used on this day
	voidDue  bool                     // a worker was quarantined, so its pairs may have to become void
	broken   error                    // the failure of a store, after which nothing is granted or acknowledged
	update   updating

	people *roster.People
	builds sync.Mutex // is locked while recipes change
	played played
}

// These are the buckets of the state with the records of tests, the waiting audits and the agreed audits, all by the
// test's digest.
const (
	bucketTests  = "tests"
	bucketAudits = "audits"
	bucketAgreed = "agreed"
)

// New creates a coordinator from the stored state of a farm. It stores the number of this start (boot) before
// it grants any pair, because the numbers of grants contain it.
func New(ctx context.Context, c Config) (*Coordinator, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	k := &Coordinator{
		config: c, verifies: checkBrought, runs: map[string]*run{}, allowed: map[string]allowance{},
		roster:   roster.New(roster.Config{State: c.State, Keys: c.Keys, Log: c.Log, Bar: c.Bar}),
		schedule: ledger.Schedule{OwnerMax: c.OwnerMax}, epochs: &ledger.Epochs{}, voidDue: true,
	}
	k.people = roster.NewPeople(c.State, c.Keys, k.suspicion)
	for _, read := range []func(context.Context) error{k.countBoot, k.roster.Read, k.readUpdate, k.readTests, k.readAudits, k.readStored, k.readSpent} {
		if err := read(ctx); err != nil {
			return nil, errors.Join(err, k.close())
		}
	}
	return k, nil
}

// suspicion returns a text about the worker of an owner that is in quarantine, or "".
func (c *Coordinator) suspicion(owner string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	bad := c.roster.Suspect(owner)
	if bad == "" {
		return ""
	}
	return fmt.Sprintf("%s of this person is in quarantine: %s", bad, c.roster.Workers[bad].Quarantine)
}

// SignUp stores a sign-up (the request of a person for a key), see [roster.People.SignUp].
func (c *Coordinator) SignUp(ctx context.Context, s farm.SignUp) error {
	return c.people.SignUp(ctx, s)
}

// countBoot stores the number of this start (boot). It then begins a new range of epochs, the numbers of grants, so
// that no two boots issue the same epoch.
func (c *Coordinator) countBoot(ctx context.Context) error {
	var last struct {
		Boot uint32 `cbor:"boot"`
	}
	revision, err := entries.Load(ctx, c.config.State, "boot", &last)
	if err != nil {
		return fmt.Errorf("coordinator: reading the number of boots: %w", err)
	}
	last.Boot++
	if err := entries.Save(ctx, c.config.State, entries.Farm, "boot", last, &revision); err != nil {
		return fmt.Errorf("coordinator: counting a boot: %w", err)
	}
	c.boot = last.Boot
	*c.epochs = *ledger.NewEpochs(c.boot) // the ledgers share it
	return nil
}

func (c *Coordinator) readTests(ctx context.Context) error {
	err := c.config.State.Each(ctx, bucketTests, func(digest string, body []byte, revision uint64) error {
		var rec record
		err := farm.Decode(body, &rec)
		var r *run
		if err == nil {
			r, err = newRun(digest, rec, revision)
		}
		if err != nil {
			c.setUnread(digest, rec.Name, err)
			return nil
		}
		return c.enter(ctx, r)
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the tests: %w", err)
	}
	return nil
}

// readStored reads the number of stored pairs of each test. It does not open tests that have ended.
func (c *Coordinator) readStored(ctx context.Context) error {
	if c.config.Stored == nil {
		return nil
	}
	stored, err := c.config.Stored(ctx)
	entries.Warn(c.config.Log, err, "the stored pairs of ended tests are unknown")
	for digest, r := range c.runs {
		r.stored = stored[digest]
	}
	return ctx.Err()
}

// setUnread records a test that this program cannot decode, for example because a later version wrote its
// plan. The other tests are played. A program that can decode the test resumes it. The coordinator rejects
// results of such a test like results of a deleted test, and the pairs are played again.
func (c *Coordinator) setUnread(digest, name string, why error) {
	c.config.Log.Error("a test cannot be decoded", "run", cmp.Or(name, digest), "err", why)
	c.unread = append(c.unread, farm.Unread{Run: digest, Name: name, Why: why.Error()})
}

// enter adds a run to the coordinator. It opens the run if workers may play it now.
func (c *Coordinator) enter(ctx context.Context, r *run) error {
	r.task = farm.Task{Run: r.digest, Name: r.Name, Plan: r.Plan, Owner: r.Owner, Approved: r.State != farm.Submitted}
	if err := r.task.Sign(c.config.Sign); err != nil {
		return err
	}
	c.runs[r.digest] = r
	r.exact = c.config.Auditor != nil && !r.Inexact && c.config.Auditor.Exact(r.plan)
	if r.State == farm.Over && c.config.Lacks != nil && c.config.Lacks(r.digest) {
		if err := c.complete(ctx, r); err != nil {
			return err
		}
	}
	if r.State != farm.Running && r.State != farm.Paused {
		return nil
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		if ctx.Err() != nil {
			return err // the test is not the cause
		}
		c.setAside(ctx, r, err)
	}
	c.place(r)
	return nil
}

// complete lets a test run again if it has ended, and the store lacks pairs on which its end depends.
func (c *Coordinator) complete(ctx context.Context, r *run) error {
	if err := c.open(ctx, r, time.Now()); err != nil {
		if ctx.Err() == nil {
			c.setAside(ctx, r, err)
			return nil
		}
		return err
	}
	if r.decided() != "" {
		return nil
	}
	return c.turn(ctx, r, farm.Running, "farm", "the former leader had pairs that this machine lacks; workers play them again")
}

// setAside closes a test that cannot be opened or evaluated, so that the other tests continue. It also pauses
// the test, unless the test was stopped or has failed. It pauses a test in the state Over, too, because the
// test may lack pairs now. A resume or the next process opens the test again.
func (c *Coordinator) setAside(ctx context.Context, r *run, why error) {
	c.config.Log.Error("a test is set aside", "run", r.Name, "err", why)
	if r.store != nil {
		entries.Warn(c.config.Log, r.store.Close(), "a store was not closed", "run", r.Name)
	}
	r.store, r.ledger, r.gate, r.tune, r.line, r.aside = nil, nil, nil, nil, nil, true
	if what := "it cannot be opened: " + why.Error(); r.State != farm.Stopped && r.State != farm.Failed && (r.State != farm.Paused || r.Why != what) {
		r.State, r.Why, r.Provisional = farm.Paused, what, nil
		r.note(time.Now(), "farm", string(farm.Paused)+farm.Because(what))
		entries.Warn(c.config.Log, c.keep(ctx, r), "the pause of a test was not stored", "run", r.Name)
	}
	c.place(r)
	c.hint(r)
}

// place adds a run to the schedule if its state is Running, and otherwise removes it from the schedule.
func (c *Coordinator) place(r *run) {
	if r.State != farm.Running {
		c.schedule.Remove(r.digest)
		return
	}
	c.schedule.Set(ledger.Test{
		Run: r.digest, Owner: r.Owner, Priority: r.Priority, Share: r.Share, Cost: max(r.cost, 1e-3), Spent: c.overspent(time.Now(), r.Owner) != "",
	})
	c.schedule.Held(r.digest, r.ledger.Held())
}

// keep stores the record of a test, and adds the new lines of its log to the log of the farm.
func (c *Coordinator) keep(ctx context.Context, r *run) error {
	var actions []farmstate.Action
	for _, l := range r.Log[max(0, len(r.Log)-(r.noted-r.acted)):] {
		actions = append(actions, farmstate.Action{At: l.At, By: l.By, On: farmstate.OnTest, Name: r.Name, What: l.What})
	}
	if err := entries.Save(ctx, c.config.State, bucketTests, r.digest, r.record, &r.revision, actions...); err != nil {
		return fmt.Errorf("coordinator: test %s: %w", r.Name, err)
	}
	r.acted = r.noted
	return nil
}

// turn changes the state of a test. by is the name of the user's key or "farm", and why the reason. turn stores the
// record before the change takes effect. The caller holds mu.
func (c *Coordinator) turn(ctx context.Context, r *run, state farm.State, by, why string) error {
	now := time.Now()
	if state == farm.Running || state == farm.Paused {
		// turn opens the run before it stores the record. Otherwise the record could name a state in which no later
		// process can open the test.
		if err := c.open(ctx, r, now); err != nil {
			return fmt.Errorf("coordinator: test %s cannot be opened: %w", r.Name, err)
		}
	}
	before := r.record
	r.State, r.Why = state, why
	r.note(now, by, string(state)+farm.Because(why))
	r.Granted = r.Granted || state == farm.Running
	if r.gate != nil {
		r.Verdict = r.verdict()
	}
	if state.Final() {
		r.Evidence = r.evidence()
	}
	r.Provisional, r.samples = nil, nil
	if state == farm.Over || r.gate != nil && r.gate.State().Decided() { // pushed and late pairs decide in any state
		r.Provisional = c.provisional(r)
	}
	if r.gate != nil {
		// The store gets this remark before the record does. Otherwise a reader of the database could see a
		// verdict without the remark.
		if err := r.store.SetProvisional(ctx, r.Provisional.text()); err != nil {
			r.record = before
			return fmt.Errorf("coordinator: test %s: %w", r.Name, err)
		}
	}
	if err := c.keep(ctx, r); err != nil {
		r.record = before
		return err
	}
	r.task.Approved = state != farm.Submitted
	if err := r.task.Sign(c.config.Sign); err != nil {
		return err
	}
	if r.ledger != nil {
		r.limit()
	}
	c.place(r)
	c.hint(r)
	return nil
}

// hint publishes a change of a test at once, because heartbeats would report the change some seconds later.
func (c *Coordinator) hint(r *run) {
	var h farm.Hint
	subject := farm.SubjectRun + r.digest
	switch {
	case r.State.Final():
		h.Over = []string{r.digest}
	case r.State == farm.Paused:
		h.Paused = []string{r.digest}
	case r.State == farm.Running:
		h.Ask, subject = true, farm.SubjectAll
	default:
		return
	}
	entries.Warn(c.config.Log, c.publish(subject, h), "a hint was not sent", "run", r.Name)
}

// publish sends a hint. Heartbeats have the same information, so the caller may ignore the error.
func (c *Coordinator) publish(subject string, h farm.Hint) error {
	body, err := farm.Encode(h)
	if err != nil {
		return err
	}
	return c.config.Bus.Send(subject, body)
}

// fail records an error after which this process grants nothing and acknowledges no result. It returns err.
func (c *Coordinator) fail(err error) error {
	if c.broken == nil {
		c.broken = err
		c.config.Log.Error("the coordinator stops", "err", err)
	}
	return err
}

// Serve answers requests and processes results until ctx ends or a store fails. It returns the store's error.
func (c *Coordinator) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for subject, f := range map[string]func(context.Context, string, []byte) (any, error){
		farm.SubjectHello + "*": c.hello, farm.SubjectLease + "*": c.lease, farm.SubjectBeat + "*": c.beat, farm.SubjectAdmin + "*.*": c.admin,
	} {
		stop, err := c.config.Bus.Answer(subject, f)
		if err != nil {
			return err
		}
		defer stop()
	}
	_ = c.publish(farm.SubjectAll, farm.Hint{Ask: true})
	var working sync.WaitGroup
	working.Go(func() { cancel(c.judgeAll(ctx)) })
	working.Go(func() { c.tick(ctx) })
	working.Wait()
	c.mu.Lock()
	err := c.broken
	c.mu.Unlock()
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return errors.Join(err, c.close())
}

// tick calls expire ten times in the lifetime of a lease, until ctx ends.
func (c *Coordinator) tick(ctx context.Context) {
	every := time.NewTicker(c.config.Lease / 10)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		c.mu.Lock()
		c.expire(ctx, time.Now())
		c.mu.Unlock()
		c.voidBarred(ctx)
	}
}

// expire ends expired leases, starts tests that may start, and does other periodic work.
func (c *Coordinator) expire(ctx context.Context, now time.Time) {
	slots := 0
	for _, s := range c.roster.Sessions {
		if now.Sub(s.Seen) < 2*c.config.Lease {
			slots += c.roster.Slots(s)
		}
	}
	c.schedule.Slots = slots
	for _, r := range c.inOrder() {
		r.expireAudits(now)
		c.prove(ctx, now, r)
		c.keepAudits(ctx, r)
		if r.ledger == nil {
			continue
		}
		if expired := r.ledger.Expire(now); len(expired) > 0 {
			c.config.Log.Info("leases expired", "run", r.Name, "pairs", len(expired))
		}
		c.stopListening(now, r)
		c.place(r)
		c.examine(ctx, r)
	}
	c.tendTrials(ctx, now)
	c.roster.KeepChanged(ctx, now)
	entries.Warn(c.config.Log, c.begin(ctx), "a test did not start")
	if c.epochs.Left() < fewEpochs {
		entries.Warn(c.config.Log, c.countBoot(ctx), "no new boot was counted")
	}
}

// fewEpochs is the number of unused epochs (numbers of grants) below which the coordinator begins the epochs of a
// new boot. It is enough for an hour of grants.
const fewEpochs = 1 << 26

// mayCondemn is the number of given-up pairs at which the coordinator pauses a run without an SPRT. It pauses a run
// with an SPRT, or a tune, at the first given-up pair, because they can use no results beyond a missing pair.
const mayCondemn = 3

// examine ends a run that needs no more pairs, and pauses a run that cannot continue.
func (c *Coordinator) examine(ctx context.Context, r *run) {
	if r.State != farm.Running {
		return
	}
	if given := r.ledger.Condemned(); len(given) > len(r.Condemned) {
		before := r.Condemned
		r.Condemned = given
		state, why := farm.Running, fmt.Sprintf("%s %d was given up: it crashes its players", r.word(), given[len(given)-1])
		if len(given) >= mayCondemn || r.gate != nil || r.tune != nil {
			state, why = farm.Paused, fmt.Sprintf("%ss %v crash their players", r.word(), given)
		}
		if err := c.turn(ctx, r, state, "farm", why); err != nil {
			r.Condemned = before // the next tick tries again
			entries.Warn(c.config.Log, err, "a test was not paused", "run", r.Name)
		}
	}
	c.examineTune(ctx, r)
	if why := r.decided(); why != "" && r.State == farm.Running {
		r.ledger.Over(true) // even if the new state cannot be stored now
		entries.Warn(c.config.Log, c.turn(ctx, r, farm.Over, "farm", why), "a test did not end", "run", r.Name)
		c.prove(ctx, time.Now(), r)
	}
}

// begin starts the approved tests in the order of submission, within the quotas of their owners. If one test cannot
// start, the next tests still can.
func (c *Coordinator) begin(ctx context.Context) (err error) {
	for _, r := range c.inOrder() {
		if r.State == farm.Approved && c.waits(time.Now(), r) == "" {
			err = errors.Join(err, c.turn(ctx, r, farm.Running, "farm", ""))
		}
	}
	return err
}

// inOrder returns the runs in the order of submission.
func (c *Coordinator) inOrder() []*run {
	return slices.SortedFunc(maps.Values(c.runs), func(a, b *run) int { return a.Number - b.Number })
}

// closeLimit limits the time in which close stores the latest counts of workers.
const closeLimit = 5 * time.Second

// close stores the latest counts of workers, and closes the stores and the hubs.
func (c *Coordinator) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	keeping, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	c.roster.Close(keeping)
	for _, r := range c.runs {
		c.keepAudits(keeping, r)
		for _, l := range r.listeners {
			l.stop()
		}
		r.hub.Close()
		if r.store != nil {
			errs = append(errs, r.store.Close())
		}
	}
	return errors.Join(errs...)
}

// Status returns the current status of the farm as everyone may read it.
func (c *Coordinator) Status(ctx context.Context) farm.Status { return c.StatusFor(ctx, "") }

// StatusFor returns the current status of the farm with the texts that the holder of a key may read. key is the name of
// the key; a reader without a valid key gets the same as by Status.
func (c *Coordinator) StatusFor(ctx context.Context, key string) farm.Status {
	who, _ := c.config.Keys.Key(key)
	fill, err := c.config.Bus.Fill(ctx)
	if err != nil {
		fill = -1
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	s := farm.Status{At: now.Round(0), Boot: c.boot, Judge: c.judge, Unread: slices.Clone(c.unread)}
	s.Judge.Fill = fill
	runs := c.inOrder()
	slices.SortStableFunc(runs, func(a, b *run) int { return b.Priority - a.Priority })
	for _, r := range runs {
		t := r.status()
		t.Waits = c.waits(now, r)
		if r.State == farm.Running {
			t.Refusals = c.roster.Refusals(now, r.digest, r.Owner, who)
		}
		s.Tests = append(s.Tests, t)
	}
	if !c.update.At.IsZero() {
		s.Update = c.update.Status(c.members(now))
	}
	log10E := c.log10E()
	for _, name := range slices.Sorted(maps.Keys(c.roster.Workers)) {
		w := c.workerStatus(name, now, who)
		w.Log10E = log10E[name]
		s.Workers = append(s.Workers, w)
	}
	return s
}

// Watch returns the hub that distributes the events of a test to viewers. ok is false if the test does not
// exist.
func (c *Coordinator) Watch(test string) (hub *events.Hub, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.find(test)
	if r == nil {
		return nil, false
	}
	return r.hub, true
}

// find returns the test with a name or digest, or nil if there is none. If several tests have the name, it
// returns the latest.
func (c *Coordinator) find(test string) *run {
	if r := c.runs[test]; r != nil {
		return r
	}
	var found *run
	for _, r := range c.inOrder() {
		if r.Name == test {
			found = r
		}
	}
	return found
}
