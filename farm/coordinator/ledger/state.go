package ledger

import "time"

// A State has the current figures of a ledger.
type State struct {
	Pairs     int
	Stored    int
	Prefix    int // lowest pair that is not stored
	Reach     int // pairs from the prefix to the highest granted or stored pair
	Window    int // limit of Reach
	Held      int // number of leases
	Solo      int // pairs that wait to be played alone
	Condemned int
	P99       time.Duration // 99th percentile of the time from grant to storage, or 0 if too few pairs are known
	Counts    Counts
}

// State returns the current figures.
func (l *Ledger) State() State {
	s := State{
		Pairs: l.config.Pairs, Stored: l.stored, Prefix: l.prefix, Reach: max(0, l.high+1-l.prefix),
		Window: max(0, limitOf(l)-l.prefix),
		Held:   len(l.held), Solo: len(l.alone.waiting), P99: l.pace.longest(), Counts: l.counts,
	}
	for _, t := range l.troubled {
		if t.void {
			s.Condemned++
		}
	}
	return s
}

// Held returns the number of leases.
func (l *Ledger) Held() int { return len(l.held) }

// HeldBy returns the number of a worker's leases.
func (l *Ledger) HeldBy(worker string) int {
	if h := l.holders[worker]; h != nil {
		return h.leases
	}
	return 0
}

// EachHeld calls f with the worker of each lease.
func (l *Ledger) EachHeld(f func(worker string)) {
	for _, x := range l.held {
		f(x.who.name)
	}
}

// Holds reports whether a worker has the lease of a pair.
func (l *Ledger) Holds(worker string, pair int) bool {
	x := l.held[pair]
	return x != nil && x.who.name == worker
}

// Playing returns the number of a worker's leases whose pairs it has not reported as finished.
func (l *Ledger) Playing(worker string) int {
	if h := l.holders[worker]; h != nil {
		return h.leases - h.finished
	}
	return 0
}

// Remaining returns the number of pairs in the current window that are not stored.
func (l *Ledger) Remaining() int { return max(0, limitOf(l)-l.stored) }

// Fair returns how many unfinished pairs of a run a worker may hold. It divides the remaining pairs among the
// workers in proportion to their slots, but allows each worker at least one pair for each slot. remaining is the
// number of pairs that are not stored, slots the worker's number of slots, and all the number of slots of all
// workers. Without this limit a worker that asks early would hold the last pairs of a run, and the other workers
// would wait for it.
func Fair(remaining, slots, all int) int {
	if all <= slots {
		return remaining
	}
	return max(slots, (remaining*slots+all-1)/all)
}

// IsStored reports whether a pair is in the store. It returns false for numbers that are not pairs of the
// run.
func (l *Ledger) IsStored(pair int) bool { return inRun(l, pair) && l.done.has(pair) }

// Take returns how often the result of a pair was made void (its take number).
func (l *Ledger) Take(pair int) int { return l.takes[pair] }

// Window returns the number of pairs, counted from the lowest pair that is not stored, to which a farm limits
// the grants of a test (see Ledger.Window). remaining is the number of pairs that the test probably still
// needs. The result is a tenth of remaining, at least 64 and at most 4096. When the test stops, the played
// pairs above a gap do not count; a small window limits their number. With 64 a small test still has enough
// pairs in play.
func Window(remaining float64) int {
	return int(min(max(remaining/10, 64), 4096))
}
