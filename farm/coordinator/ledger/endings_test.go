package ledger_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gogi/farm/coordinator/ledger"
	"gogi/internal/testutil"
)

// given is a lease in a model that keeps every lease.
type given struct {
	ledger.Lease
	worker        int
	refused, lost bool // the lease, or a later one while this one was not held
}

// model knows everything about the leases of finished pairs. The ledger, which keeps two epochs for each pair, must
// decide as the model does.
type model struct {
	*book
	seed    uint64
	rand    *rand.Rand
	all     []*given
	held    map[int]*given // by pair
	stored  map[int]bool
	happens map[string]int
}

// ends marks a lease, and each lease of the pair with a lower epoch that is not held.
func (m *model) ends(of *given, mark func(*given)) {
	for _, x := range m.all {
		if x == of || x.Pair == of.Pair && x.Epoch < of.Epoch && m.held[x.Pair] != x {
			mark(x)
		}
	}
	if m.held[of.Pair] == of {
		delete(m.held, of.Pair)
	}
}

// one draws one of the latest leases, mostly one that has not ended for ever.
func (m *model) one() (x *given) {
	for range min(len(m.all), 3) {
		x = m.all[len(m.all)-1-m.rand.IntN(min(len(m.all), 4))]
		if !x.refused && !x.lost && x.Take == m.Take(x.Pair) && m.held[x.Pair] != x {
			break
		}
	}
	return x
}

// beat lists a finished lease, and compares the answer with the model.
func (m *model) beat(x *given) {
	dropped, stored := m.Beat(m.now, name(x.worker), "s", ledger.Listed{Outbox: []ledger.Lease{x.Lease}})
	holder, drop := m.held[x.Pair], false
	switch {
	case m.stored[x.Pair] && x.Take == m.Take(x.Pair):
		testutil.Require(m.t, len(stored) == 1, "seed %d: %+v is not shown as stored", m.seed, x)
	case x.Take != m.Take(x.Pair) || x.refused:
		drop = true
	case holder != nil:
		drop = holder != x
		m.happens["the lease of another"]++
	case !x.lost:
		m.held[x.Pair] = x
		m.happens["held again"]++
	}
	testutil.Require(m.t, (len(dropped) == 1) == drop, "seed %d: %+v: dropped %t; the model holds %+v", m.seed, x,
		len(dropped) == 1, holder)
}

func (m *model) compare() {
	for pair := range 2 {
		x := m.held[pair]
		for worker := range 2 {
			want := x != nil && x.worker == worker
			testutil.Require(m.t, m.Holds(name(worker), pair) == want, "seed %d: pair %d, w%d: the model holds %+v", m.seed,
				pair, worker, x)
		}
	}
}

// expire lets some leases expire. The workers of the others send a heartbeat meanwhile.
func (m *model) expire() {
	m.wait(lease * 3 / 4)
	for _, pair := range slices.Sorted(maps.Keys(m.held)) {
		if m.rand.IntN(4) == 0 {
			m.beat(m.held[pair])
		} else {
			delete(m.held, pair)
			m.happens["expired"]++
		}
	}
	m.wait(lease / 2)
	m.Expire(m.now)
}

// lose lets the result of a held lease not arrive.
func (m *model) lose(x *given) {
	sent := ledger.Listed{Sent: []ledger.Lease{x.Lease}}
	m.Beat(m.now, name(x.worker), "s", sent)
	m.Drained(m.now.Add(lease + time.Second))
	dropped, _ := m.Beat(m.now, name(x.worker), "s", sent)
	testutil.Require(m.t, len(dropped) == 1, "seed %d: a result that did not come", m.seed)
	m.ends(x, func(x *given) { x.lost = true })
	m.happens["lost"]++
}

func (m *model) step() {
	x := m.one()
	switch op := m.rand.IntN(11); {
	case op <= 1 || op == 10 || x == nil:
		worker := m.rand.IntN(2)
		for _, l := range m.grant(worker, 1) {
			testutil.Require(m.t, m.held[l.Pair] == nil && !m.stored[l.Pair], "seed %d: %+v is granted twice", m.seed, l)
			x := &given{Lease: l, worker: worker}
			m.all, m.held[l.Pair] = append(m.all, x), x
			m.beat(x)
		}
	case op <= 4:
		m.beat(x)
	case op <= 6:
		m.expire()
	case op == 7:
		m.Refused(m.now, x.Lease)
		if x.Take == m.Take(x.Pair) && !m.stored[x.Pair] {
			if h := m.held[x.Pair]; h != nil && h.Epoch < x.Epoch {
				m.happens["refused after an earlier lease was held again"]++
			}
			m.ends(x, func(x *given) { x.refused = true })
		}
	case op == 8 && m.held[x.Pair] == x:
		m.lose(x)
	case op == 9 && x.Take == m.Take(x.Pair) && !m.stored[x.Pair]:
		m.Stored(m.now, x.Pair)
		m.stored[x.Pair] = true
		delete(m.held, x.Pair)
	case op == 9 && m.stored[x.Pair]:
		m.Void(m.now, x.Pair)
		m.stored[x.Pair] = false
	}
	m.compare()
}

// TestEndedLeases compares the ledger with a model that keeps all leases, in random sequences of grants, heartbeats,
// expiries, rejected, lost and stored results, and voided pairs. A rejected or lost lease ends for ever, and with it
// the earlier leases of its pair that no worker holds. No other lease ends.
func TestEndedLeases(t *testing.T) {
	t.Parallel()
	happens := map[string]int{}
	for seed := range uint64(2000) {
		m := &model{
			book: newBook(t, 2, 2, nil), seed: seed, rand: rand.New(rand.NewPCG(seed, 0)),
			held: map[int]*given{}, stored: map[int]bool{}, happens: happens,
		}
		for range 24 { // a worker may keep a finished pair for 30 leases
			m.step()
		}
	}
	for _, what := range []string{"held again", "the lease of another", "expired", "lost",
		"refused after an earlier lease was held again"} {
		testutil.Check(t, happens[what] > 0, "never happened: %s", what)
	}
}
