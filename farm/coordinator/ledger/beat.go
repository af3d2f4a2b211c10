package ledger

import (
	"container/heap"
	"time"
)

// A Listed has the leases of one run that a session reports in a heartbeat.
type Listed struct {
	Held   []Lease // waiting or being played
	Outbox []Lease // finished, and not yet in the stream
	Sent   []Lease // in the stream, but not confirmed as stored
}

// A place is one of the three lists of a heartbeat (see Listed): the list in which the worker reports a lease.
type place int

const (
	playing place = iota
	outbox
	sent
)

// A verdict is the answer to a worker about one lease of its heartbeat: the worker keeps the lease, drops it, or
// knows that its pair is stored.
type verdict int

const (
	keep verdict = iota
	drop
	isStored
)

// Beat processes the leases that a session reports in a heartbeat, and extends those that are valid. If a
// reported lease is unknown and its pair is free, the lease is from before a restart or has expired; Beat
// then makes it valid again. dropped has the leases that have ended: the worker must discard them. stored has
// the finished leases whose pair is in the store. If the session is not the worker's current one, Beat drops
// all its leases.
func (l *Ledger) Beat(now time.Time, worker, session string, list Listed) (dropped, stored []Lease) {
	h := holderOf(l, worker, session)
	l.beats++
	for where, leases := range [][]Lease{playing: list.Held, outbox: list.Outbox, sent: list.Sent} {
		for _, what := range leases {
			verdict := drop
			if h != nil {
				verdict = touch(l, now, h, what, place(where))
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
	if h != nil {
		sweep(l, now, h)
	}
	return dropped, stored
}

// touch decides about one lease of a heartbeat, and extends it if it is valid. h is the worker of the lease, and in is
// the list of the heartbeat that contains the lease.
func touch(l *Ledger, now time.Time, h *holder, lease Lease, in place) verdict {
	finished := in != playing
	switch {
	case !inRun(l, lease.Pair) || lease.Take != l.takes[lease.Pair] || l.refused.has(lease):
		return drop
	case l.done.has(lease.Pair) && finished:
		return isStored
	case l.done.has(lease.Pair) || l.over && !finished:
		return drop
	}
	x := l.held[lease.Pair]
	switch {
	case x == nil && (l.over || l.lost.has(lease) || !isFree(l, lease.Pair)):
		if in == outbox {
			return keep // the worker may still send it, and a result already sent arrives in any case
		}
		return drop
	case x == nil && !finished && barred(l, now, h.name):
		return drop
	case x == nil:
		x = hold(l, now, h, lease)
		l.counts.Adopted++
	case x.who != h || x.Epoch != lease.Epoch:
		return drop
	}
	return extend(l, now, x, in)
}

// A worker may keep a finished pair for outboxLeases lease lifetimes without sending it. Without a limit a worker could
// keep the pairs that a verdict waits for. If no other pair of the run is free, and the stream was not full meanwhile,
// the limit is waitedLeases, but longer than retry, the longest time after which a worker sends again what the stream
// did not take. An owner whose workers decide nothing then gets no pair of the run for outboxLeases, see barred.
const (
	outboxLeases = 30
	waitedLeases = 3
	retry        = 90 * time.Second
)

// kept reports whether a worker has kept a finished pair for too long without sending it.
func kept(l *Ledger, now time.Time, x *lease) bool {
	if now.Sub(x.waits) > outboxLeases*l.config.Lease {
		return true
	}
	r := reporterOf(l, partyOf(l, x.who.name))
	late := r != nil && now.Before(r.late) // it has lost such a pair before
	since := x.waits
	if l.flows.After(since) {
		since = l.flows
	}
	if l.drained.Sub(since) <= max(waitedLeases*l.config.Lease, retry) || l.over || l.paused || !late && l.Free() {
		return false
	}
	if r != nil {
		r.late = now.Add(outboxLeases * l.config.Lease)
	}
	return true
}

// extend extends a lease, except in three cases: the lease was revoked and its pair is not finished, its worker has
// not sent the result for too long, or the sent result did not arrive in the stream.
func extend(l *Ledger, now time.Time, x *lease, where place) verdict {
	x.listed, x.session = l.beats, x.who.session
	switch {
	case x.revoked && where == playing:
		return drop
	case where == outbox && x.waits.IsZero():
		x.waits = now
	case where == outbox && kept(l, now, x):
		return giveUp(l, now, x)
	case where == sent && x.sent.IsZero():
		x.sent = now
	case where == sent && l.drained.Sub(x.sent) > l.config.Lease:
		return giveUp(l, now, x)
	}
	if where != playing && !x.finished {
		x.finished = true
		x.who.finished++
	}
	x.deadline = now.Add(l.config.Lease)
	return keep
}

// giveUp ends a lease whose result does not come. The worker cannot have the lease again by listing it, but its result
// counts if it is the first.
func giveUp(l *Ledger, now time.Time, x *lease) verdict {
	l.counts.Lost++
	l.lost.add(x.Lease, x)
	l.free(now, x)
	return drop
}

// sweep ends leases that the heartbeat did not list: those of older sessions of the worker, and those that were
// revoked.
func sweep(l *Ledger, now time.Time, h *holder) {
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

// revokeAfter limits the duration of a lease: to revokeAfter times the 99th percentile of the durations of the
// run's pairs.
const revokeAfter = 5

// Expire ends the leases that had no heartbeat for the lifetime of a lease, and returns them. It also revokes
// leases that are much older than usual. The worker must drop a revoked lease. Another worker gets the pair
// only after the drop or an expiry. If two workers played the pair at the same time, the result of the
// shorter game would arrive first and count.
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
		if most := l.pace.longest(); !x.revoked && !x.finished && most > 0 && now.Sub(x.granted) > revokeAfter*most {
			x.revoked = true
			l.counts.Revoked++
		}
	}
	return expired
}
