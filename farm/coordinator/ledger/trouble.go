package ledger

import (
	"slices"
	"time"
)

// These are the limits for playing a pair alone and for giving it up.
const (
	// soloAfter is the number of lost leases that make a pair suspect. One worker that disappears proves
	// nothing, because it held many pairs.
	soloAfter = 3
	// lossesMost is the number of lost leases that make a pair suspect even if all their workers belong to one owner
	// and do not decide.
	lossesMost = 6
	// voidAfter is the number of parties that must crash on a pair before the pair is given up. One of them must
	// decide, see [Standing]. A crash counts if the pair was played alone, or if the worker reported the crash.
	voidAfter = 2
	// soloTries is the maximum number of tries of a pair if only one worker decides.
	soloTries = 6
	// retryAfter is the number of lease lifetimes after which a party that does not decide gets a pair again that
	// crashed there. It is long, because its second report would not count.
	retryAfter = 40
)

// A Fate is the decision about a pair after a worker returned it or lost it: who may play it next, or that
// the ledger gives it up.
type Fate int

// These are the fates of a pair.
const (
	FateNone  Fate = iota // the worker does not hold the lease
	FateAgain             // any worker may get it
	FateSolo              // only a worker without other pairs may get it
	FateVoid              // the pair is given up, because it crashes its players
)

// trouble counts how often a pair was lost or crashed its players.
type trouble struct {
	lost     []party  // whose leases ended because the worker disappeared; a party that does not decide counts once
	losses   int      // all such leases
	tries    int      // crashes of workers that decide
	reports  []party  // who crashed on the pair, see voidAfter
	machines []string // workers that crashed on the pair
	solo     bool     // the pair must be played alone
	void     bool     // the pair is given up
}

// solo contains the suspect pairs: a worker must play such a pair while it plays nothing else.
type solo struct {
	waiting []gap
	// worker gets the lowest of these pairs when it holds no other pair. Until then it gets no other pair. If
	// it has sent no request for pairs in the time of two leases, another worker replaces it.
	worker string
	asked  time.Time
}

func (s *solo) forget(pair int) {
	s.waiting = slices.DeleteFunc(s.waiting, func(g gap) bool { return g.pair == pair })
}

// trouble returns the record of a pair, and creates it if necessary.
func (l *Ledger) trouble(pair int) *trouble {
	t := l.troubled[pair]
	if t == nil {
		t = &trouble{}
		l.troubled[pair] = t
	}
	return t
}

// lose ends a lease whose worker disappeared, and returns the fate of the pair. The pair may have crashed the
// worker, unless the worker had finished it.
func (l *Ledger) lose(now time.Time, x *lease) Fate {
	if x.finished {
		l.free(now, x)
		return FateAgain
	}
	if x.solo {
		return l.crash(now, x)
	}
	t, by := l.trouble(x.Pair), partyOf(l, x.who.name)
	if t.losses++; by.decides || !slices.Contains(t.lost, by) {
		t.lost = append(t.lost, by)
	}
	if len(t.lost) < soloAfter && t.losses < lossesMost {
		l.free(now, x)
		return FateAgain
	}
	x.solo, t.solo = true, true
	l.free(now, x)
	return FateSolo
}

// crash ends a lease whose pair crashed the worker or its engines, and returns the fate of the pair.
func (l *Ledger) crash(now time.Time, x *lease) Fate {
	by := partyOf(l, x.who.name)
	r := reporterOf(l, by)
	if r != nil && r.open >= openReports && !x.solo {
		l.free(now, x)
		return FateAgain
	}

	t := l.trouble(x.Pair)
	if by.decides {
		t.tries++
	}
	if !slices.Contains(t.reports, by) {
		t.reports = append(t.reports, by)
		if r != nil {
			r.open++
		}
	}
	if !slices.Contains(t.machines, x.who.name) {
		t.machines = append(t.machines, x.who.name)
	}
	x.solo, t.solo = true, true
	if t.tries == 0 || len(t.reports) < voidAfter && t.tries < soloTries {
		l.free(now, x)
		return FateSolo
	}

	l.remove(x)
	l.giveUp(now, x.Pair)
	return FateVoid
}

// giveUp records that no worker gets a pair any more.
func (l *Ledger) giveUp(now time.Time, pair int) {
	decided(l, now, pair, "")
	t := l.trouble(pair)
	t.void, t.solo = true, false
}

// Condemned returns the pairs that the ledger has given up because they crash engines, in ascending order.
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

// Condemn gives up a pair, so that no worker gets it any more. The coordinator calls it for pairs that an
// earlier process gave up.
func (l *Ledger) Condemn(now time.Time, pair int) {
	if !inRun(l, pair) || l.done.has(pair) {
		return
	}
	if x := l.held[pair]; x != nil {
		l.remove(x)
	}
	l.alone.forget(pair)
	l.giveUp(now, pair)
}

// Forgive allows grants of all given-up pairs again, and deletes the records of their crashes.
func (l *Ledger) Forgive(now time.Time) {
	for pair, t := range l.troubled {
		if t.void {
			delete(l.troubled, pair)
			l.free(now, &lease{Lease: Lease{Pair: pair}, who: &holder{}})
		}
	}
}

// Solo grants the lowest pair that a worker must play alone, because the pair may have crashed workers.
// trusted means that the farm fully trusts this worker. holding is the number of pairs of all runs that the
// worker holds; Solo grants only at 0. wait means that the worker must get no other pair before this one. At
// first only a trusted worker gets the pair. For a longer time only a machine on which the pair did not crash
// gets it.
func (l *Ledger) Solo(now time.Time, worker, session string, trusted bool, holding int) (lease Lease, granted,
	wait bool) {
	if h := l.holders[worker]; h != nil && h.leases == 1 && h.first.solo {
		return Lease{}, false, true
	}
	h := holderOf(l, worker, session)
	if h == nil || l.over || l.paused || len(l.alone.waiting) == 0 || barred(l, now, worker) {
		return Lease{}, false, false
	}
	first := slices.MinFunc(l.alone.waiting, func(a, b gap) int { return a.pair - b.pair }) // the prefix waits for it
	if !maySolo(l, now, h, first, trusted) || first.pair >= limitOf(l) {
		return Lease{}, false, false
	}
	if l.alone.worker != worker && l.alone.worker != "" && now.Sub(l.alone.asked) < 2*l.config.Lease {
		return Lease{}, false, false // another worker will play this pair, when its other pairs are finished
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

func maySolo(l *Ledger, now time.Time, h *holder, g gap, trusted bool) bool {
	if apart(l, now, h, g.pair) {
		return false
	}

	waited, by, t := now.Sub(g.since), partyOf(l, h.name), l.troubled[g.pair]
	if slices.Contains(t.machines, h.name) && waited < 4*l.config.Lease {
		return false
	}
	if !by.decides && slices.Contains(t.reports, by) && waited < retryAfter*l.config.Lease {
		return false
	}
	return trusted || waited >= 2*l.config.Lease
}
