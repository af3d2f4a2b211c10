package ledger

import (
	"container/heap"
	"maps"
	"math"
	"time"

	"gogi/farm"
)

// A Config is the input of New.
type Config struct {
	Pairs    int               // pairs of the plan
	Finished func(id int) bool // reports whether a pair is stored
	Takes    map[int]int       // how often a pair was voided. It may be nil.
	Epochs   *Epochs           // shared by all ledgers of a coordinator
	Lease    time.Duration     // lifetime of a lease without a heartbeat, above 0
	Now      time.Time
	// Grace is the time after New for which the ledger grants only pairs above the highest pair that is known
	// to have been granted. In this time the workers that hold lower pairs report them. Grace is 0 for a run
	// that was never granted.
	Grace time.Duration
	// Standing returns how much the reports of a worker count now. With nil each worker decides.
	Standing func(worker string) Standing
	// Apart reports whether a worker must not play a pair that was played before. It may be nil.
	Apart func(now time.Time, worker string, pair int) bool
}

// A Ledger records which worker plays which pair of a run. The time that a grant takes grows with the logarithm of
// the number of leases. A Ledger needs one bit of memory for each pair, and about 300 bytes for each lease.
type Ledger struct {
	config Config
	done   bits // stored pairs
	takes  map[int]int
	stored int // number of stored pairs

	prefix int // lowest pair that is not stored
	beyond int // the window: pairs from prefix+beyond on are not granted
	until  int // pairs from this one on are not granted, see Until
	next   int // lowest pair that was neither granted nor skipped
	// The pairs from low to lowEnd-1 were skipped in the grace time, because workers might hold them from before a
	// restart.
	low, lowEnd int
	high        int // highest pair known to have been granted
	graceEnds   time.Time
	gaps        heapOf[gap]
	over        bool
	paused      bool

	held    map[int]*lease // leases by pair
	holders map[string]*holder
	clock   heapOf[deadline]
	refused endings   // leases whose results were rejected. They are invalid.
	lost    endings   // leases that ended because their result did not come, see giveUp
	drained time.Time // every result published before this time has been processed.
	flows   time.Time // since then the stream was read to its end at least once in each lease lifetime
	beats   uint64

	troubled map[int]*trouble
	// reporters has the owners of workers that do not decide, by name.
	reporters map[string]*reporter
	alone     solo
	pace      pace
	counts    Counts
}

// A Counts counts the events of a run's leases since the coordinator's start.
type Counts struct {
	farm.LeaseCounts
	Replaced int // leases that ended because a new process of their worker no longer has them.
}

// A lease is a Lease that a worker holds.
type lease struct {
	Lease
	who      *holder
	session  string
	granted  time.Time
	deadline time.Time // zero after the lease has ended.
	waits    time.Time // when a heartbeat first listed it as finished but not sent; zero before that
	sent     time.Time // when a heartbeat first listed it as sent; zero before that
	finished bool      // the worker has finished the pair.
	revoked  bool
	solo     bool
	listed   uint64 // number of the latest beat that listed it
	// before and after are the neighbours in the list of the holder's leases.
	before, after *lease
}

// endings has the leases of each pair that ended for one reason, and the leases of the pair with lower epochs that
// ended before. A worker cannot have such a lease again. Stored pairs have no entry.
type endings map[int]ending

// An ending has the leases of one pair with epochs up to latest, without the lease with the epoch except. Two numbers
// are enough for any number of leases, because only one lease of a pair is valid at a time.
type ending struct {
	latest farm.Epoch
	except farm.Epoch // a lease that was valid when a later lease ended, because its worker has it again; 0 for none
}

// add adds a lease. held is the valid lease of its pair, or nil.
func (e endings) add(l Lease, held *lease) {
	x := e[l.Pair]
	if x.except <= l.Epoch {
		x.except = 0
	}
	x.latest = max(x.latest, l.Epoch)
	if held != nil && held.Epoch != l.Epoch {
		x.except = held.Epoch
	}
	e[l.Pair] = x
}

func (e endings) has(l Lease) bool {
	x := e[l.Pair]
	return l.Epoch <= x.latest && (x.except == 0 || l.Epoch != x.except)
}

// A holder is a worker with the leases that it holds.
type holder struct {
	name     string
	session  string
	first    *lease
	leases   int
	finished int // leases of finished pairs whose result the coordinator has not processed
	times    times
}

// New returns the ledger of a run.
func New(c Config) *Ledger {
	l := &Ledger{
		config: c, done: newBits(c.Pairs), takes: map[int]int{}, beyond: c.Pairs, until: c.Pairs, high: -1,
		graceEnds: c.Now.Add(c.Grace),
		held:      map[int]*lease{}, holders: map[string]*holder{}, refused: endings{}, lost: endings{},
		troubled:  map[int]*trouble{},
		reporters: map[string]*reporter{},
	}
	maps.Copy(l.takes, c.Takes)
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

// Enter sets a worker's current session. A lease of an older session ends with the first heartbeat of the new
// session that does not list the lease.
func (l *Ledger) Enter(worker, session string) {
	h := l.holders[worker]
	if h == nil {
		h = &holder{name: worker}
		l.holders[worker] = h
	}
	h.session = session
}

// Leave ends a worker's session and all leases of the worker.
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

// holderOf returns the record of a worker, or nil if session is not the worker's current session.
func holderOf(l *Ledger, worker, session string) *holder {
	if h := l.holders[worker]; h != nil && session != "" && h.session == session {
		return h
	}
	return nil
}

// Grant grants up to n pairs to a worker's session, the lowest pairs first. For a short time after a worker
// returned or lost a pair, only the faster half of the workers may get it, see [holder.mayHave].
func (l *Ledger) Grant(now time.Time, worker, session string, n int) []Lease {
	h := holderOf(l, worker, session)
	if h == nil || l.over || l.paused || barred(l, now, worker) {
		return nil
	}
	var out []Lease
	for len(out) < n {
		pair, again, ok := candidate(l, now, h)
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

// grant leases a free pair. ok is false if no epoch is left.
func (l *Ledger) grant(now time.Time, h *holder, pair int) (x *lease, ok bool) {
	epoch, ok := l.config.Epochs.Take()
	if !ok {
		return nil, false
	}
	l.counts.Granted++
	return hold(l, now, h, Lease{Pair: pair, Epoch: epoch, Take: l.takes[pair]}), true
}

// hold records that a worker holds a lease.
func hold(l *Ledger, now time.Time, h *holder, what Lease) *lease {
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

// candidate returns the lowest pair that a worker may get. again means that the pair was granted before. ok is
// false if there is no pair for this worker.
func candidate(l *Ledger, now time.Time, h *holder) (pair int, again, ok bool) {
	aside := setAside(l, now, h)
	pair, again, ok = lowestFor(l, now, h)
	for _, g := range aside {
		heap.Push(&l.gaps, g)
	}
	return pair, again, ok
}

// lowestFor is candidate if the lowest gap is one that the worker may play.
func lowestFor(l *Ledger, now time.Time, h *holder) (pair int, again, ok bool) {
	limit := limitOf(l)
	grace := now.Before(l.graceEnds)
	skip(l, grace)
	passed := math.MaxInt
	if !grace && l.low < l.lowEnd {
		passed = l.low
	}
	lowest := min(passed, l.next)
	if len(l.gaps) > 0 && l.gaps[0].pair <= lowest && l.gaps[0].pair < limit &&
		h.mayHave(now.Sub(l.gaps[0].since), l.config.Lease, l.pace.median) {
		return heap.Pop(&l.gaps).(gap).pair, true, true // gaps holds nothing else
	}
	switch {
	case lowest >= limit:
		return 0, false, false
	case lowest == l.next:
		l.next++
	}
	if apart(l, now, h, lowest) { // another worker gets it
		if lowest == l.low {
			l.low++
		}
		heap.Push(&l.gaps, gap{lowest, now})
		return candidate(l, now, h)
	}
	return lowest, false, true
}

// setAside removes the gaps below the lowest gap that a worker may play, and returns those that others may play.
func setAside(l *Ledger, now time.Time, h *holder) (aside []gap) {
	for len(l.gaps) > 0 {
		g := l.gaps[0]
		switch free := isFree(l, g.pair); {
		case free && !apart(l, now, h, g.pair):
			return aside
		case free:
			aside = append(aside, g)
		}
		heap.Pop(&l.gaps)
	}
	return aside
}

// apart reports whether a worker must not play a pair, see Config.Apart.
func apart(l *Ledger, now time.Time, h *holder, pair int) bool {
	return l.config.Apart != nil && l.config.Apart(now, h.name, pair)
}

// Free reports whether there is a free pair that may be granted now or soon, to any worker.
func (l *Ledger) Free() bool {
	if l.over || l.paused {
		return false
	}
	skip(l, false)
	for len(l.gaps) > 0 && !isFree(l, l.gaps[0].pair) {
		heap.Pop(&l.gaps)
	}
	limit := limitOf(l)
	return len(l.gaps) > 0 && l.gaps[0].pair < limit || l.next < limit || l.low < min(l.lowEnd, limit)
}

// FreeFor reports whether there is a free pair, now or soon, that a worker may get. A worker that its reports bar may
// get none until other workers have played the pairs of these reports.
func FreeFor(l *Ledger, now time.Time, worker string) bool {
	return l.Free() && !barred(l, now, worker) && !OnlyForOthers(l, now, worker)
}

// OnlyForOthers reports whether a worker must not play any pair that is free, see Config.Apart.
func OnlyForOthers(l *Ledger, now time.Time, worker string) bool {
	limit := limitOf(l)
	may := func(pair int) bool {
		return pair < limit && isFree(l, pair) && (l.config.Apart == nil || !l.config.Apart(now, worker, pair))
	}
	for _, g := range l.gaps {
		if may(g.pair) {
			return false
		}
	}
	for pair := l.next; pair < limit; pair++ {
		if may(pair) {
			return false
		}
	}
	for pair := l.low; pair < l.lowEnd; pair++ {
		if may(pair) {
			return false
		}
	}
	return true
}

// skip moves the two cursors of Grant, next and low, to free pairs. In the grace time, next moves above all pairs
// that workers may hold from before a restart. After the grace time Grant also grants the skipped pairs, from low
// on.
func skip(l *Ledger, grace bool) {
	if grace && l.next <= l.high {
		l.next = l.high + 1
		l.lowEnd = l.next
	}
	for l.next < l.config.Pairs && !isFree(l, l.next) {
		l.next++
	}
	for l.low < l.lowEnd && !isFree(l, l.low) {
		l.low++
	}
}

// limitOf returns the lowest pair that must not be granted: the end of the window, or the limit of Until if it is
// lower.
func limitOf(l *Ledger) int {
	if l.beyond > l.config.Pairs-l.prefix {
		return l.until
	}
	return min(l.prefix+l.beyond, l.until)
}

// isFree reports whether Grant may grant a pair. It may not if the pair is stored, leased, given up or to be played
// alone.
func isFree(l *Ledger, pair int) bool {
	if t := l.troubled[pair]; t != nil && (t.solo || t.void) {
		return false
	}
	return !l.done.has(pair) && l.held[pair] == nil
}

// Return ends a lease that a worker gives back, and returns the decision about the pair. crashed means that
// the worker tried to play the pair and failed. The result is FateNone if the worker does not hold this
// lease.
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

// Stored records that a pair is in the store, whichever worker played it. The ledger does not grant the pair
// any more.
func (l *Ledger) Stored(now time.Time, pair int) {
	if !inRun(l, pair) || l.done.has(pair) {
		return
	}
	l.done.set(pair)
	delete(l.refused, pair)
	delete(l.lost, pair)
	l.stored++
	l.high = max(l.high, pair)
	x := l.held[pair]
	l.settle(now, pair, x)
	if x != nil {
		l.pace.see(x.who, now.Sub(x.granted), len(l.holders))
		l.remove(x)
	}
	l.advance()
}

// settle deletes what the ledger knew against a pair that is stored. x is the lease of the worker that played it, nil
// if no worker has one.
func (l *Ledger) settle(now time.Time, pair int, x *lease) {
	by := ""
	if x != nil {
		by = x.who.name
		if r := reporterOf(l, partyOf(l, by)); r != nil {
			r.played++
		}
	}
	if t := l.troubled[pair]; t != nil {
		decided(l, now, pair, by)
		delete(l.troubled, pair)
		if t.solo {
			l.alone.forget(pair)
		}
	}
}

func inRun(l *Ledger, pair int) bool { return pair >= 0 && pair < l.config.Pairs }

// Refused records that the coordinator rejected the result that a worker sent for a lease. The lease becomes
// invalid, and the ledger can grant the pair again.
func (l *Ledger) Refused(now time.Time, what Lease) {
	x := l.held[what.Pair]
	if inRun(l, what.Pair) && !l.done.has(what.Pair) {
		l.refused.add(what, x)
	}
	if x != nil && x.Epoch == what.Epoch {
		l.free(now, x)
	}
}

// Void records that the stored result of a pair was made void. The ledger grants the pair again, with the
// next take number (which counts how often the pair was made void). Leases with a lower take number are
// invalid.
func (l *Ledger) Void(now time.Time, pair int) {
	if !l.IsStored(pair) {
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

// Drained records that the coordinator has processed every result that was published before now. If a worker
// reported a result as sent more than the lifetime of a lease before now, and the pair is still not stored,
// the ledger treats the result as lost.
func (l *Ledger) Drained(now time.Time) {
	if now.Sub(l.drained) > l.config.Lease {
		l.flows = now // the stream may have been full meanwhile
	}
	l.drained = now
}

// Window limits grants to the pairs near the lowest pair that is not stored. beyond is the number of pairs
// that may be granted or stored, counted from this lowest pair on; it is at least 1.
func (l *Ledger) Window(beyond int) { l.beyond = max(1, beyond) }

// Until limits grants to the pairs with a number below pair. A tune needs this limit, because the parameters
// of its later pairs depend on results that are still missing.
func (l *Ledger) Until(pair int) { l.until = min(max(0, pair), l.config.Pairs) }

// Over ends the run, or with over = false continues it. After the end the ledger grants nothing and drops the
// leases of unfinished pairs. Workers can still deliver results of finished pairs.
func (l *Ledger) Over(over bool) { l.over = over }

// Pause stops grants or allows them again. It does not change existing leases.
func (l *Ledger) Pause(paused bool) { l.paused = paused }

// free ends a lease. The pair can then be granted again.
func (l *Ledger) free(now time.Time, x *lease) {
	l.remove(x)
	if x.solo {
		l.alone.waiting = append(l.alone.waiting, gap{x.Pair, now})
		return
	}
	heap.Push(&l.gaps, gap{x.Pair, now})
}

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
	x.deadline = time.Time{} // its entry in the clock is stale
}

func (l *Ledger) advance() {
	for l.prefix < l.config.Pairs && l.done.has(l.prefix) {
		l.prefix++
	}
}
