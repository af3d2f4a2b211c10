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
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/grants"
	"gogi/farm/coordinator/judge"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/rollout"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
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
	mu      sync.Mutex
	tests   *tests.Tests
	roster  *roster.Roster
	quotas  *grants.Quotas
	grants  *grants.Grants
	audits  *audit.Audits
	updates *rollout.Updates
	judge   *judge.Judge
	viewers *viewers
	epochs  *ledger.Epochs

	// The next fields have locks of their own.
	people  *roster.People
	recipes tests.Recipes
	played  played
}

// New creates a coordinator from the stored state of a farm. It stores the number of this start (boot) before
// it grants any pair, because the numbers of grants contain it.
func New(ctx context.Context, c Config) (*Coordinator, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	k := &Coordinator{config: c, verifies: judge.CheckBrought, epochs: &ledger.Epochs{},
		recipes: tests.Recipes{State: c.State}, played: played{count: c.Played}}
	k.roster = roster.New(roster.Config{State: c.State, Keys: c.Keys, Log: c.Log, Bar: c.Bar})
	k.people = roster.NewPeople(c.State, c.Keys, k.suspicion)
	ofTests := tests.Config{
		State: c.State, Roster: k.roster, Epochs: k.epochs, Sign: c.Sign, Send: c.Bus.Send, Open: c.Open, Lease: c.Lease,
		Stored: c.Stored,
		Lacks:  c.Lacks, Log: c.Log,
	}
	if c.Auditor != nil {
		ofTests.Exact = c.Auditor.Exact
	}
	k.tests = tests.New(ofTests)
	k.quotas = grants.NewQuotas(c.Quota, k.tests)
	k.audits = audit.New(audit.Config{
		State: c.State, Roster: k.roster, Tests: k.tests, Epochs: k.epochs, Secret: c.Secret, Lease: c.Lease,
		Auditor: c.Auditor, Log: c.Log,
	})
	k.grants = grants.New(grants.Config{
		Roster: k.roster, Tests: k.tests, Audits: k.audits, Quotas: k.quotas, Secret: c.Secret, Lease: c.Lease,
		Beat:     c.beat(),
		OwnerMax: c.OwnerMax, Log: c.Log,
	})
	k.tests.Changed = k.grants.Place
	k.updates = rollout.NewUpdates(rollout.Config{State: c.State, Roster: k.roster, Lease: c.Lease, Log: c.Log})
	k.judge = judge.New(judge.Config{
		Roster: k.roster, Tests: k.tests, Audits: k.audits, Quotas: k.quotas, Updates: k.updates, Secret: c.Secret,
		Log: c.Log,
	})
	k.viewers = &viewers{
		bus: c.Bus, tests: k.tests, roster: k.roster, lease: c.Lease, log: c.Log, byTest: map[*tests.Test]*viewed{},
	}
	k.viewers.shows = func(r *tests.Test, worker string, body []byte) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.viewers.show(r, worker, body)
	}

	for _, read := range []func(context.Context) error{
		k.countBoot, k.roster.Read, k.updates.Read, k.tests.Read, k.audits.Read, k.tests.ReadStored,
		func(ctx context.Context) error { return k.quotas.Read(ctx, c.Spent) },
	} {
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
		// Fresh is the first boot of Epochs.Fresh. An earlier gogi removes it, so the next boot of this one counts again.
		Fresh uint32 `cbor:"fresh,omitempty"`
	}
	revision, err := entries.Load(ctx, c.config.State, "boot", &last)
	if err != nil {
		return fmt.Errorf("coordinator: reading the number of boots: %w", err)
	}
	last.Boot++
	last.Fresh = cmp.Or(last.Fresh, last.Boot)
	if err := entries.Save(ctx, c.config.State, entries.Farm, "boot", last, &revision); err != nil {
		return fmt.Errorf("coordinator: counting a boot: %w", err)
	}
	c.boot = last.Boot
	*c.epochs = *ledger.NewEpochs(c.boot) // the ledgers share it
	c.epochs.Fresh = farm.Epoch(last.Fresh) << 32
	return nil
}

// Serve answers requests and processes results until ctx ends or a store fails. It returns the store's error.
func (c *Coordinator) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for subject, f := range map[string]func(context.Context, string, []byte) (any, error){
		farm.SubjectHello + "*": c.hello, farm.SubjectLease + "*": c.lease, farm.SubjectBeat + "*": c.beat,
		farm.SubjectAdmin + "*.*": c.admin,
	} {
		stop, err := c.config.Bus.Answer(subject, f)
		if err != nil {
			return err
		}
		defer stop()
	}
	_ = c.tests.Publish(farm.SubjectAll, farm.Hint{Ask: true})
	var working sync.WaitGroup
	working.Go(func() { cancel(c.judgeAll(ctx)) })
	working.Go(func() { c.tick(ctx) })
	working.Wait()
	c.mu.Lock()
	err := c.judge.Broken
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
		c.voidDue(ctx)
	}
}

// expire ends expired leases, starts tests that may start, and does other periodic work.
func (c *Coordinator) expire(ctx context.Context, now time.Time) {
	c.grants.Count(now)
	for _, r := range c.tests.InOrder() {
		c.audits.Expire(now, r)
		c.audits.Prove(ctx, now, r)
		c.audits.Keep(ctx, r)
		if r.Ledger == nil {
			continue
		}
		if expired := r.Ledger.Expire(now); len(expired) > 0 {
			c.config.Log.Info("leases expired", "run", r.Name, "pairs", len(expired))
		}
		c.viewers.stopListening(now, r)
		c.grants.Place(r)
		if c.tests.Examine(ctx, r) {
			c.audits.Prove(ctx, time.Now(), r)
		}
	}

	c.updates.Tend(ctx, now)
	c.roster.KeepChanged(ctx, now)
	entries.Warn(c.config.Log, c.grants.Begin(ctx), "a test did not start")
	if c.epochs.Left() < fewEpochs {
		entries.Warn(c.config.Log, c.countBoot(ctx), "no new boot was counted")
	}
}

// fewEpochs is the number of unused epochs (numbers of grants) below which the coordinator begins the epochs of a
// new boot. It is enough for an hour of grants.
const fewEpochs = 1 << 26

// closeLimit limits the time in which close stores the latest counts of workers.
const closeLimit = 5 * time.Second

// close stores the latest counts of workers, and closes the stores and the hubs.
func (c *Coordinator) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	keeping, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	c.roster.Close(keeping)
	for _, r := range c.tests.All {
		c.audits.Keep(keeping, r)
	}
	c.viewers.close()
	return c.tests.Close()
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
	s := farm.Status{At: now.Round(0), Boot: c.boot, Judge: c.judge.Status, Unread: slices.Clone(c.tests.Unread)}
	s.Judge.Fill = fill
	runs := c.tests.InOrder()
	slices.SortStableFunc(runs, func(a, b *tests.Test) int { return b.Priority - a.Priority })
	for _, r := range runs {
		t := r.Status()
		t.Waits, t.Suspicions = c.quotas.Waits(now, r), c.tests.Suspicions(r)
		if r.State == farm.Running {
			t.Refusals = c.grants.Refusals(now, r, who)
		}
		s.Tests = append(s.Tests, t)
	}
	if !c.updates.Current.At.IsZero() {
		s.Update = c.updates.Status(now)
	}
	log10E := c.judge.Log10E()
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
	r, err := c.tests.Found(test)
	if err != nil {
		return nil, false
	}
	return r.Hub, true
}

// voidDue makes pairs void that must become void, see judge.Judge.VoidDue.
func (c *Coordinator) voidDue(ctx context.Context) {
	c.mu.Lock()
	due := c.tests.VoidDue && c.judge.Broken == nil
	c.mu.Unlock()
	if !due {
		return
	}

	c.judging.Lock()
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.judge.VoidDue(ctx)
}
