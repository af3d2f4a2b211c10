package ledger

import (
	"slices"
	"time"
)

// What it takes for a pair to be played alone, and to be given up.
const (
	// soloAfter lost leases make a pair suspect: one worker's death says nothing of the
	// dozens of pairs that it held, and bystanders must not be punished.
	soloAfter = 3
	// voidAfter machines on which a pair crashed alone, or was tried and could not be
	// played, it is given up.
	voidAfter = 2
	// soloTries bounds the tries of a pair where there is only one machine.
	soloTries = 6
)

// Fate is what becomes of a pair that came back.
type Fate int

// The fates.
const (
	FateNone  Fate = iota // it was not held so
	FateAgain             // it is granted to anybody
	FateSolo              // it is granted alone to a worker
	FateVoid              // it is not granted any more: it crashes what plays it
)

// trouble is what is known against a pair.
type trouble struct {
	losses   int
	tries    int
	machines []string // where it crashed, alone or for certain
	solo     bool
	void     bool
}

// solo are the pairs that wait for a worker that has nothing else.
type solo struct {
	waiting []gap
	// worker is to get the lowest of them when it has nothing else; it gets nothing
	// until then, and is let go where it has not asked for two leases.
	worker string
	asked  time.Time
}

func (s *solo) wait(pair int, since time.Time) { s.waiting = append(s.waiting, gap{pair, since}) }

func (s *solo) forget(pair int) {
	s.waiting = slices.DeleteFunc(s.waiting, func(g gap) bool { return g.pair == pair })
}

// trouble finds or begins what is known against a pair.
func (l *Ledger) trouble(pair int) *trouble {
	t := l.troubled[pair]
	if t == nil {
		t = &trouble{}
		l.troubled[pair] = t
	}
	return t
}

// lose ends a lease whose holder is gone: it may have died of the pair.
func (l *Ledger) lose(now time.Time, x *lease) Fate {
	if x.finished {
		l.free(now, x) // nobody dies of what is finished
		return FateAgain
	}
	if x.solo {
		return l.crash(now, x)
	}
	t := l.trouble(x.Pair)
	if t.losses++; t.losses < soloAfter {
		l.free(now, x)
		return FateAgain
	}
	x.solo, t.solo = true, true
	l.free(now, x)
	return FateSolo
}

// crash ends a lease that is known to have crashed its holder's engines, or its holder.
func (l *Ledger) crash(now time.Time, x *lease) Fate {
	t := l.trouble(x.Pair)
	t.tries++
	if !slices.Contains(t.machines, x.who.name) {
		t.machines = append(t.machines, x.who.name)
	}
	x.solo, t.solo = true, true
	if len(t.machines) < voidAfter && t.tries < soloTries {
		l.free(now, x)
		return FateSolo
	}
	l.remove(x)
	t.void, t.solo = true, false
	return FateVoid
}

// Condemned are the pairs that were given up, in order.
func (l *Ledger) Condemned() []int {
	var pairs []int
	for pair, t := range l.troubled {
		if t.void {
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	return pairs
}

// Condemn gives a pair up, as an earlier process had.
func (l *Ledger) Condemn(pair int) {
	if pair < 0 || pair >= l.config.Pairs || l.done.has(pair) {
		return
	}
	if x := l.held[pair]; x != nil {
		l.remove(x)
	}
	l.alone.forget(pair)
	t := l.trouble(pair)
	t.void, t.solo = true, false
}

// Forgive grants condemned pairs again, as if nothing were known against them.
func (l *Ledger) Forgive(now time.Time) {
	for pair, t := range l.troubled {
		if t.void {
			delete(l.troubled, pair)
			l.free(now, &lease{Lease: Lease{Pair: pair}, who: &holder{}})
		}
	}
}

// Solo grants the lowest pair that has to be played alone to a worker that has nothing,
// of any run. wait says that the worker is to have nothing else until then. An owner's
// machine (trusted) is preferred for some time, and one on which the pair has not
// crashed for longer.
func (l *Ledger) Solo(now time.Time, worker, session string, trusted bool, holding int) (lease Lease, granted, wait bool) {
	h := l.holders[worker]
	if h == nil || h.session != session || session == "" || l.over || l.paused || len(l.alone.waiting) == 0 || l.heldAlone(h) {
		return Lease{}, false, h != nil && l.heldAlone(h)
	}
	first := slices.MinFunc(l.alone.waiting, func(a, b gap) int { return a.pair - b.pair }) // the prefix waits for it
	if !l.maySolo(now, h, first, trusted) || first.pair >= l.limit() {
		return Lease{}, false, false
	}
	if l.alone.worker != worker && l.alone.worker != "" && now.Sub(l.alone.asked) < 2*l.config.Lease {
		return Lease{}, false, false // another one is being emptied for it
	}
	l.alone.worker, l.alone.asked = worker, now
	if holding > 0 {
		return Lease{}, false, true
	}
	x, ok := l.grant(now, h, first.pair)
	if !ok {
		return Lease{}, false, false
	}
	l.counts.Regranted++
	l.alone.forget(first.pair)
	l.alone.worker, x.solo = "", true
	return x.Lease, true, true
}

// heldAlone reports whether a worker plays a pair that has to be alone.
func (l *Ledger) heldAlone(h *holder) bool { return h.leases == 1 && h.first.solo }

func (l *Ledger) maySolo(now time.Time, h *holder, g gap, trusted bool) bool {
	waited := now.Sub(g.since)
	if slices.Contains(l.troubled[g.pair].machines, h.name) && waited < 4*l.config.Lease {
		return false
	}
	return trusted || waited >= 2*l.config.Lease
}
