package runner

import (
	"context"
	"slices"
	"sync"
	"time"
)

// lateness measures how late the system wakes this program. If a timer fires late, this program may also stamp a
// bestmove late. lateness reads two more clocks to see whether the machine or this program stood still. It also asks
// the kernel how long threads of this program waited for a CPU. This is necessary because a reader of engine output
// may be late while the timer is not.
//
// A caller never waits for the goroutine that observes the clocks: the methods since and stood also count a tick that
// is due but has not run. After a suspension goroutines continue in any order, so a slot may check the time of a move
// before that goroutine runs.
type lateness struct {
	now   func() time.Time     // time.Now, except in tests
	other func() offsets       // readOffsets, except in tests
	waits func() time.Duration // Config.Waits
	// kernel means that the clock is that of the kernel. Else it is a test's, of which only a timer of Go knows.
	kernel bool

	mu    sync.Mutex
	last  moment    // the last tick
	due   time.Time // the next tick
	worst []delay   // the most recent delays, oldest first
	stops []stop    // the most recent standstills, oldest first
	done  sync.WaitGroup

	wakeMu  sync.Mutex
	timer   timer        // nil before start
	wakes   time.Time    // when the timer fires; zero while the observer works
	watches []*moveWatch // follow and unfollow replace the list
	ticks   time.Time    // the next tick; only the observer uses it
}

type delay struct {
	at time.Time
	by time.Duration
}

// stop is a standstill and the time when it was over.
type stop struct {
	at time.Time
	by *Standstill
}

const (
	latenessTick  = 20 * time.Millisecond
	latenessFloor = 10 * time.Millisecond // shorter delays are not stored
	latenessKept  = 1024
)

// start begins to observe, until ctx ends.
func (l *lateness) start(ctx context.Context) {
	if l.timer = newGoTimer(); l.kernel {
		l.timer = newTimer()
	}
	l.mu.Lock()
	l.expect(l.read())
	l.mu.Unlock()
	l.ticks = time.Now().Add(latenessTick)
	l.wakeBy(l.ticks)
	context.AfterFunc(ctx, l.timer.close)
	l.done.Go(l.observe)
}

func (l *lateness) observe() {
	for l.timer.wait() {
		l.wake()
	}
}

// wake does what is due: a tick, and the measurements of moves. One timer for all slots wakes this program less often
// than a timer for each.
func (l *lateness) wake() {
	l.wakeMu.Lock()
	watches := l.watches
	l.wakes = time.Time{}
	l.wakeMu.Unlock()
	ticks := !time.Now().Before(l.ticks)
	if ticks {
		l.tick()
		l.ticks = time.Now().Add(latenessTick)
	}
	next := l.ticks
	for _, w := range watches {
		if due := w.wake(ticks); !due.IsZero() && due.Before(next) {
			next = due
		}
	}
	l.wakeBy(next)
}

// wakeBy makes wake run at the time t or earlier.
func (l *lateness) wakeBy(t time.Time) {
	l.wakeMu.Lock()
	defer l.wakeMu.Unlock()
	if l.timer == nil || !l.wakes.IsZero() && !t.Before(l.wakes) {
		return
	}
	l.wakes = t
	// Never 0 or less: a timer of the kernel would not fire then. And Go 1.26 runs such a timer of a synctest bubble in
	// the goroutine that sets it, and the race detector has one context for all timers of a bubble. Two slots that did
	// this at once crashed it.
	l.timer.set(max(time.Until(t), 1))
}

// follow makes the observer call w.wake, until unfollow.
func (l *lateness) follow(w *moveWatch) {
	l.wakeMu.Lock()
	defer l.wakeMu.Unlock()
	l.watches = append(slices.Clone(l.watches), w)
}

func (l *lateness) unfollow(w *moveWatch) {
	l.wakeMu.Lock()
	defer l.wakeMu.Unlock()
	l.watches = slices.DeleteFunc(slices.Clone(l.watches), func(f *moveWatch) bool { return f == w })
}

func (l *lateness) read() moment { return moment{l.now(), l.other()} }

// expect sets the time from which the next tick is late.
func (l *lateness) expect(now moment) { l.last, l.due = now, now.at.Add(latenessTick) }

// tick records how late this tick is, and schedules the next one.
func (l *lateness) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.read()
	l.note(now.at, now.at.Sub(l.due))
	l.note(now.at, l.waits())
	if s := standstillBetween(l.last, now, now.at.Sub(l.due)); s != nil {
		l.stops = append(recent(l.stops), stop{now.at, s})
	}
	l.expect(now)
}

// note stores a delay. at is the end of the delay, and by is its length. It ignores delays of at most latenessFloor.
func (l *lateness) note(at time.Time, by time.Duration) {
	if by > latenessFloor {
		l.worst = append(recent(l.worst), delay{at, by})
	}
}

// recent returns a list of delays or standstills, without its older half if the list is full.
func recent[T any](list []T) []T {
	if len(list) < latenessKept {
		return list
	}
	return append(list[:0], list[latenessKept/2:]...)
}

// since returns the longest delay of a tick after start, including a tick that is due but has not run. Only the part
// after start counts. It returns 0 if no delay was longer than latenessFloor.
func (l *lateness) since(start time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.note(now, l.waits())
	worst := l.overdue(now, start)
	for i := len(l.worst) - 1; i >= 0 && l.worst[i].at.After(start); i-- {
		worst = max(worst, min(l.worst[i].by, l.worst[i].at.Sub(start)))
	}
	if worst <= latenessFloor {
		return 0
	}
	return worst
}

// overdue returns how long the next tick has been due, measured from start at the earliest. The result is zero or
// negative if the tick is not due.
func (l *lateness) overdue(now, start time.Time) time.Duration {
	if start.After(l.due) {
		return now.Sub(start)
	}
	return now.Sub(l.due)
}

// stood returns the latest standstill since start, also one that the observer has not recorded yet. It
// returns nil if there was no standstill.
func (l *lateness) stood(start moment) *Standstill {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, last := l.read(), l.last
	if start.at.After(last.at) {
		last = start
	}
	last.asleep = start.asleep // the clocks show a sleep without ticks
	if s := standstillBetween(last, now, l.overdue(now.at, start.at)); s != nil {
		return s
	}
	for i := len(l.stops) - 1; i >= 0 && l.stops[i].at.After(start.at); i-- {
		s := l.stops[i]
		if s.by.Kind == Stepped || s.by.Kind == Stopped && s.at.Sub(start.at) >= standstillFloor {
			return s.by
		}
	}
	return nil
}

func (l *lateness) wait() { l.done.Wait() }
