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
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/verify"
	"gogi/match"
	"gogi/runner/events"
)

// Coordinator is one process of a farm's coordination. Begin it with New, run it with
// Serve.
type Coordinator struct {
	config Config
	boot   uint32

	verifies func(*match.Plan, *match.PairResult) error // verify.Brought; a test looks on

	// judging is held while results are stored, and while pairs are made void, which
	// must not meet. It is taken before mu.
	judging sync.Mutex

	// mu is for everything below. A result that is stored is not waited for under it;
	// changes of tests, which are rare, are.
	mu       sync.Mutex
	runs     map[string]*run
	unread   []farm.Unread // tests that are kept and not understood, see setUnread
	sessions map[string]*session
	workers  map[string]*worker
	schedule ledger.Schedule
	epochs   *ledger.Epochs
	judge    farm.JudgeStatus
	day      time.Time                // that spent is of
	spent    map[string]time.Duration // slot-time of the owners' tests
	broken   error                    // a store failed: nothing is granted or acknowledged
	update   updating
}

// The buckets of State: the count of boots and the update, records of tests by digest, and
// workers by name.
const (
	bucketFarm    = "farm"
	bucketTests   = "tests"
	bucketWorkers = "workers"
)

// New reads what is kept of a farm, and counts a boot, durably, before anything is granted.
func New(ctx context.Context, c Config) (*Coordinator, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	k := &Coordinator{
		config: c, verifies: verify.Brought, runs: map[string]*run{}, sessions: map[string]*session{}, workers: map[string]*worker{},
		schedule: ledger.Schedule{OwnerMax: c.OwnerMax},
	}
	if err := k.countBoot(ctx); err != nil {
		return nil, err
	}
	if err := k.readWorkers(ctx); err != nil {
		return nil, err
	}
	if err := k.readUpdate(ctx); err != nil {
		return nil, err
	}
	if err := k.readTests(ctx); err != nil {
		return nil, errors.Join(err, k.close())
	}
	if err := k.readSpent(ctx, time.Now()); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

// boots is what is kept of them.
type boots struct {
	Boot uint32 `cbor:"boot"`
}

func (c *Coordinator) countBoot(ctx context.Context) error {
	var last boots
	revision, err := c.load(ctx, "boot", &last)
	if err != nil {
		return fmt.Errorf("coordinator: reading the number of boots: %w", err)
	}
	last.Boot++
	if err := c.save(ctx, bucketFarm, "boot", last, &revision); err != nil {
		return fmt.Errorf("coordinator: counting a boot: %w", err)
	}
	c.boot = last.Boot
	if c.epochs == nil {
		c.epochs = &ledger.Epochs{}
	}
	*c.epochs = *ledger.NewEpochs(c.boot) // the ledgers share it
	return nil
}

// load reads what the farm's bucket has under a name, and its revision, 0 if there is none.
func (c *Coordinator) load(ctx context.Context, name string, to any) (revision uint64, err error) {
	err = c.config.State.Each(ctx, bucketFarm, func(other string, body []byte, r uint64) error {
		if other != name {
			return nil
		}
		revision = r
		return farm.Decode(body, to)
	})
	return revision, err
}

// save stores v in the place of what this process has read or stored there last.
func (c *Coordinator) save(ctx context.Context, bucket, name string, v any, revision *uint64) error {
	body, err := farm.Encode(v)
	if err != nil {
		return err
	}
	next, err := c.config.State.Put(ctx, bucket, name, body, *revision)
	if err == nil {
		*revision = next
	}
	return err
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

// setUnread leaves a test alone of which this program does not understand what is kept,
// such as a plan of a later version: the others are played, and a program that understands
// it goes on with it. Results that come for it meanwhile are put aside like those of a
// test that was forgotten: its pairs are played again.
func (c *Coordinator) setUnread(digest, name string, why error) {
	c.config.Log.Error("a test is not understood", "run", cmp.Or(name, digest), "err", why)
	c.unread = append(c.unread, farm.Unread{Run: digest, Name: name, Why: why.Error()})
}

// enter makes a run known; one that may be played is opened.
func (c *Coordinator) enter(ctx context.Context, r *run) error {
	r.task = farm.Task{Run: r.digest, Name: r.Name, Plan: r.Plan, Owner: r.Owner, Approved: r.State != farm.Submitted}
	if err := r.task.Sign(c.config.Sign); err != nil {
		return err
	}
	c.runs[r.digest] = r
	r.exact = c.config.Auditor != nil && c.config.Auditor.Exact(r.plan)
	if r.State != farm.Running && r.State != farm.Paused {
		return nil
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		if ctx.Err() != nil {
			return err // it is not the test's fault
		}
		c.setAside(ctx, r, err)
	}
	c.place(r)
	return nil
}

// setAside closes a test that cannot be opened or judged, and pauses it where it is played or
// was over, and lacks pairs now: the others go on. It is opened anew when somebody resumes it, and by the next process.
func (c *Coordinator) setAside(ctx context.Context, r *run, why error) {
	c.config.Log.Error("a test is set aside", "run", r.Name, "err", why)
	if r.store != nil {
		if err := r.store.Close(); err != nil {
			c.config.Log.Warn("a store was not closed", "run", r.Name, "err", err)
		}
	}
	r.store, r.ledger, r.gate, r.tune, r.line, r.audits = nil, nil, nil, nil, nil, nil
	if what := "it cannot be opened: " + why.Error(); r.State != farm.Stopped && r.State != farm.Failed && (r.State != farm.Paused || r.Why != what) {
		r.State, r.Why = farm.Paused, what
		r.note(time.Now(), "farm", string(farm.Paused)+also(what))
		if err := c.keep(ctx, r); err != nil {
			c.config.Log.Warn("that a test is set aside was not kept", "run", r.Name, "err", err)
		}
	}
	c.place(r)
	c.hint(r)
}

// place puts a run into the schedule, or takes it out.
func (c *Coordinator) place(r *run) {
	if r.State != farm.Running {
		c.schedule.Remove(r.digest)
		return
	}
	c.schedule.Set(ledger.Test{Run: r.digest, Owner: r.Owner, Priority: r.Priority, Share: r.Share, Cost: max(r.cost, 1e-3), Spent: c.overspent(time.Now(), r.Owner) != ""})
	c.schedule.Held(r.digest, r.ledger.Held())
}

// keep stores what a test has become.
func (c *Coordinator) keep(ctx context.Context, r *run) error {
	if err := c.save(ctx, bucketTests, r.digest, r.record, &r.revision); err != nil {
		return fmt.Errorf("coordinator: test %s: %w", r.Name, err)
	}
	return nil
}

// turn brings a test into another state: in its record first, and then in fact. mu is
// held.
func (c *Coordinator) turn(ctx context.Context, r *run, state farm.State, by, why string) error {
	now := time.Now()
	if state == farm.Running || state == farm.Paused {
		// Before it is written down: else no process could begin that reads it.
		if err := c.open(ctx, r, now); err != nil {
			return fmt.Errorf("coordinator: test %s cannot be opened: %w", r.Name, err)
		}
	}
	before := r.record
	r.State, r.Why = state, why
	r.note(now, by, string(state)+also(why))
	r.Granted = r.Granted || state == farm.Running
	if r.gate != nil {
		r.Verdict = r.verdict()
	}
	if state.Final() {
		r.Evidence = r.evidence()
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
		r.obey()
	}
	c.place(r)
	c.hint(r)
	return nil
}

func also(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// hint tells whoever listens at once what beats would tell in seconds.
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
	body, err := farm.Encode(h)
	if err == nil {
		err = c.config.Bus.Tell(subject, body)
	}
	if err != nil {
		c.config.Log.Warn("a hint was not told", "run", r.Name, "err", err)
	}
}

// fail is the end of this process: nothing is granted or acknowledged any more.
func (c *Coordinator) fail(err error) error {
	if c.broken == nil {
		c.broken = err
		c.config.Log.Error("the coordinator stops", "err", err)
	}
	return err
}

// Serve answers and judges until ctx ends, or a store fails, which is its error.
func (c *Coordinator) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var stops []func()
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	for subject, f := range map[string]func(context.Context, string, []byte) (any, error){
		farm.SubjectHello + "*": c.hello, farm.SubjectLease + "*": c.lease, farm.SubjectBeat + "*": c.beat, farm.SubjectAdmin + "*.*": c.admin,
	} {
		stop, err := c.config.Bus.Answer(subject, f)
		if err != nil {
			return err
		}
		stops = append(stops, stop)
	}
	if body, err := farm.Encode(farm.Hint{Ask: true}); err == nil {
		_ = c.config.Bus.Tell(farm.SubjectAll, body) // a hint: beats bring it, too
	}
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

// tick expires leases and begins tests whose turn has come.
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
	}
}

func (c *Coordinator) expire(ctx context.Context, now time.Time) {
	slots := 0
	for _, s := range c.sessions {
		if now.Sub(s.seen) < 2*c.config.Lease {
			slots += s.slots
		}
	}
	c.schedule.Slots = slots
	for _, r := range c.inOrder() {
		if r.ledger == nil {
			continue
		}
		if expired := r.ledger.Expire(now); len(expired) > 0 {
			c.config.Log.Info("leases expired", "run", r.Name, "pairs", len(expired))
		}
		r.expireAudits(now)
		c.unheed(now, r)
		c.place(r)
		c.examine(ctx, r)
	}
	c.tendTrials(ctx, now)
	if err := c.begin(ctx); err != nil {
		c.config.Log.Warn("a test did not begin", "err", err)
	}
	if c.epochs.Left() < fewEpochs {
		if err := c.countBoot(ctx); err != nil {
			c.config.Log.Warn("no new boot was counted", "err", err)
		}
	}
}

// fewEpochs are left when another boot is counted: enough for an hour of grants.
const fewEpochs = 1 << 26

// mayCondemn is how many pairs a run without a gate may give up before it is paused. A
// gate cannot judge beyond a missing pair, nor a tune learn, so these are paused at once.
const mayCondemn = 3

// examine ends or pauses a run that cannot go on.
func (c *Coordinator) examine(ctx context.Context, r *run) {
	if r.State != farm.Running {
		return
	}
	if given := r.ledger.Condemned(); len(given) > len(r.Condemned) {
		before := r.Condemned
		r.Condemned = given
		state, why := farm.Running, fmt.Sprintf("%s %d was given up: it crashes what plays it", r.word(), given[len(given)-1])
		if len(given) >= mayCondemn || r.gate != nil || r.tune != nil {
			state, why = farm.Paused, fmt.Sprintf("%ss %v crash what plays them", r.word(), given)
		}
		if err := c.turn(ctx, r, state, "farm", why); err != nil {
			r.Condemned = before // it is said again at the next tick
			c.config.Log.Warn("a test was not paused", "run", r.Name, "err", err)
		}
	}
	c.examineTune(ctx, r)
	if why := r.decided(); why != "" && r.State == farm.Running {
		r.ledger.Over(true) // also where the word of it cannot be kept for now
		if err := c.turn(ctx, r, farm.Over, "farm", why); err != nil {
			c.config.Log.Warn("a test did not end", "run", r.Name, "err", err)
		}
	}
}

// begin lets approved tests run, in the order in which they were submitted, as far as
// their owners' quotas go. One that cannot begin keeps no other one waiting.
func (c *Coordinator) begin(ctx context.Context) (err error) {
	for _, r := range c.inOrder() {
		if r.State != farm.Approved || c.waits(time.Now(), r) != "" {
			continue
		}
		err = errors.Join(err, c.turn(ctx, r, farm.Running, "farm", ""))
	}
	return err
}

// inOrder are the runs in the order in which they were submitted.
func (c *Coordinator) inOrder() []*run {
	return slices.SortedFunc(maps.Values(c.runs), func(a, b *run) int { return a.Number - b.Number })
}

// close closes the stores and the hubs.
func (c *Coordinator) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, r := range c.runs {
		for _, h := range r.heard {
			h.stop()
		}
		r.hub.Close()
		if r.store != nil {
			errs = append(errs, r.store.Close())
		}
	}
	return errors.Join(errs...)
}

// Status is the farm as of now.
func (c *Coordinator) Status(ctx context.Context) farm.Status {
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
		s.Tests = append(s.Tests, t)
	}
	if !c.update.At.IsZero() {
		s.Update = c.update.Status(c.members(now))
	}
	log10E := c.log10E()
	for _, name := range slices.Sorted(maps.Keys(c.workers)) {
		w := c.workerStatus(name, now)
		w.Log10E = log10E[name]
		s.Workers = append(s.Workers, w)
	}
	return s
}

// Watch is where a test can be watched: the ends of its games, and the pairs that count.
func (c *Coordinator) Watch(test string) (hub *events.Hub, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.find(test)
	if r == nil {
		return nil, false
	}
	return r.hub, true
}

// find is a test by its name or digest, nil where there is none. Of two with one name it
// is the latest.
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
