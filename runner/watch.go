package runner

import (
	"sync"
	"time"

	"gogi/match/arbiter"
	"gogi/shogi"
)

// moveWatch observes whether the machine, or this program, rather than the player,
// makes a move slow. There is one a game, since one side thinks at a time. From the first
// look on it also looks every 20 ms whether the player is stopped.
//
// It looks three times at what the player has waited for a CPU: after a quarter of
// the tolerance, so that quick moves, which cannot have waited long, cost nothing;
// when the time is over, because threads that a search has started take with them
// what they waited; and at the end, if that is beyond the tolerance. What was waited
// before the first look is not seen, and therefore three quarters count as the
// tolerance; where a game was lost, what may have been waited is told, by the last
// look of an earlier move. A look itself may be late. Then this program was.
type moveWatch struct {
	late *lateness

	mu        sync.Mutex // also held while looking: who ends the watch waits for a look that has begun
	timer     *time.Timer
	fires     time.Time // when the timer does; zero: not, as far as is known
	on        bool
	waiter    Waiter  // nil: it cannot be asked
	stopper   Stopper // the same
	start     time.Time
	tolerance time.Duration
	deadline  time.Time        // the end of the player's time
	due       time.Time        // the next look by the timer; zero: none
	lag       time.Duration    // the worst that a look was late by
	looked    bool             // the first look was taken
	ended     bool             // and the one at the end of the time
	stops     [2]time.Duration // what the player has been stopped for: at the first look, and at the last
	before    reading          // of the first look
	early     time.Duration    // what may have been waited before that, and after start
	seen      *reading         // the last one of this side
	sides     [2]reading
}

// reading is what a player has waited since its start; ok is false where it is not known.
type reading struct {
	waited time.Duration
	ok     bool
	asked  bool // there was a look
}

// watchMove begins to watch a move of a side; it is called right before.
func (g *game) watchMove(c shogi.Colour) {
	tolerance, timed := g.limits[c].Margin, g.limits[c].Timed()
	if !timed {
		tolerance = arbiter.StallTolerance(g.limits[c].Stall)
	}
	g.watch.late = g.slot.late
	waiter, _ := g.players[c].(Waiter)
	g.watch.stopper, _ = g.players[c].(Stopper)
	g.watch.begin(c, waiter, timed, tolerance, g.clocks[c].Deadline())
}

// begin looks before a side's first move in a game, if it is timed.
func (w *moveWatch) begin(c shogi.Colour, waiter Waiter, timed bool, tolerance, deadline time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on, w.waiter, w.tolerance, w.lag, w.early, w.before, w.seen = true, waiter, tolerance, 0, 0, reading{}, &w.sides[c]
	w.looked, w.ended, w.stops = false, false, [2]time.Duration{}
	if !w.seen.asked && timed {
		w.read()
	}
	w.start = time.Now()
	w.due, w.deadline = w.start.Add(tolerance/4), w.start.Add(deadline)
	w.arm(w.start)
}

// arm has the timer fire when the next look is due, or before: a look that is not due yet
// arms it again. So it is left to run from move to move, and quick ones do not touch it.
func (w *moveWatch) arm(now time.Time) {
	if !w.fires.IsZero() && !w.due.Before(w.fires) {
		return
	}
	w.fires = w.due
	// Never 0: Go 1.26 runs such a timer of a synctest bubble in the goroutine that sets it, and the race
	// detector has one context for all timers of a bubble. Two slots that did this at once crashed it.
	wait := max(w.due.Sub(now), 1)
	if w.timer == nil {
		w.timer = time.AfterFunc(wait, w.look)
		return
	}
	w.timer.Reset(wait)
}

// look takes the first or the second look. The timer may have been armed for an earlier
// move: then its look is not due.
func (w *moveWatch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fires = time.Time{}
	if !w.on || w.due.IsZero() {
		return
	}
	now := time.Now()
	if now.Before(w.due) {
		w.arm(now)
		return
	}
	w.lag = w.lagAt(now)
	if !w.looked {
		w.first(now)
	} else {
		if !w.ended && !now.Before(w.deadline) {
			w.ended = true
			w.read()
		}
		w.lookForStop()
	}
	if w.due = w.next(now); !w.due.IsZero() {
		w.arm(now)
	}
}

// first is the first look at what was waited.
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

// lookForStop looks whether the player is stopped.
func (w *moveWatch) lookForStop() {
	if w.stopper != nil {
		w.stops[1] = w.stopper.Stopped()
	}
}

// stopEvery is how often it is looked whether a player is stopped: a stop leaves no trace
// when it is over.
const stopEvery = 20 * time.Millisecond

// next is when to look again after the first look.
func (w *moveWatch) next(now time.Time) time.Time {
	switch {
	case w.stopper != nil && (w.ended || now.Add(stopEvery).Before(w.deadline)):
		return now.Add(stopEvery)
	case w.ended:
		return time.Time{}
	}
	return w.deadline
}

// lagAt is the worst that a look was late by, one that is due included.
func (w *moveWatch) lagAt(now time.Time) time.Duration {
	if w.due.IsZero() {
		return w.lag
	}
	return max(w.lag, now.Sub(w.due))
}

// read asks the player.
func (w *moveWatch) read() {
	*w.seen = reading{asked: true}
	if w.waiter != nil {
		w.seen.waited, w.seen.ok = w.waiter.Waited()
	}
}

// end ends the watch. slowed reports whether the player waited for a CPU, or this
// program was late, by more than the tolerance; sending is how late it is known to
// have been besides. The delays of a move within the tolerance are not looked at.
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
