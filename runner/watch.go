package runner

import (
	"sync"
	"time"

	"gogi/match/arbiter"
	"gogi/shogi"
)

// moveWatch observes whether the machine, or this program, rather than the player,
// makes a move slow. There is one a game, since one side thinks at a time.
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
	waiter    Waiter // nil: it cannot be asked
	start     time.Time
	tolerance time.Duration
	deadline  time.Time     // the end of the player's time
	due       time.Time     // the next look by the timer; zero: none
	lag       time.Duration // the worst that a look was late by
	before    reading       // of the first look
	early     time.Duration // what may have been waited before that, and after start
	seen      *reading      // the last one of this side
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
	g.watch.begin(c, waiter, timed, tolerance, g.clocks[c].Deadline())
}

// begin looks before a side's first move in a game, if it is timed.
func (w *moveWatch) begin(c shogi.Colour, waiter Waiter, timed bool, tolerance, deadline time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on, w.waiter, w.tolerance, w.lag, w.early, w.before, w.seen = true, waiter, tolerance, 0, 0, reading{}, &w.sides[c]
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
	if w.timer == nil {
		w.timer = time.AfterFunc(w.due.Sub(now), w.look)
		return
	}
	w.timer.Reset(w.due.Sub(now))
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
	last := *w.seen
	w.read()
	if w.due.Equal(w.deadline) {
		w.due = time.Time{}
		return
	}
	if last.ok {
		w.early = max(0, min(w.seen.waited-last.waited, now.Sub(w.start)))
	}
	w.before, w.due = *w.seen, w.deadline
	w.arm(now)
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
	if !w.seen.ok || !w.before.ok {
		return d, d.Late > w.tolerance
	}
	since := max(0, w.seen.waited-w.before.waited)
	d.Waited, d.Known = since+w.early, true
	return d, d.Late > w.tolerance || since > w.tolerance*3/4
}
