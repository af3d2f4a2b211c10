package runner

import (
	"sync"
	"time"

	"gogi/match/arbiter"
	"gogi/shogi"
)

// moveWatch measures the delays of a move that the player did not cause: the player waited for a CPU or was suspended,
// or this program was late. A slot has one watch, because it plays one game at a time, and only one side thinks.
//
// It measures the player's wait for a CPU three times:
//   - After a quarter of the tolerance. Quick moves cannot have waited long and cost nothing.
//   - At the end of the player's time, because threads that end during a search take their waiting time with them.
//   - When the move arrives, if it took longer than the tolerance.
//
// The first measurement does not include earlier waits, so the limit for the measured wait is three quarters of the
// tolerance. For a lost game the watch also reports the wait before the first measurement, calculated from the last
// measurement of an earlier move. If a measurement is late, this program was late. After the first measurement each
// tick of lateness checks whether the player is suspended. The observer of lateness starts the first two measurements.
type moveWatch struct {
	late *lateness

	mu        sync.Mutex // held during a measurement, so that end waits for it
	on        bool
	waiter    Waiter  // nil if the player is no Waiter
	stopper   Stopper // measures suspensions; nil if the player is no Stopper
	start     time.Time
	tolerance time.Duration
	deadline  time.Time        // the end of the player's time
	due       time.Time        // the next measurement by the observer; zero if none
	lag       time.Duration    // the longest delay of a measurement
	looked    bool             // the first measurement was taken
	ended     bool             // the measurement at the deadline was taken
	follows   bool             // the observer of late calls wake
	stops     [2]time.Duration // the total time of suspensions of the player, at the first and the latest check
	before    reading          // the first measurement
	early     time.Duration    // the possible wait between start and the first measurement
	seen      *reading         // the latest measurement of this side
	sides     [2]reading       // by colour: the latest measurement of each side
}

// reading is a player's total wait for a CPU since its start. ok is false if it is unknown.
type reading struct {
	waited time.Duration
	ok     bool
	asked  bool // a measurement was taken
}

// watchMove begins to measure the delays of a move by side c that the player does not cause, see moveWatch. The
// caller calls Think directly after it.
func (g *game) watchMove(c shogi.Colour) {
	tolerance, timed := g.limits[c].Margin, g.limits[c].Timed()
	if !timed {
		tolerance = arbiter.StallTolerance(g.limits[c].Stall)
	}
	g.slot.watch.begin(c, g.players[c], timed, tolerance, g.clocks[c].Deadline())
}

// newGame forgets the measurements of the last game, whose players may have been others.
func (w *moveWatch) newGame(late *lateness) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late, w.sides = late, [2]reading{}
}

// close ends the checks by lateness.
func (w *moveWatch) close() {
	if w.late != nil {
		w.late.unfollow(w)
	}
}

// begin starts the watch of a move. timed means that the player has a time limit for the move. Before the first such
// move of a side in a game, begin also measures the side's wait for a CPU. deadline is the maximum time of the move
// with the margin.
func (w *moveWatch) begin(c shogi.Colour, player any, timed bool, tolerance, deadline time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiter, _ = player.(Waiter)
	w.stopper, _ = player.(Stopper)
	w.on, w.tolerance, w.lag, w.early, w.before, w.seen = true, tolerance, 0, 0, reading{}, &w.sides[c]
	w.looked, w.ended, w.stops = false, false, [2]time.Duration{}
	if !w.seen.asked && timed {
		w.read()
	}
	w.start = time.Now()
	w.due, w.deadline = w.start.Add(tolerance/4), w.start.Add(deadline)
	w.follow()
	w.late.wakeBy(w.due)
}

// follow makes the observer of late call wake, until close.
func (w *moveWatch) follow() {
	if !w.follows {
		w.follows = true
		w.late.follow(w)
	}
}

// wake takes the measurement that is due, and returns the time of the next one, or zero. At a tick it looks for a
// suspension of the player if the first measurement was taken, because the system does not show after a suspension how
// long it lasted. wake does not wait for the lock: the code that has it looks itself, and calls wakeBy.
func (w *moveWatch) wake(tick bool) (due time.Time) {
	if !w.mu.TryLock() {
		return time.Time{}
	}
	defer w.mu.Unlock()
	if !w.on {
		return time.Time{}
	}
	if now := time.Now(); !w.due.IsZero() && !now.Before(w.due) {
		w.measure(now)
	} else if tick && w.looked {
		w.lookForStop()
	}
	return w.due
}

// measure takes the measurement that is due, at the time now. The caller holds the lock.
func (w *moveWatch) measure(now time.Time) {
	w.lag = w.lagAt(now)
	if !w.looked {
		w.first(now)
	} else {
		w.ended = true
		w.read()
		w.lookForStop()
	}
	w.due = w.next()
}

// first takes the first measurement of a move at the time now.
func (w *moveWatch) first(now time.Time) {
	last := *w.seen
	w.read()
	if last.ok {
		w.early = max(0, min(w.seen.waited-last.waited, now.Sub(w.start)))
	}
	w.before, w.looked = *w.seen, true
	if w.stopper != nil {
		w.stops[0] = w.stopper.Stopped()
		w.stops[1] = w.stops[0]
	}
}

// lookForStop samples for how long the player has been suspended.
func (w *moveWatch) lookForStop() {
	if w.stopper != nil {
		w.stops[1] = w.stopper.Stopped()
	}
}

// next returns the time of the next measurement, or the zero time if no other measurement follows.
func (w *moveWatch) next() time.Time {
	if w.ended {
		return time.Time{}
	}
	return w.deadline
}

// lagAt returns the longest delay of a measurement, including a measurement that is due but was not taken
// yet.
func (w *moveWatch) lagAt(now time.Time) time.Duration {
	if w.due.IsZero() {
		return w.lag
	}
	return max(w.lag, now.Sub(w.due))
}

// read measures the player's total wait for a CPU, and stores it in w.seen.
func (w *moveWatch) read() {
	*w.seen = reading{asked: true}
	if w.waiter != nil {
		w.seen.waited, w.seen.ok = w.waiter.Waited()
	}
}

// end ends the watch of a move. It returns the delays that the player did not cause. slowed reports whether the player
// waited for a CPU, or this program was late, by more than the tolerance. sending is a delay of this program that the
// caller knows. If the move took no longer than the tolerance, all results are zero.
func (w *moveWatch) end(sending time.Duration) (d arbiter.Delays, slowed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = false
	now := time.Now()
	if now.Sub(w.start) <= w.tolerance {
		return d, false
	}
	d.Late = sending + max(w.late.since(w.start), w.lagAt(now))
	w.read()
	w.lookForStop()
	d.Stopped = max(0, w.stops[1]-w.stops[0])
	since := d.Stopped
	if w.seen.ok && w.before.ok {
		waited := max(0, w.seen.waited-w.before.waited)
		d.Waited, d.Known = waited+w.early, true
		since += waited
	}
	return d, d.Late > w.tolerance || since > w.tolerance*3/4
}
