package ledger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/internal/testutil"
)

const lease = 20 * time.Second

// world is a farm from the view of its workers and its store. The test compares the ledger with it.
type world struct {
	t       *rapid.T
	pairs   int
	now     time.Time
	boot    uint32
	epochs  *ledger.Epochs
	ledger  *ledger.Ledger
	window  int
	stored  map[int]bool
	takes   map[int]int
	workers []*worker
	given   map[farm.Epoch]ledger.Lease // every lease that was granted
	stream  []sent                      // results in transit
	alive   map[int]alive               // by pair: the last lease that was granted or extended
	happens map[string]int
}

type sent struct {
	worker *worker
	lease  ledger.Lease
}

// alive is a lease that was granted or extended.
type alive struct {
	worker, session string
	epoch           farm.Epoch
	until           time.Time
}

type worker struct {
	name    string
	starts  int
	session string
	held    []ledger.Lease
	outbox  []ledger.Lease
	sent    []ledger.Lease
}

func newWorld(t *rapid.T) *world {
	w := &world{
		t: t, pairs: rapid.IntRange(1, 40).Draw(t, "pairs"), now: time.Unix(1_000_000, 0), stored: map[int]bool{},
		takes: map[int]int{},
		given: map[farm.Epoch]ledger.Lease{}, alive: map[int]alive{}, happens: map[string]int{},
	}
	w.window = w.pairs
	for i := range rapid.IntRange(1, 4).Draw(t, "workers") {
		w.workers = append(w.workers, &worker{name: fmt.Sprint("w", i)})
	}
	w.begin(0)
	return w
}

// begin starts the coordinator. Only the store and the size of the window survive a restart.
func (w *world) begin(grace time.Duration) {
	w.boot++
	w.epochs = ledger.NewEpochs(w.boot)
	w.ledger = ledger.New(ledger.Config{
		Pairs: w.pairs, Finished: func(id int) bool { return w.stored[id] }, Takes: w.takes, Epochs: w.epochs, Lease: lease,
		Now: w.now, Grace: grace,
	})
	w.ledger.Window(w.window)
	for _, x := range w.workers {
		if x.session != "" {
			w.ledger.Enter(x.name, x.session)
		}
	}
	w.alive = map[int]alive{}
}

func (w *world) prefix() int {
	n := 0
	for w.stored[n] {
		n++
	}
	return n
}

func (w *world) any() *worker { return rapid.SampledFrom(w.workers).Draw(w.t, "worker") }

func (w *world) grant(x *worker, n int) {
	w.granted(x, w.ledger.Grant(w.now, x.name, x.session, n))
}

func (w *world) granted(x *worker, leases []ledger.Lease) {
	for _, l := range leases {
		_, again := w.given[l.Epoch]
		testutil.Require(w.t, !again, "I6: epoch %x was given before", l.Epoch)
		w.given[l.Epoch] = l
		if l.Pair < 0 || l.Pair >= w.pairs || w.stored[l.Pair] || l.Take != w.takes[l.Pair] {
			w.t.Fatalf("I1: granted %+v, stored %v, take %d", l, w.stored[l.Pair], w.takes[l.Pair])
		}
		testutil.Require(w.t, l.Pair < w.prefix()+w.window, "I7: granted pair %d, the prefix is %d and the window %d", l.Pair,
			w.prefix(), w.window)
		w.lives(x, l)
	}
	x.held = append(x.held, leases...)
	w.happens["granted"] += len(leases)
}

// lives checks I11: no other worker has a lease of the pair.
func (w *world) lives(x *worker, l ledger.Lease) {
	if a, ok := w.alive[l.Pair]; ok && a.epoch != l.Epoch && w.now.Before(a.until) {
		w.t.Fatalf("I11: pair %d is grant %x of %s and, until %v, grant %x of %s", l.Pair, l.Epoch, x.name,
			a.until.Sub(w.now), a.epoch, a.worker)
	}
	w.alive[l.Pair] = alive{x.name, x.session, l.Epoch, w.now.Add(lease)}
}

// beat sends the leases of a worker to the ledger and applies the answer.
func (w *world) beat(x *worker) {
	list := ledger.Listed{Held: slices.Clone(x.held), Outbox: slices.Clone(x.outbox), Sent: slices.Clone(x.sent)}
	before := map[int]alive{}
	for pair, a := range w.alive {
		before[pair] = a
		if a.worker == x.name && a.session != x.session &&
			!slices.ContainsFunc(slices.Concat(list.Held, list.Outbox, list.Sent), func(l ledger.Lease) bool {
				return l.Epoch == a.epoch
			}) {
			delete(w.alive, pair) // the process has ended, and the new one does not list the lease
		}
	}
	dropped, stored := w.ledger.Beat(w.now, x.name, x.session, list)
	for _, l := range stored {
		testutil.Require(w.t, w.stored[l.Pair], "I4: %s is told that pair %d is stored, and it is not", x.name, l.Pair)
	}
	gone := slices.Concat(dropped, stored)
	without := func(list []ledger.Lease) []ledger.Lease {
		return slices.DeleteFunc(list, func(l ledger.Lease) bool { return slices.Contains(gone, l) })
	}
	x.held, x.outbox, x.sent = without(x.held), without(x.outbox), without(x.sent)
	for _, l := range gone {
		if a, ok := w.alive[l.Pair]; ok && a.epoch == l.Epoch {
			delete(w.alive, l.Pair)
		}
	}
	for _, l := range slices.Concat(x.held, x.outbox, x.sent) {
		testutil.Require(w.t, l.Take == w.takes[l.Pair], "pair %d was void since %+v was granted, and it is kept", l.Pair, l)
		w.lives(x, l)
	}
	w.happens["dropped"] += len(dropped)
	w.happens["told stored"] += len(stored)
}

// judge reads a result of the stream as the coordinator does: the first result of the current take counts.
func (w *world) judge(i int) {
	s := w.stream[i]
	w.stream = slices.Delete(w.stream, i, i+1)
	switch {
	case s.lease.Take != w.takes[s.lease.Pair]:
		w.happens["old take"]++
	case w.stored[s.lease.Pair]:
		w.happens["duplicate"]++
	default:
		w.stored[s.lease.Pair] = true
		delete(w.alive, s.lease.Pair)
		w.ledger.Stored(w.now, s.lease.Pair)
	}
}

func (w *world) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"start": func(*rapid.T) { // or restart: the worker loses the pairs in play, but not the outbox
			x := w.any()
			x.starts++
			x.session, x.held = fmt.Sprint(x.name, "-", x.starts), nil
			w.ledger.Enter(x.name, x.session)
		},
		"grant": func(t *rapid.T) { w.grant(w.any(), rapid.IntRange(1, 5).Draw(t, "n")) },
		"lost reply": func(*rapid.T) {
			x := w.any()
			w.grant(x, 2)
			x.held = x.held[:max(0, len(x.held)-2)]
		},
		"beat": func(*rapid.T) { w.beat(w.any()) },
		"wait": func(t *rapid.T) { w.now = w.now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "s")) * time.Second) },
		"expire": func(*rapid.T) {
			for _, l := range w.ledger.Expire(w.now) {
				if a, ok := w.alive[l.Pair]; ok && a.epoch == l.Epoch {
					if w.now.Before(a.until) {
						w.t.Fatalf("grant %x expired %v too early", l.Epoch, a.until.Sub(w.now))
					}
					delete(w.alive, l.Pair)
				}
				w.happens["expired"]++
			}
		},
		"finish": func(*rapid.T) {
			if x := w.any(); len(x.held) > 0 {
				x.outbox = append(x.outbox, x.held[0])
				x.held = x.held[1:]
			}
		},
		"publish": func(t *rapid.T) {
			if x := w.any(); len(x.outbox) > 0 {
				w.stream = append(w.stream, sent{x, x.outbox[0]})
				if rapid.Bool().Draw(t, "twice") {
					w.stream = append(w.stream, sent{x, x.outbox[0]})
				}
				x.sent = append(x.sent, x.outbox[0])
				x.outbox = x.outbox[1:]
			}
		},
		"judge": func(t *rapid.T) { // results arrive in any order
			if len(w.stream) > 0 {
				w.judge(rapid.IntRange(0, len(w.stream)-1).Draw(t, "which"))
			}
		},
		"return": func(t *rapid.T) {
			if x := w.any(); len(x.held) > 0 {
				l := x.held[0]
				x.held = x.held[1:]
				w.ledger.Return(w.now, x.name, l, false)
				if a, ok := w.alive[l.Pair]; ok && a.epoch == l.Epoch {
					delete(w.alive, l.Pair)
				}
			}
		},
		"return another's": func(*rapid.T) {
			x, y := w.any(), w.any()
			testutil.Require(w.t, x == y || len(y.held) == 0 ||
				w.ledger.Return(w.now, x.name, y.held[0], true) == ledger.FateNone,
				"a worker gave back what another holds")
		},
		"old session": func(*rapid.T) {
			x := w.any()
			if x.session == "" {
				return
			}
			got := w.ledger.Grant(w.now, x.name, "older", 3)
			testutil.Require(w.t, len(got) == 0, "I11: an older session was granted pairs")
			if d, _ := w.ledger.Beat(w.now, x.name, "older", ledger.Listed{Held: x.held}); len(d) != len(x.held) {
				w.t.Fatal("I11: an older session's beat was heard")
			}
		},
		"forged": func(t *rapid.T) {
			x := w.any()
			w.beat(x) // this settles the leases of an older process
			l := ledger.Lease{Pair: rapid.IntRange(-3, w.pairs+3).Draw(t, "pair"), Epoch: 77,
				Take: rapid.IntRange(3, 5).Draw(t, "take")}
			if l.Pair >= 0 && l.Pair < w.pairs {
				l.Take += w.takes[l.Pair]
			}
			if d, s := w.ledger.Beat(w.now, x.name, x.session,
				ledger.Listed{Held: []ledger.Lease{l}, Sent: []ledger.Lease{l}}); x.session != "" && len(d) != 2 || len(s) != 0 {
				w.t.Fatal("a lease of another take or of no pair was heard")
			}
			w.ledger.Return(w.now, x.name, l, true)
			w.ledger.Stored(w.now, w.pairs+2)
		},
		"leave": func(*rapid.T) {
			x := w.any()
			w.ledger.Leave(w.now, x.name)
			for pair, a := range w.alive {
				if a.worker == x.name {
					delete(w.alive, pair)
				}
			}
			x.session, x.held = "", nil
		},
		"restart": func(*rapid.T) { w.begin(lease) },
		"void": func(t *rapid.T) {
			pair := rapid.IntRange(0, w.pairs-1).Draw(t, "pair")
			for _, s := range w.stream { // prefer a pair whose result arrives again
				if w.stored[s.lease.Pair] {
					pair = s.lease.Pair
				}
			}
			if w.stored[pair] {
				w.purge(pair)
			}
		},
		"window": func(t *rapid.T) {
			w.window = rapid.IntRange(1, w.pairs).Draw(t, "pairs")
			w.ledger.Window(w.window)
		},
		"": func(*rapid.T) {
			s := w.ledger.State()
			if s.Stored != len(slices.DeleteFunc(mapKeys(w.stored), func(id int) bool { return !w.stored[id] })) ||
				s.Prefix != w.prefix() {
				w.t.Fatalf("I1: the ledger says %+v, the prefix is %d of %v", s, w.prefix(), w.stored)
			}
		},
	}
}

// purge makes a stored pair void.
func (w *world) purge(pair int) {
	w.ledger.Void(w.now, pair)
	w.stored[pair] = false
	w.takes[pair]++
}

func mapKeys(m map[int]bool) (keys []int) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// finish plays the remaining pairs without faults. After any history the run must end.
func (w *world) finish() {
	x := w.workers[0]
	x.starts++
	x.session, x.held = fmt.Sprint(x.name, "-last-", x.starts), nil
	w.ledger.Enter(x.name, x.session)
	purged := false
	for range 120 * (w.pairs + 4) {
		if w.prefix() == w.pairs {
			if purged {
				return
			}
			purged = true // once more, with late results of earlier grants
			w.purge(0)
			for _, l := range w.given {
				if l.Pair == 0 {
					w.stream = append(w.stream, sent{x, l})
				}
			}
		}
		w.now = w.now.Add(lease / 3)
		w.actions()["expire"](w.t)
		w.beat(x)
		if l, granted, wait := w.ledger.Solo(w.now, x.name, x.session, false, len(x.held)); granted {
			w.granted(x, []ledger.Lease{l})
		} else if !wait {
			w.grant(x, 3)
		}
		for _, l := range slices.Concat(x.held, x.outbox) {
			w.stream = append(w.stream, sent{x, l})
		}
		x.sent, x.held, x.outbox = append(x.sent, slices.Concat(x.held, x.outbox)...), nil, nil
		for len(w.stream) > 0 {
			w.judge(0)
		}
	}
	w.t.Fatalf("I1: the run does not end: %+v, stored %v", w.ledger.State(), w.stored)
}

// TestLawsOfTheLedger draws grants, expiries, returns, restarts, and duplicate, late and forged results in any order.
// No pair counts twice or stays missing (I1). The ledger reports no pair as stored that is not (I4). It uses no epoch
// twice (I6) and grants no pair beyond the window (I7). No two workers hold a pair at once (I11).
func TestLawsOfTheLedger(t *testing.T) {
	t.Parallel()
	happened := map[string]int{}
	for range 10 {
		rapid.Check(t, law(happened))
	}
	for _, what := range []string{"granted", "dropped", "told stored", "expired", "duplicate", "old take", "adopted",
		"replaced", "regranted"} {
		testutil.Check(t, happened[what] != 0, "nothing was ever %s: the law was not tried", what)
	}
}

func law(happened map[string]int) func(*rapid.T) {
	return func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(w.actions())
		w.finish()
		for what, n := range w.happens {
			happened[what] += n
		}
		c := w.ledger.State().Counts
		happened["adopted"] += c.Adopted
		happened["replaced"] += c.Replaced
		happened["regranted"] += c.Regranted
	}
}
