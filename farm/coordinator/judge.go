package coordinator

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/verify"
	"gogi/match"
	"gogi/match/gate"
)

const (
	// judgeBatch is how many messages are judged at a time.
	judgeBatch = 16
	// judgeLimit is far more than a batch takes: a store that hangs is one that failed.
	judgeLimit = time.Minute
	// maxAttempts of a pair are kept.
	maxAttempts = 10
	// refusalsToQuarantine is how many results of a worker may be refused.
	refusalsToQuarantine = 3
)

// message is one of the stream, as far as it could be judged without the others.
type message struct {
	farm.Delivery
	worker string
	key    Key
	batch  *farm.Batch
	proof  []byte
	items  []item
	why    string // it is refused as a whole; "": it is not
	nobody bool   // nobody can be blamed for it
}

// item is a pair, or an attempt at one.
type item struct {
	farm.Item
	run    *run
	pair   match.PairResult
	refuse string // it does not count, and its worker is to blame
	stale  bool   // it does not count, and nobody is
	added  bool
	copied bool   // a pair under its lease is in the message before
	twice  bool   // the pair is in the store already, or an item before has it
	lost   string // stale: why its run, which has ended, cannot be opened; it is kept as evidence
	astray bool   // stale: a pair of a tune, of a path that is no more
}

// judgeAll reads the stream to the end of ctx, or of the stores.
func (c *Coordinator) judgeAll(ctx context.Context) error {
	for {
		began := time.Now()
		waiting, cancel := context.WithTimeoutCause(ctx, c.config.Lease/2, errIdle)
		all, err := c.config.Bus.Results(waiting, judgeBatch)
		idle := errors.Is(context.Cause(waiting), errIdle)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && idle:
			c.drained(began)
		case err != nil:
			return c.stop(fmt.Errorf("coordinator: reading the stream: %w", err))
		default:
			if err := c.judgeBatch(ctx, all); err != nil {
				return err
			}
		}
	}
}

// errIdle is why a wait for results ends after a while.
var errIdle = errors.New("coordinator: nothing came")

// drained tells the ledgers that all was judged that was in the stream at a time.
func (c *Coordinator) drained(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		if r.ledger != nil {
			r.ledger.Drained(at)
		}
	}
}

func (c *Coordinator) stop(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fail(err)
}

// judgeBatch verifies messages at once, stores what counts in their order, and
// acknowledges them when it is on the disk.
func (c *Coordinator) judgeBatch(ctx context.Context, all []farm.Delivery) error {
	began := time.Now()
	messages := make([]message, len(all))
	var reading errgroup.Group
	reading.SetLimit(c.judges())
	for i := range all {
		messages[i].Delivery = all[i]
		reading.Go(func() error {
			c.read(ctx, &messages[i])
			return nil
		})
	}
	_ = reading.Wait() // they return no errors
	c.judging.Lock()
	// What was begun is finished. The stores' time begins when it is their turn: neither
	// pairs that are slow to verify nor a purge make it look as if one had failed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgeLimit)
	defer cancel()
	err := c.count(ctx, messages)
	c.judging.Unlock()
	if err != nil {
		return c.stop(err)
	}
	for i := range messages {
		if err := c.answer(ctx, &messages[i]); err != nil {
			return c.stop(fmt.Errorf("coordinator: acknowledging results: %w", err))
		}
	}
	c.mu.Lock()
	c.judge.BatchTook = time.Since(began)
	c.mu.Unlock()
	return nil
}

func (c *Coordinator) judges() int {
	if c.config.Judges > 0 {
		return c.config.Judges
	}
	return runtime.GOMAXPROCS(0)
}

// read is what can be said of a message without any other: is it signed, were its leases
// granted, can its pairs have been played.
func (c *Coordinator) read(ctx context.Context, m *message) {
	m.worker = farm.Speaker(m.Subject)
	key, ok := c.config.Keys.Key(m.worker)
	if !ok || !key.may(rightWork) {
		m.why, m.nobody = fmt.Sprintf("%s has no valid key to work with", m.worker), true
		return
	}
	m.key = key
	var signed farm.Signed
	var err error
	m.batch, signed, err = farm.Open(m.Body, func(worker string) ed25519.PublicKey {
		if worker != m.worker {
			return nil
		}
		return key.Public
	})
	if err != nil {
		m.why = err.Error()
		return
	}
	m.proof = signed.Signature
	m.items = make([]item, len(m.batch.Items))
	leases := map[string]bool{} // by token, of pairs: a thousand copies of one are not unpacked
	for i := range m.items {
		it := &m.items[i]
		it.Item = m.batch.Items[i]
		if it.Attempt == nil {
			it.copied = leases[string(it.Lease.Token)]
			leases[string(it.Lease.Token)] = true
		}
		c.readItem(ctx, m, it)
	}
}

func (c *Coordinator) readItem(ctx context.Context, m *message, it *item) {
	c.mu.Lock()
	it.run = c.runs[it.Lease.Run]
	c.mu.Unlock()
	if err := it.Item.Check(); err != nil && it.run != nil {
		it.refuse = err.Error()
		return
	}
	switch {
	case it.run == nil:
		it.stale = true // of a farm before, or of a test that was forgotten
		return
	case !c.config.Secret.Granted(m.worker, it.Lease):
		it.refuse = fmt.Sprintf("pair %d of %s was not granted to %s", it.Lease.Pair, it.run.Name, m.worker)
		return
	case it.copied:
		it.stale = true
		return
	case it.Attempt != nil:
		if it.Attempt.Pair != it.Lease.Pair {
			it.refuse = fmt.Sprintf("an attempt at pair %d under the lease of pair %d", it.Attempt.Pair, it.Lease.Pair)
		}
		return
	}
	var err error
	if it.pair, err = match.DecodePair(it.Item.Pair, farm.MaxPair); err == nil {
		if it.pair.Pair.ID != it.Lease.Pair {
			err = fmt.Errorf("pair %d under the lease of pair %d", it.pair.Pair.ID, it.Lease.Pair)
		} else if err = verify.Pair(it.run.plan, &it.pair); err == nil {
			err = playedAsGranted(it.run.plan, it)
		}
	}
	if err != nil {
		it.refuse, it.pair = err.Error(), match.PairResult{} // nor does it wait in memory
		return
	}
	it.pair.Played = match.Provenance{Worker: m.worker, Owner: m.key.Owner, Epoch: uint64(it.Lease.Epoch), Scale: it.pair.Played.Scale, Proof: m.proof}
}

// name is a pair of a run.
type name struct {
	run  string
	pair int
}

// count stores what counts, and then tells everybody: first what is to be stored is
// decided, in the stream's order, then all of it is stored at once, so that one wait for
// the disk does for many.
func (c *Coordinator) count(ctx context.Context, messages []message) error {
	c.decide(ctx, messages)
	var writing errgroup.Group
	var once sync.Mutex // of what the stores say
	var carriers []*item
	for i := range messages {
		for j := range messages[i].items {
			it := &messages[i].items[j]
			if it.refuse != "" || it.stale || it.twice || it.Lease.Audit {
				continue
			}
			if it.run.carries(it) {
				carriers = append(carriers, it)
				continue
			}
			writing.Go(func() error {
				added, err := c.store(ctx, it)
				once.Lock()
				defer once.Unlock()
				it.added = added
				return err
			})
		}
	}
	if err := writing.Wait(); err != nil {
		return fmt.Errorf("coordinator: storing: %w", err)
	}
	if err := c.carry(ctx, carriers); err != nil {
		return fmt.Errorf("coordinator: storing: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range messages {
		c.settle(ctx, &messages[i])
	}
	return nil
}

// decide says of every item whether it is to be stored. A late one of a test that has
// ended, and cannot be opened any more, ends nothing: it would come again to every process.
func (c *Coordinator) decide(ctx context.Context, messages []message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := map[name]bool{}
	for i := range messages {
		for j := range messages[i].items {
			it := &messages[i].items[j]
			if it.refuse != "" || it.stale || it.Lease.Audit {
				continue
			}
			r := it.run
			if err := c.open(ctx, r, time.Now()); err != nil { // it may have ended long ago
				it.lost = fmt.Sprintf("test %s cannot be opened: %v", r.Name, err)
				it.stale = true
				c.config.Log.Error("a late result is kept as evidence alone", "run", r.Name, "pair", it.Lease.Pair, "err", err)
				continue
			}
			key := name{r.digest, it.Lease.Pair}
			switch {
			case it.Attempt != nil:
				it.stale = r.attempts[it.Lease.Pair] >= maxAttempts
				r.attempts[it.Lease.Pair]++
			case it.Lease.Take != r.ledger.Take(it.Lease.Pair):
				it.stale = true
			case before[key] || r.ledger.IsStored(it.Lease.Pair):
				it.twice = true
			default:
				r.tune.learn(r.plan, it)
				before[key] = !it.stale // what does not count shuts nothing out
			}
		}
	}
}

// store puts an item on the disk.
func (c *Coordinator) store(ctx context.Context, it *item) (added bool, err error) {
	if it.Attempt != nil {
		return true, it.run.store.PutAttempt(ctx, *it.Attempt)
	}
	it.pair.Attempts = it.pair.Attempts[:min(len(it.pair.Attempts), maxAttempts)]
	return it.run.store.Add(ctx, it.pair, it.Lease.Take)
}

// settle tells ledgers, gates and watchers what became of a message. mu is held.
func (c *Coordinator) settle(ctx context.Context, m *message) {
	now := time.Now()
	c.judge.Messages++
	c.judge.Sequence = m.Sequence
	if m.Again {
		c.judge.Again++
	}
	if m.why != "" {
		c.judge.Unsigned++
	}
	blame := ""
	if !m.nobody {
		blame = m.why
	}
	for i := range m.items {
		it := &m.items[i]
		switch r := it.run; {
		case it.stale:
			if r != nil {
				r.counts.stale++
			}
			if it.astray {
				r.ledger.Refused(now, leaseOf(it.Lease))
			}
		case it.refuse != "":
			r.counts.refused++
			blame = it.refuse
			if r.ledger != nil && !it.Lease.Audit && c.config.Secret.Granted(m.worker, it.Lease) {
				r.ledger.Refused(now, leaseOf(it.Lease))
			}
		case it.Attempt != nil:
			// Of an update it says nothing: a standstill is the machine's, and a pair that is
			// given up comes back as crashed.
		case it.Lease.Audit:
			c.audited(ctx, r, m, it)
		case it.added:
			c.added(ctx, now, m.worker, it)
		default:
			r.counts.duplicates++
			r.ledger.Stored(now, it.Lease.Pair)
		}
	}
	if blame != "" {
		c.blame(ctx, m.worker, blame)
	}
}

// added tells of a worker's pair that counts from now on.
func (c *Coordinator) added(ctx context.Context, now time.Time, worker string, it *item) {
	w := c.worker(worker, "")
	c.draw(it.run, worker, &it.pair)
	w.added++
	w.Played++
	c.clocked(ctx, it.run, worker, &it.pair)
	c.tried(ctx, it.run, worker, true, engineFailed(&it.pair))
	c.counted(ctx, now, it.run, &it.pair)
}

// counted tells the ledger, the gate and the watchers of a pair that was stored just now.
func (c *Coordinator) counted(ctx context.Context, now time.Time, r *run, p *match.PairResult) {
	r.counts.added++
	r.ledger.Stored(now, p.Pair.ID)
	r.took(p)
	c.spend(time.Now(), r, p)
	r.tellPair(p)
	if r.tune != nil {
		c.learnt(r, p.Pair.ID)
	}
	c.suspect(ctx, now, r, p)
	if r.gate != nil {
		play, err := gate.OfResult(r.plan, *p)
		if err == nil {
			err = r.gate.Add(p.Pair.ID, play)
		}
		if err != nil && !r.State.Final() {
			if err := c.turn(ctx, r, farm.Failed, "farm", err.Error()); err != nil {
				c.config.Log.Warn("a test did not end", "run", r.Name, "err", err)
			}
			return
		}
		r.ledger.Window(ledger.Window(r.remaining()))
	}
	c.examine(ctx, r)
}

// blame counts a refused result against its worker; the third one ends what it gets.
func (c *Coordinator) blame(ctx context.Context, name, why string) {
	w := c.worker(name, "")
	w.Refused++
	c.config.Log.Warn("a result was refused", "worker", name, "why", why)
	if w.Refused >= refusalsToQuarantine && w.Quarantine == "" {
		c.quarantine(ctx, w, name, fmt.Sprintf("%d results were refused, the latest: %s", w.Refused, why))
	}
	c.keepOrTell(ctx, name, w)
}

// keepOrTell keeps what is known of a worker; that it could not is told, and ends nothing.
func (c *Coordinator) keepOrTell(ctx context.Context, name string, w *worker) {
	if err := c.keepWorker(ctx, name, w); err != nil {
		c.config.Log.Warn("what is known of a worker was not kept", "worker", name, "err", err)
	}
}

// quarantine stops a worker's grants and takes its leases back; what it has played stays,
// but the others are compared without it: what is wrong with it would be evidence against
// whoever is compared with it.
func (c *Coordinator) quarantine(ctx context.Context, w *worker, name, why string) {
	w.Quarantine, w.Since = why, time.Now().Round(0)
	now := time.Now()
	for _, r := range c.runs {
		if r.ledger != nil {
			r.ledger.Leave(now, name)
			if s := c.sessions[name]; s != nil {
				r.ledger.Enter(name, s.session)
			}
		}
	}
	c.compareAnew(ctx)
}

// answer acknowledges a message, and keeps what was refused as evidence.
func (c *Coordinator) answer(ctx context.Context, m *message) error {
	why := m.why
	for i := range m.items {
		why = cmp.Or(m.items[i].refuse, m.items[i].lost, why)
	}
	if why != "" {
		return m.Refuse(ctx, why)
	}
	return m.Ack(ctx)
}
