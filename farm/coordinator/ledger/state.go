package ledger

import "time"

// State is a ledger in numbers.
type State struct {
	Pairs     int
	Stored    int
	Prefix    int // the lowest pair that is not stored
	Reach     int // pairs from the prefix to the highest that was granted or stored
	Window    int // what bounds Reach
	Held      int // leases
	Gaps      int // pairs that came back and wait, at most
	Solo      int // pairs that wait to be played alone
	Condemned int
	P99       time.Duration // from grant to store; 0: not known yet
	Counts    Counts
}

// State is the ledger as of now.
func (l *Ledger) State() State {
	s := State{
		Pairs: l.config.Pairs, Stored: l.stored, Prefix: l.prefix, Reach: max(0, l.high+1-l.prefix), Window: max(0, l.limit()-l.prefix),
		Held: len(l.held), Gaps: len(l.gaps), Solo: len(l.alone.waiting), P99: l.pace.most(), Counts: l.counts,
	}
	for _, t := range l.troubled {
		if t.void {
			s.Condemned++
		}
	}
	return s
}

// Held is how many leases there are.
func (l *Ledger) Held() int { return len(l.held) }

// HeldBy is how many leases a worker has.
func (l *Ledger) HeldBy(worker string) int {
	if h := l.holders[worker]; h != nil {
		return h.leases
	}
	return 0
}

// Holds reports whether a worker has the lease of a pair.
func (l *Ledger) Holds(worker string, pair int) bool {
	x := l.held[pair]
	return x != nil && x.who.name == worker
}

// Playing is how many of them are not finished, as far as it has told.
func (l *Ledger) Playing(worker string) int {
	if h := l.holders[worker]; h != nil {
		return h.leases - h.finished
	}
	return 0
}

// Remaining is how many pairs may still be granted as the window stands, or are held.
func (l *Ledger) Remaining() int { return max(0, l.limit()-l.stored) }

// Fair is how many pairs of a run a worker may hold that are not finished, of which so
// many remain: as many as it can play at once, and of what is held in advance its part by
// its slots. Else one that asks early would hold the last pairs of a run, and the others
// would wait for it.
func Fair(remaining, slots, all int) int {
	if all <= slots {
		return remaining
	}
	return max(slots, (remaining*slots+all-1)/all)
}

// IsStored reports whether a pair of the run is in the store.
func (l *Ledger) IsStored(pair int) bool {
	return pair >= 0 && pair < l.config.Pairs && l.done.has(pair)
}

// Take is how often a pair was void.
func (l *Ledger) Take(pair int) int { return l.takes[pair] }

// Window is how many pairs beyond the prefix may be granted of a test that is expected
// to need so many more: a tenth, between 64, so that small tests run wide enough, and
// 4096. It bounds what is played in vain when the test stops.
func Window(remaining float64) int {
	return int(min(max(remaining/10, 64), 4096))
}
