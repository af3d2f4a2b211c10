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
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/match/gate"
)

const (
	// judgeBatch is the number of messages that are processed together.
	judgeBatch = 16
	// judgeLimit is the time limit for storing a batch. It is far above the usual time, so a store that takes
	// longer has failed.
	judgeLimit = time.Minute
	// maxAttempts limits the stored attempts at a pair.
	maxAttempts = 10
	// refusalsToQuarantine is the number of rejected results after which a worker is quarantined.
	refusalsToQuarantine = 3
)

// A message is one message of the stream of results. It also has the results of all checks that need no other
// message.
type message struct {
	farm.Delivery
	worker  string
	key     roster.Key
	batch   *farm.Batch
	proof   []byte // the worker's signature of the batch
	items   []item
	why     string // reason why the whole message is rejected, or ""
	noBlame bool   // the message's worker is not responsible for the rejection
}

// An item is a finished pair, or an attempt at a pair, in a message.
type item struct {
	farm.Item
	run      *run
	pair     match.PairResult
	refuse   string // why the item does not count, if its worker is responsible for that; else ""
	stale    bool   // the item does not count, but its worker is not responsible
	added    bool   // the store has added the pair or the attempt
	copied   bool   // an earlier item of the message has the same lease, so this item does not count
	late     bool   // the pair was already stored or void when the item was read, so the item was not verified
	twice    bool   // the pair is in the store, or an earlier item has it
	lost     string // for a stale item: why its ended run cannot be opened, or "". The stream then stores the message as evidence.
	outdated bool   // for a stale item: the pair of a tune was played with parameter values that the tune no longer uses
}

// judgeAll processes the stream of results until ctx ends or a store fails.
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
			if len(all) < judgeBatch { // the stream had no more messages at this moment
				c.drained(began)
			}
		}
	}
}

// errIdle ends a wait for results if no result has come for half the lifetime of a lease. judgeAll then calls
// drained.
var errIdle = errors.New("coordinator: no result came")

// drained is called when all results that were published before the time at have been processed. It passes this
// information to the ledger (the record of leases) of each open run.
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

// judgeBatch processes a batch of messages. It verifies them in parallel, and decides in the order of the stream
// which pairs count. It stores these pairs, and acknowledges the messages when the pairs are on the disk.
func (c *Coordinator) judgeBatch(ctx context.Context, all []farm.Delivery) error {
	began := time.Now()
	messages := make([]message, len(all))
	var reading errgroup.Group
	reading.SetLimit(cmp.Or(c.config.Judges, runtime.GOMAXPROCS(0)))
	for i := range all {
		messages[i].Delivery = all[i]
		reading.Go(func() error {
			c.read(ctx, &messages[i])
			return nil
		})
	}
	_ = reading.Wait() // the goroutines return no errors
	c.judging.Lock()
	// A started batch is finished, even if ctx ends. The time limit begins here, so that slow verification or a
	// purge does not look like a failed store.
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

// read checks everything that one message alone can show: the signature, whether its leases were granted, and
// whether its pairs are possible.
func (c *Coordinator) read(ctx context.Context, m *message) {
	m.worker = farm.Sender(m.Subject)
	key, refusal := c.roster.WorkKey(m.worker)
	if refusal != nil {
		m.why, m.noBlame = refusal.Why, true
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
		m.why, m.noBlame = err.Error(), true // without a valid signature no worker is responsible
		return
	}
	m.proof = signed.Signature
	m.items = make([]item, len(m.batch.Items))
	leases := map[string]bool{} // tokens of the pairs so far, so that many copies of one pair are not decoded
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
	// Verification costs a thousand times more than the message costs its sender, so gogi does not verify a copy.
	if r := it.run; r != nil && r.ledger != nil && it.Attempt == nil && !it.Lease.Audit {
		it.late = r.ledger.IsStored(it.Lease.Pair) || it.Lease.Take != r.ledger.Take(it.Lease.Pair)
	}
	c.mu.Unlock()
	if err := it.Item.Check(); err != nil && it.run != nil {
		it.refuse = err.Error()
		return
	}
	switch {
	case it.run == nil:
		it.stale = true // the item is from an earlier farm, or its test is unknown
		return
	case !c.config.Secret.Granted(m.worker, it.Lease):
		it.refuse = fmt.Sprintf("pair %d of %s was not granted to %s", it.Lease.Pair, it.run.Name, m.worker)
		return
	case it.copied:
		it.stale = true
		return
	case it.late: // see decide
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
		} else if err = checkPair(it.run.plan, &it.pair); err == nil {
			err = playedAsGranted(it.run.plan, it)
		}
	}
	if err != nil {
		it.refuse, it.pair = err.Error(), match.PairResult{} // the pair does not wait in memory
		return
	}
	it.pair.Played = match.Provenance{Worker: m.worker, Owner: m.key.Owner, Epoch: uint64(it.Lease.Epoch), Scale: it.pair.Played.Scale, Proof: m.proof}
}

// count decides in the order of the stream which items are stored. It stores them in parallel, so that they
// share one wait for the disk. Then it updates the ledgers, the SPRTs and the watchers.
func (c *Coordinator) count(ctx context.Context, messages []message) error {
	c.decide(ctx, messages)
	var writing errgroup.Group
	var mu sync.Mutex // guards item.added
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
				added, err := it.store(ctx, false)
				mu.Lock()
				defer mu.Unlock()
				it.added = added
				return err
			})
		}
	}
	err := writing.Wait()
	for i := 0; i < len(carriers) && err == nil; i++ {
		carriers[i].added, err = carriers[i].store(ctx, true)
	}
	if err != nil {
		return fmt.Errorf("coordinator: storing: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range messages {
		c.settle(ctx, &messages[i])
	}
	return nil
}

// decide decides for every item, in the order of the stream, whether it is stored. If the test of a late item has
// ended and cannot be opened any more, decide marks the item as stale. It returns no error for that: the stream
// delivers the item to every later process, and an error would end each of them.
func (c *Coordinator) decide(ctx context.Context, messages []message) {
	type name struct {
		run  string
		pair int
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	before, played, refused := map[name]bool{}, map[string]int{}, map[string]int{} // counts for these messages
	for i := range messages {
		m := &messages[i]
		c.exclude(m)
		for j := range m.items {
			it := &m.items[j]
			if it.refuse != "" {
				refused[m.worker]++
				continue
			}
			if w := c.roster.Workers[m.worker]; w != nil && w.Refused+refused[m.worker] >= refusalsToQuarantine {
				it.stale = true // settle will quarantine the worker for the items before
			}
			if it.stale || it.Lease.Audit {
				continue
			}
			r := it.run
			if err := c.open(ctx, r, now); err != nil { // the run may have ended long ago
				it.lost = fmt.Sprintf("test %s cannot be opened: %v", r.Name, err)
				it.stale = true
				c.config.Log.Error("a late result is stored only as evidence", "run", r.Name, "pair", it.Lease.Pair, "err", err)
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
			case it.late: // its pair was voided after the item was read
				it.stale = true
			default:
				r.tune.learn(r.plan, it)
				before[key] = !it.stale // a stale item does not exclude a later one
				if before[key] {
					w := c.roster.Worker(m.worker, m.key.Owner)
					c.startAudit(now, r, m.worker, w, it.Lease.Pair, w.Played+played[m.worker])
					played[m.worker]++
				}
			}
		}
	}
	for _, r := range c.runs {
		c.keepAudits(ctx, r)
	}
}

// exclude marks all items in a message of a worker in quarantine as stale: no item counts, and none counts as an
// error of the worker. The caller holds mu.
func (c *Coordinator) exclude(m *message) {
	w := c.roster.Workers[m.worker]
	if w == nil || w.Quarantine == "" {
		return
	}
	m.noBlame = true
	for i := range m.items {
		m.items[i].stale, m.items[i].refuse = true, ""
	}
}

// store stores the pair or the attempt of an item. If carries is true, it stores the new states of the tune
// together with the pair. added is false if the pair was stored before.
func (it *item) store(ctx context.Context, carries bool) (added bool, err error) {
	if it.Attempt != nil {
		return true, it.run.store.PutAttempt(ctx, *it.Attempt)
	}
	it.pair.Attempts = it.pair.Attempts[:min(len(it.pair.Attempts), maxAttempts)]
	return it.run.add(ctx, it.pair, it.Lease.Take, carries)
}

// settle updates the counts, the ledger and the worker after a message was processed. The caller holds mu.
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
	blame, refused := "", 0
	if !m.noBlame && m.why != "" {
		blame, refused = m.why, 1
	}
	for i := range m.items {
		it := &m.items[i]
		switch r := it.run; {
		case it.stale:
			if r != nil {
				r.counts.Stale++
			}
			if it.outdated {
				r.ledger.Refused(now, leaseOf(it.Lease))
			}
		case it.refuse != "":
			r.counts.Refused++
			blame = it.refuse
			refused++
			if a := r.auditOf(m.worker, it.Lease); a != nil {
				a.release()
			}
			if r.ledger != nil && !it.Lease.Audit && c.config.Secret.Granted(m.worker, it.Lease) {
				r.ledger.Refused(now, leaseOf(it.Lease))
			}
		case it.Attempt != nil:
			// An attempt proves nothing about an update. The machine may have stood still, and a pair that is
			// given up comes back as crashed.
		case it.Lease.Audit:
			c.audited(ctx, r, m, it)
		case it.added:
			c.countResult(ctx, now, m.worker, it)
		default:
			r.counts.Duplicates++
			r.ledger.Stored(now, it.Lease.Pair)
		}
	}
	if blame != "" {
		c.blame(ctx, m.worker, blame, refused)
	}
}

// countResult updates the counts of a worker after one of its pairs was stored.
func (c *Coordinator) countResult(ctx context.Context, now time.Time, worker string, it *item) {
	w := c.roster.Worker(worker, "")
	w.Played++
	c.roster.KeepCounts(ctx, worker, w)
	c.checkClaim(ctx, it.run, worker, &it.pair)
	c.countTry(ctx, it.run, worker, true, engineFailed(&it.pair))
	c.countPair(ctx, now, it.run, &it.pair)
}

// countPair updates the ledger, the SPRT and the watchers after a pair was stored.
func (c *Coordinator) countPair(ctx context.Context, now time.Time, r *run, p *match.PairResult) {
	r.counts.Added++
	r.ledger.Stored(now, p.Pair.ID)
	r.addCost(p)
	c.spend(time.Now(), r, p)
	r.publishPair(p)
	if r.tune != nil {
		c.countTunePair(r, p.Pair.ID)
	}
	c.compare(ctx, now, r, p)
	if r.gate != nil {
		decided := r.gate.State().Decided()
		play, err := gate.OfResult(r.plan, *p)
		if err == nil {
			err = r.gate.Add(p.Pair.ID, play)
		}
		if err == nil {
			r.by[p.Pair.ID] = p.Played.Worker
		}
		if err != nil && !r.State.Final() {
			entries.Warn(c.config.Log, c.turn(ctx, r, farm.Failed, "farm", err.Error()), "a test did not end", "run", r.Name)
			return
		}
		r.limitByGate()
		if !decided && r.State != farm.Running && r.gate.State().Decided() {
			entries.Warn(c.config.Log, c.turn(ctx, r, r.State, "farm", r.decided()), "a verdict was not stored", "run", r.Name)
		}
	}
	c.examine(ctx, r)
}

// blame adds a number of results to the worker's count of rejected results. why is the reason. When the count
// reaches refusalsToQuarantine, the coordinator quarantines the worker.
func (c *Coordinator) blame(ctx context.Context, name, why string, results int) {
	w := c.roster.Worker(name, "")
	w.Refused += results
	w.Failed(time.Now(), "farm", "a result was rejected: "+why)
	c.config.Log.Warn("a result was rejected", "worker", name, "why", why)
	if w.Refused >= refusalsToQuarantine && w.Quarantine == "" {
		c.quarantine(ctx, w, name, fmt.Sprintf("%d results were refused, the latest: %s", w.Refused, why), "farm")
	}
	c.roster.KeepOrWarn(ctx, name, w)
}

// quarantine ends a worker's grants and leases. The worker's stored results stay. The coordinator compares
// the other workers again without this worker, because the errors of this worker would count as evidence
// against them. by is "farm" or the name of a key.
func (c *Coordinator) quarantine(ctx context.Context, w *roster.Worker, name, why, by string) {
	c.roster.Quarantine(w, name, why, by)
	c.voidDue = true
	c.proveAgain()
	now := time.Now()
	for _, r := range c.runs {
		for _, a := range r.audits {
			if a.worker == name {
				a.release()
			}
		}
		if r.ledger != nil {
			r.ledger.Leave(now, name)
			if s := c.roster.Sessions[name]; s != nil {
				r.ledger.Enter(name, s.ID)
			}
		}
	}
	c.compareAgain(ctx)
}

// answer acknowledges a message to the stream. If the message was rejected, the stream keeps it as evidence.
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
