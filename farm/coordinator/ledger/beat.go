package ledger

import (
	"container/heap"
	"time"
)

// Listed is what a session has of a run, as a beat tells it.
type Listed struct {
	Held   []Lease // waiting or being played
	Outbox []Lease // finished, and not yet in the stream
	Sent   []Lease // in the stream, and not known to be stored
}

// place is where a lease is at its holder's.
type place int

const (
	playing place = iota
	outbox
	sent
)

// verdict is what a session is told of a lease.
type verdict int

const (
	keep verdict = iota
	drop
	isStored
)

// Beat hears what a session has: these leases live on for another lease. drop are those
// that are not its own any more, stored those of the finished ones whose pair is in the
// store. A lease that nobody is known to hold is taken for one of before a restart, or
// one that was believed lost, and lives again.
func (l *Ledger) Beat(now time.Time, worker, session string, list Listed) (dropped, stored []Lease) {
	h := l.holders[worker]
	current := h != nil && session != "" && h.session == session
	l.beats++
	for where, leases := range [][]Lease{playing: list.Held, outbox: list.Outbox, sent: list.Sent} {
		for _, what := range leases {
			verdict := drop
			if current {
				verdict = l.touch(now, h, what, place(where))
			}
			switch verdict {
			case drop:
				dropped = append(dropped, what)
			case isStored:
				stored = append(stored, what)
			case keep:
			}
		}
	}
	if current {
		l.sweep(now, h)
	}
	return dropped, stored
}

// touch keeps a lease alive, if it is one.
func (l *Ledger) touch(now time.Time, h *holder, what Lease, where place) verdict {
	finished := where != playing
	switch {
	case what.Pair < 0 || what.Pair >= l.config.Pairs || what.Take != l.takes[what.Pair] || l.refused[what.Epoch]:
		return drop
	case l.done.has(what.Pair) && finished:
		return isStored
	case l.done.has(what.Pair) || l.over && !finished:
		return drop
	}
	x := l.held[what.Pair]
	switch {
	case x == nil && (l.over || !l.isFree(what.Pair)):
		if where == outbox {
			return keep // it may still come; what is in the stream comes in any case
		}
		return drop
	case x == nil:
		x = l.hold(now, h, what)
		l.counts.Adopted++
	case x.who != h || x.Epoch != what.Epoch:
		return drop
	}
	return l.extend(now, x, where)
}

// extend lets a lease live on where it is its holder's, unless it was revoked or what
// it sent is not in the stream.
func (l *Ledger) extend(now time.Time, x *lease, where place) verdict {
	x.listed, x.session = l.beats, x.who.session
	switch {
	case x.revoked && where == playing:
		return drop
	case where == sent && x.sent.IsZero():
		x.sent = now
	case where == sent && l.drained.Sub(x.sent) > l.config.Lease:
		l.counts.Lost++
		l.free(now, x)
		return drop
	}
	if where != playing && !x.finished {
		x.finished = true
		x.who.finished++
	}
	x.deadline = now.Add(l.config.Lease)
	return keep
}

// sweep ends leases of a worker's older sessions that this one does not have, and the
// revoked ones that it has put away.
func (l *Ledger) sweep(now time.Time, h *holder) {
	for x := h.first; x != nil; {
		after := x.after
		switch {
		case x.listed == l.beats:
		case x.session != h.session:
			l.counts.Replaced++
			l.lose(now, x)
		case x.revoked:
			l.free(now, x)
		}
		x = after
	}
}

// revokeAfter is how many times the 99th percentile of a run's pairs a lease may last.
const revokeAfter = 5

// Expire ends the leases that were not heard of for a lease, and returns them. One that
// lives and is much older than others ever get is revoked: its holder is told to drop
// it, and it is granted to another when the holder has, or is silent. It is never
// played by two who would race, because the shorter game would win.
func (l *Ledger) Expire(now time.Time) (expired []Lease) {
	for len(l.clock) > 0 && !l.clock[0].at.After(now) {
		x := l.clock[0].lease
		switch {
		case x.deadline.IsZero():
			heap.Pop(&l.clock)
			continue
		case x.deadline.After(now):
			l.clock[0].at = x.deadline
			heap.Fix(&l.clock, 0)
		default:
			heap.Pop(&l.clock)
			l.counts.Expired++
			expired = append(expired, x.Lease)
			l.lose(now, x)
			continue
		}
		if most := l.pace.most(); !x.revoked && !x.finished && most > 0 && now.Sub(x.granted) > revokeAfter*most {
			x.revoked = true
			l.counts.Revoked++
		}
	}
	return expired
}

// Next is when Expire has something to do, ok false where nothing is held.
func (l *Ledger) Next() (at time.Time, ok bool) {
	if len(l.clock) == 0 {
		return time.Time{}, false
	}
	return l.clock[0].at, true
}

// deadlines are leases by when to look at them: a beat does not move them, so that it
// costs nothing; they are moved when their time comes.
type deadlines []deadline

type deadline struct {
	at    time.Time
	lease *lease
}

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }

// Push and Pop are container/heap's.
func (d *deadlines) Push(x any) { *d = append(*d, x.(deadline)) } //nolint:forcetypeassert // nothing else is pushed
func (d *deadlines) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1] = deadline{}
	*d = old[:len(old)-1]
	return last
}

// gaps are pairs that came back, the lowest first.
type gaps []gap

type gap struct {
	pair  int
	since time.Time
}

func (g gaps) Len() int           { return len(g) }
func (g gaps) Less(i, j int) bool { return g[i].pair < g[j].pair }
func (g gaps) Swap(i, j int)      { g[i], g[j] = g[j], g[i] }

// Push and Pop are container/heap's.
func (g *gaps) Push(x any) { *g = append(*g, x.(gap)) } //nolint:forcetypeassert // nothing else is pushed
func (g *gaps) Pop() any {
	old := *g
	last := old[len(old)-1]
	*g = old[:len(old)-1]
	return last
}

// bits are a set of pairs.
type bits []uint64

func newBits(n int) bits      { return make(bits, (n+63)/64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
