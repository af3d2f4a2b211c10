package ledger

import (
	"container/heap"
	"math"
	"time"

	"gogi/farm"
)

// Config is how a Ledger begins.
type Config struct {
	Pairs    int               // of the plan
	Finished func(id int) bool // is it stored?
	Takes    map[int]int       // of pairs that were void: how often; may be nil
	Epochs   *Epochs           // shared by all ledgers of a coordinator
	Lease    time.Duration     // how long a lease lives without a beat, above 0
	Now      time.Time
	// Grace is for how long nothing is granted below the highest pair that is known to
	// have been granted: workers that hold such pairs tell so in the meantime. 0: the run
	// was never granted.
	Grace time.Duration
}

// Ledger knows who plays which pair of a run. A grant costs the logarithm of what is
// held; memory is a bit for each pair, and some 300 bytes for each lease.
type Ledger struct {
	config Config
	done   bits
	takes  map[int]int
	stored int // pairs that are done

	prefix int // the lowest pair that is not done
	beyond int // pairs from prefix+beyond on are not granted
	until  int // nor are pairs from here on
	next   int // the lowest pair that was neither granted nor passed over
	// Below, what was passed over while others might have held it: [low, lowEnd).
	low, lowEnd int
	high        int // the highest pair that is known to have been granted
	graceEnds   time.Time
	gaps        gaps // pairs that came back
	over        bool
	paused      bool

	held    map[int]*lease // by pair
	holders map[string]*holder
	clock   deadlines
	refused map[farm.Epoch]bool // results of theirs were not counted: they are no leases any more
	drained time.Time           // all that was published before was judged
	beats   uint64

	troubled map[int]*trouble
	alone    solo
	pace     pace
	counts   Counts
}

// Counts are what happened to the leases of a run since the coordinator's start.
type Counts struct {
	Granted   int
	Expired   int // not heard of for too long
	Adopted   int // known from their holder alone: granted before a restart, or expired before
	Returned  int // given back unplayed
	Replaced  int // their worker began anew without them
	Revoked   int // much older than others get
	Regranted int // grants of pairs that had been granted before
	Lost      int // sent, and never seen in the stream
}

// lease is one that is held.
type lease struct {
	Lease
	who      *holder
	session  string
	granted  time.Time
	deadline time.Time
	sent     time.Time // when it was first told to be in the stream; zero: it is not
	finished bool      // it is in the outbox or the stream
	revoked  bool
	solo     bool
	listed   uint64 // the latest beat that had it
	// The holder's other leases.
	before, after *lease
}

// holder is a worker.
type holder struct {
	name    string
	session string
	first   *lease
	leases  int
	// finished of them are played, and wait to be judged.
	finished int
	times    times
}

// New is the ledger of a run.
func New(c Config) *Ledger {
	l := &Ledger{
		config: c, done: newBits(c.Pairs), takes: map[int]int{}, beyond: c.Pairs, until: c.Pairs, high: -1, graceEnds: c.Now.Add(c.Grace),
		held: map[int]*lease{}, holders: map[string]*holder{}, refused: map[farm.Epoch]bool{}, troubled: map[int]*trouble{},
	}
	for pair, take := range c.Takes {
		l.takes[pair] = take
	}
	for id := range c.Pairs {
		if c.Finished(id) {
			l.done.set(id)
			l.stored++
			l.high = id
		}
	}
	l.advance()
	l.next, l.low = l.prefix, l.prefix
	return l
}

// Enter makes this the session of a worker, whose leases of an older session end with
// the first beat that does not have them.
func (l *Ledger) Enter(worker, session string) {
	h := l.holders[worker]
	if h == nil {
		h = &holder{name: worker}
		l.holders[worker] = h
	}
	h.session = session
}

// Leave takes all leases from a worker, and its session.
func (l *Ledger) Leave(now time.Time, worker string) {
	h := l.holders[worker]
	if h == nil {
		return
	}
	for x := h.first; x != nil; x = h.first {
		l.free(now, x)
	}
	h.session = ""
}

// Grant gives a worker's session up to n pairs, the lowest first. A pair that came
// back goes to the faster half of the workers for a while, see [holder.mayHave].
func (l *Ledger) Grant(now time.Time, worker, session string, n int) []Lease {
	h := l.holders[worker]
	if h == nil || h.session != session || session == "" || l.over || l.paused {
		return nil
	}
	var out []Lease
	for len(out) < n {
		pair, again, ok := l.candidate(now, h)
		if !ok {
			break
		}
		x, ok := l.grant(now, h, pair)
		if !ok {
			break
		}
		if again {
			l.counts.Regranted++
		}
		out = append(out, x.Lease)
	}
	return out
}

// grant makes a lease of a pair that is free.
func (l *Ledger) grant(now time.Time, h *holder, pair int) (*lease, bool) {
	epoch, ok := l.config.Epochs.Take()
	if !ok {
		return nil, false
	}
	l.counts.Granted++
	return l.hold(now, h, Lease{Pair: pair, Epoch: epoch, Take: l.takes[pair]}), true
}

// hold enters a lease.
func (l *Ledger) hold(now time.Time, h *holder, what Lease) *lease {
	x := &lease{Lease: what, who: h, session: h.session, granted: now, deadline: now.Add(l.config.Lease), after: h.first}
	if h.first != nil {
		h.first.before = x
	}
	h.first = x
	h.leases++
	l.held[what.Pair] = x
	l.high = max(l.high, what.Pair)
	heap.Push(&l.clock, deadline{x.deadline, x})
	return x
}

// candidate is the lowest pair that this worker may be granted; again, it had been
// granted before.
func (l *Ledger) candidate(now time.Time, h *holder) (pair int, again, ok bool) {
	limit := l.limit()
	grace := now.Before(l.graceEnds)
	l.skip(grace)
	for len(l.gaps) > 0 && !l.isFree(l.gaps[0].pair) {
		heap.Pop(&l.gaps)
	}
	passed := math.MaxInt
	if !grace && l.low < l.lowEnd {
		passed = l.low
	}
	lowest := min(passed, l.next)
	if len(l.gaps) > 0 && l.gaps[0].pair <= lowest && l.gaps[0].pair < limit && h.mayHave(now.Sub(l.gaps[0].since), l.config.Lease, l.pace.median) {
		return heap.Pop(&l.gaps).(gap).pair, true, true //nolint:forcetypeassert // gaps holds nothing else
	}
	switch {
	case lowest >= limit:
		return 0, false, false
	case lowest == l.next:
		l.next++
	}
	return lowest, false, true
}

// skip moves the cursors to pairs that are free. In the time of grace what others may
// hold is passed over, and left for later.
func (l *Ledger) skip(grace bool) {
	if grace && l.next <= l.high {
		l.next = l.high + 1
		l.lowEnd = l.next
	}
	for l.next < l.config.Pairs && !l.isFree(l.next) {
		l.next++
	}
	for l.low < l.lowEnd && !l.isFree(l.low) {
		l.low++
	}
}

// limit is the pair from which on nothing is granted.
func (l *Ledger) limit() int {
	if l.beyond > l.config.Pairs-l.prefix {
		return l.until
	}
	return min(l.prefix+l.beyond, l.until)
}

// isFree reports whether a pair is neither done nor held, and no trouble.
func (l *Ledger) isFree(pair int) bool {
	if t := l.troubled[pair]; t != nil && (t.solo || t.void) {
		return false
	}
	return !l.done.has(pair) && l.held[pair] == nil
}

// Return takes back a lease that a worker gives back; crashed says that it tried it.
// fate tells what becomes of the pair.
func (l *Ledger) Return(now time.Time, worker string, what Lease, crashed bool) (fate Fate) {
	x := l.held[what.Pair]
	if x == nil || x.Epoch != what.Epoch || x.who.name != worker {
		return FateNone
	}
	l.counts.Returned++
	if crashed {
		return l.crash(now, x)
	}
	l.free(now, x)
	return FateAgain
}

// Stored says that a pair is in the store, by whomever. It is never granted again.
func (l *Ledger) Stored(now time.Time, pair int) {
	if pair < 0 || pair >= l.config.Pairs || l.done.has(pair) {
		return
	}
	l.done.set(pair)
	l.stored++
	l.high = max(l.high, pair)
	if t := l.troubled[pair]; t != nil {
		delete(l.troubled, pair)
		if t.solo {
			l.alone.forget(pair)
		}
	}
	if x := l.held[pair]; x != nil {
		l.pace.see(x.who, now.Sub(x.granted), len(l.holders))
		l.remove(x)
	}
	l.advance()
}

// Refused says that what came under a lease was not counted: the lease is none any
// more, and the pair is to be played by somebody.
func (l *Ledger) Refused(now time.Time, what Lease) {
	l.refused[what.Epoch] = true
	if x := l.held[what.Pair]; x != nil && x.Epoch == what.Epoch {
		l.free(now, x)
	}
}

// Void says that a pair which was stored is not any more. It is played again, as its
// next take; leases of the take before count nothing.
func (l *Ledger) Void(now time.Time, pair int) {
	if pair < 0 || pair >= l.config.Pairs || !l.done.has(pair) {
		return
	}
	l.done.clear(pair)
	l.stored--
	l.takes[pair]++
	l.prefix = min(l.prefix, pair)
	if pair < l.next {
		heap.Push(&l.gaps, gap{pair, now})
	}
}

// Drained says that all of the stream that was published before now was judged. What was
// told to be in the stream a lease before then, and is not stored, is not in it.
func (l *Ledger) Drained(now time.Time) { l.drained = now }

// Window bounds what is granted to that many pairs from the lowest that is not stored,
// 1 at least.
func (l *Ledger) Window(beyond int) { l.beyond = max(1, beyond) }

// Until bounds what is granted to pairs below a number: what is beyond is not known yet.
func (l *Ledger) Until(pair int) { l.until = min(max(0, pair), l.config.Pairs) }

// Over ends the run: nothing is granted, and what is held is taken away, but for what
// is finished, which may still come.
func (l *Ledger) Over(over bool) { l.over = over }

// Pause grants nothing for as long; what is held is played on.
func (l *Ledger) Pause(paused bool) { l.paused = paused }

// free ends a lease unplayed.
func (l *Ledger) free(now time.Time, x *lease) {
	l.remove(x)
	if x.solo {
		l.alone.wait(x.Pair, now)
		return
	}
	heap.Push(&l.gaps, gap{x.Pair, now})
}

// remove takes a lease out of the books.
func (l *Ledger) remove(x *lease) {
	delete(l.held, x.Pair)
	if x.before != nil {
		x.before.after = x.after
	} else {
		x.who.first = x.after
	}
	if x.after != nil {
		x.after.before = x.before
	}
	x.who.leases--
	if x.finished {
		x.who.finished--
	}
	x.before, x.after = nil, nil
	x.deadline = time.Time{} // its place in the clock is stale
}

func (l *Ledger) advance() {
	for l.prefix < l.config.Pairs && l.done.has(l.prefix) {
		l.prefix++
	}
}
