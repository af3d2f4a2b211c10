// Package judge decides which results of workers count. [Judge] reads the messages of the stream, verifies their pairs,
// and passes the pairs that count to the tests, the audits and the quotas. It accuses workers whose results are
// impossible or differ from those of the others.
package judge

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/farm"
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/grants"
	"gogi/farm/coordinator/rollout"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
	"gogi/match/gate"
)

// A Config is the input of New. All fields are necessary.
type Config struct {
	Roster  *roster.Roster
	Tests   *tests.Tests
	Audits  *audit.Audits
	Quotas  *grants.Quotas
	Updates *rollout.Updates
	Secret  farm.Secret
	Log     *slog.Logger
}

// A Judge counts the results of all tests. The caller guards it with a lock. The methods that need no lock say so.
type Judge struct {
	Status farm.JudgeStatus
	Broken error // the failure of a store, after which nothing is granted or acknowledged

	config Config
}

// New returns a Judge that has counted nothing.
func New(c Config) *Judge { return &Judge{config: c} }

// Fail records an error after which this process grants nothing and acknowledges no result. It returns err.
func (s *Judge) Fail(err error) error {
	if s.Broken == nil {
		s.Broken = err
		s.config.Log.Error("the coordinator stops", "err", err)
	}
	return err
}

const (
	// maxAttempts limits the stored attempts at a pair.
	maxAttempts = 10
	// refusalsToQuarantine is the number of rejected results after which a worker is quarantined.
	refusalsToQuarantine = 3
)

// A Message is one message of the stream of results. It also has the results of all checks that need no other
// message.
type Message struct {
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
	run    *tests.Test
	pair   match.PairResult
	refuse string // why the item does not count, if its worker is responsible for that; else ""
	stale  bool   // the item does not count, but its worker is not responsible
	added  bool   // the store has added the pair or the attempt
	copied bool   // an earlier item of the message has the same lease, so this item does not count
	late   bool   // the pair was already stored or void when the item was read, so the item was not verified
	twice  bool   // the pair is in the store, or an earlier item has it
	// for a stale item: why its ended run cannot be opened, or "". The stream then stores the message as evidence.
	lost     string
	outdated bool // for a stale item: the pair of a tune was played with parameter values that the tune no longer uses
}

// Read checks everything that one message alone can show: the signature, whether its leases were granted, and
// whether its pairs are possible. It needs no lock, and calls find, which locks and calls Find, for each lease.
func (s *Judge) Read(m *Message, find func(farm.Held) (*tests.Test, bool)) {
	m.worker = farm.Sender(m.Subject)
	key, refusal := s.config.Roster.WorkKey(m.worker)
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
		s.readItem(m, it, find)
	}
}

// Find returns the test of a lease, or nil. late is true if the pair of the lease is stored or void. The caller holds
// the lock.
func (s *Judge) Find(h farm.Held) (r *tests.Test, late bool) {
	r = s.config.Tests.All[h.Run]
	if r != nil && r.Ledger != nil {
		late = r.Ledger.IsStored(h.Pair) || h.Take != r.Ledger.Take(h.Pair)
	}
	return r, late
}

func (s *Judge) readItem(m *Message, it *item, find func(farm.Held) (*tests.Test, bool)) {
	var late bool
	it.run, late = find(it.Lease)
	// Verification costs a thousand times more than the message costs its sender, so gogi does not verify a copy.
	it.late = late && it.Attempt == nil && !it.Lease.Audit
	if err := it.Item.Check(); err != nil && it.run != nil {
		it.refuse = err.Error()
		return
	}
	switch {
	case it.run == nil:
		it.stale = true // the item is from an earlier farm, or its test is unknown
		return
	case !s.config.Secret.Granted(m.worker, it.Lease):
		it.refuse = fmt.Sprintf("pair %d of %s was not granted to %s", it.Lease.Pair, it.run.Name, m.worker)
		return
	case it.copied:
		it.stale = true
		return
	case it.late: // see Decide
		return
	case it.Attempt != nil:
		if it.Attempt.Pair != it.Lease.Pair {
			it.refuse = fmt.Sprintf("an attempt at pair %d under the lease of pair %d", it.Attempt.Pair, it.Lease.Pair)
		}
		return
	}
	var err error
	it.pair, err = match.DecodePair(it.Item.Pair, farm.MaxPair)
	if err == nil {
		if it.pair.Pair.ID != it.Lease.Pair {
			err = fmt.Errorf("pair %d under the lease of pair %d", it.pair.Pair.ID, it.Lease.Pair)
		} else if err = checkPair(it.run.Match, &it.pair); err == nil {
			err = playedAsGranted(it.run.Match, it)
		}
	}
	if err != nil {
		it.refuse, it.pair = err.Error(), match.PairResult{} // the pair does not wait in memory
		return
	}
	it.pair.Played = match.Provenance{Worker: m.worker, Owner: m.key.Owner, Epoch: uint64(it.Lease.Epoch),
		Scale: it.pair.Played.Scale, Proof: m.proof}
}

// Decide decides for every item, in the order of the stream, whether it is stored. If the test of a late item has
// ended and cannot be opened any more, Decide marks the item as stale. It returns no error for that: the stream
// delivers the item to every later process, and an error would end each of them.
func (s *Judge) Decide(ctx context.Context, messages []Message) {
	type name struct {
		run  string
		pair int
	}
	now := time.Now()
	before, played, refused := map[name]bool{}, map[string]int{}, map[string]int{} // counts for these messages
	for i := range messages {
		m := &messages[i]
		s.exclude(m)
		for j := range m.items {
			it := &m.items[j]
			if it.refuse != "" {
				refused[m.worker]++
				continue
			}
			w := s.config.Roster.Workers[m.worker]
			if w != nil && w.Refused+refused[m.worker] >= refusalsToQuarantine {
				it.stale = true // Settle will quarantine the worker for the items before
			}
			if it.stale || it.Lease.Audit {
				continue
			}
			r := it.run
			if err := s.config.Tests.Open(ctx, r, now); err != nil { // the run may have ended long ago
				it.lost = fmt.Sprintf("test %s cannot be opened: %v", r.Name, err)
				it.stale = true
				s.config.Log.Error("a late result is stored only as evidence", "run", r.Name, "pair", it.Lease.Pair, "err", err)
				continue
			}
			key := name{r.Digest, it.Lease.Pair}
			switch {
			case it.Attempt != nil:
				it.stale = r.Attempts[it.Lease.Pair] >= maxAttempts
				r.Attempts[it.Lease.Pair]++
			case it.Lease.Take != r.Ledger.Take(it.Lease.Pair):
				it.stale = true
			case before[key] || r.Ledger.IsStored(it.Lease.Pair):
				it.twice = true
			case it.late: // its pair was voided after the item was read
				it.stale = true
			default:
				before[key] = r.Tune.Learn(r.Match, &it.pair, it.Lease.Points) // a stale item does not exclude a later one
				it.stale, it.outdated = !before[key], !before[key]
				if before[key] {
					w := s.config.Roster.Worker(m.worker, m.key.Owner)
					s.config.Audits.Start(now, r, m.worker, w, it.Lease.Pair, w.Played+played[m.worker])
					played[m.worker]++
				}
			}
		}
	}
	for _, r := range s.config.Tests.All {
		s.config.Audits.Keep(ctx, r)
	}
}

// exclude marks all items in a message of a worker in quarantine as stale: no item counts, and none counts as an
// error of the worker.
func (s *Judge) exclude(m *Message) {
	w := s.config.Roster.Workers[m.worker]
	if w == nil || w.Quarantine == "" {
		return
	}
	m.noBlame = true
	for i := range m.items {
		m.items[i].stale, m.items[i].refuse = true, ""
	}
}

// Store stores what Decide has chosen. It stores the items in parallel, so that they share one wait for the disk. It
// needs no lock, but no other call of Store or Void may run.
func Store(ctx context.Context, messages []Message) error {
	var writing errgroup.Group
	var mu sync.Mutex // guards item.added
	var carriers []*item
	for i := range messages {
		for j := range messages[i].items {
			it := &messages[i].items[j]
			if it.refuse != "" || it.stale || it.twice || it.Lease.Audit {
				continue
			}
			if it.Attempt == nil && it.run.Carries(&it.pair) {
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
	return nil
}

// store stores the pair or the attempt of an item. If carries is true, it stores the new states of the tune
// together with the pair. added is false if the pair was stored before.
func (it *item) store(ctx context.Context, carries bool) (added bool, err error) {
	if it.Attempt != nil {
		return true, it.run.Store.PutAttempt(ctx, *it.Attempt)
	}
	it.pair.Attempts = it.pair.Attempts[:min(len(it.pair.Attempts), maxAttempts)]
	return it.run.Add(ctx, it.pair, it.Lease.Take, carries)
}

// Settle updates the counts, the ledger and the worker after a message was processed.
func (s *Judge) Settle(ctx context.Context, m *Message) {
	now := time.Now()
	s.Status.Messages++
	s.Status.Sequence = m.Sequence
	if m.Again {
		s.Status.Again++
	}
	if m.why != "" {
		s.Status.Unsigned++
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
				r.Counts.Stale++
			}
			if it.outdated {
				r.Ledger.Refused(now, grants.LeaseOf(it.Lease))
			}
		case it.refuse != "":
			r.Counts.Refused++
			blame = it.refuse
			refused++
			s.config.Audits.Release(r, m.worker, it.Lease)
			if r.Ledger != nil && !it.Lease.Audit && s.config.Secret.Granted(m.worker, it.Lease) {
				r.Ledger.Refused(now, grants.LeaseOf(it.Lease))
			}
		case it.Attempt != nil:
			// An attempt proves nothing about an update. The machine may have stood still, and a pair that is
			// given up comes back as crashed.
		case it.Lease.Audit:
			played := audit.Played{Worker: m.worker, Owner: m.key.Owner, Lease: it.Lease, Pair: &it.pair}
			if accused := s.config.Audits.Count(ctx, r, played); accused.Worker != "" {
				s.accuse(ctx, accused)
			}
		case it.added:
			s.countResult(ctx, now, m.worker, it)
		default:
			r.Counts.Duplicates++
			r.Ledger.Stored(now, it.Lease.Pair)
		}
	}
	if blame != "" {
		s.blame(ctx, m.worker, blame, refused)
	}
}

// countResult updates the counts of a worker after one of its pairs was stored.
func (s *Judge) countResult(ctx context.Context, now time.Time, worker string, it *item) {
	w := s.config.Roster.Worker(worker, "")
	w.Played++
	s.config.Roster.KeepCounts(ctx, worker, w)
	s.checkClaim(ctx, it.run, worker, &it.pair)
	s.config.Updates.Count(ctx, it.run.Digest, worker, true, engineFailed(&it.pair))
	s.CountPair(ctx, now, it.run, &it.pair)
}

// CountPair updates the ledger, the SPRT and the watchers after a pair was stored.
func (s *Judge) CountPair(ctx context.Context, now time.Time, r *tests.Test, p *match.PairResult) {
	r.Counts.Added++
	r.Ledger.Stored(now, p.Pair.ID)
	r.AddCost(p)
	s.config.Quotas.Spend(time.Now(), r, p)
	r.PublishPair(p)
	if r.Tune != nil {
		s.config.Tests.CountTunePair(r, p.Pair.ID)
	}
	s.compare(ctx, now, r, p)
	if r.Gate != nil {
		decided := r.Gate.State().Decided()
		play, err := gate.OfResult(r.Match, *p)
		if err == nil {
			err = r.Gate.Add(p.Pair.ID, play)
		}
		if err == nil {
			r.PlayedBy.Set(p.Pair.ID, p.Played.Worker)
		}
		if err != nil && !r.State.Final() {
			entries.Warn(s.config.Log, s.config.Tests.Turn(ctx, r, farm.Failed, "farm", err.Error()), "a test did not end",
				"run", r.Name)
			return
		}
		r.LimitByGate()
		if !decided && r.State != farm.Running && r.Gate.State().Decided() {
			entries.Warn(s.config.Log, s.config.Tests.Turn(ctx, r, r.State, "farm", r.Decided()), "a verdict was not stored",
				"run", r.Name)
		}
	}
	if s.config.Tests.Examine(ctx, r) {
		s.config.Audits.Prove(ctx, time.Now(), r)
	}
}

// Answer acknowledges the message to the stream. If the message was rejected, the stream keeps it as evidence.
func (m *Message) Answer(ctx context.Context) error {
	why := m.why
	for i := range m.items {
		why = cmp.Or(m.items[i].refuse, m.items[i].lost, why)
	}
	if why != "" {
		return m.Refuse(ctx, why)
	}
	return m.Ack(ctx)
}

// engineFailed reports whether an engine failed in a pair.
func engineFailed(p *match.PairResult) bool {
	return slices.ContainsFunc(p.Games, func(g match.Result) bool { return g.Termination.IsFault() })
}
