package runner

import (
	"context"
	"sync"
	"time"
)

// lateness watches how late this program itself is woken: a timer that fires
// late means that a bestmove may have been stamped late too. It asks two more
// clocks whether the machine, and this program with it, stood still meanwhile, and
// the kernel how long threads of this program waited for a CPU: the one that reads an
// answer may be late when the one that has the timer is not.
//
// Nobody waits for the watcher to run: who asks is told of the tick that is
// pending as well. A program that was suspended goes on in any order, and a move
// may be judged before the watcher has noticed anything.
type lateness struct {
	now   func() time.Time     // time.Now; a test's machine is late by another one
	other func() offsets       // readOffsets; a test's machine sleeps by another one
	waits func() time.Duration // Config.Waits

	mu    sync.Mutex
	last  moment    // the last tick
	due   time.Time // the next one
	worst []delay   // the most recent ones, oldest first
	stops []stop    // the same
	done  sync.WaitGroup
}

type delay struct {
	at time.Time
	by time.Duration
}

// stop is a standstill that was over at a time.
type stop struct {
	at   time.Time
	what *Standstill
}

const (
	latenessTick  = 20 * time.Millisecond
	latenessFloor = 10 * time.Millisecond // delays below this are not kept
	latenessKept  = 1024
)

// start watches until ctx ends.
func (l *lateness) start(ctx context.Context) {
	l.mu.Lock()
	l.expect(l.read())
	l.mu.Unlock()
	l.done.Go(func() { l.observe(ctx) })
}

func (l *lateness) observe(ctx context.Context) {
	timer := time.NewTimer(latenessTick)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		l.tick()
		timer.Reset(latenessTick)
	}
}

func (l *lateness) read() moment { return moment{l.now(), l.other()} }

// expect says from when on the next tick is late.
func (l *lateness) expect(now moment) { l.last, l.due = now, now.at.Add(latenessTick) }

// tick notes what this tick is late by, and expects the next one.
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

// note keeps a delay that was over at a time.
func (l *lateness) note(at time.Time, by time.Duration) {
	if by > latenessFloor {
		l.worst = append(recent(l.worst), delay{at, by})
	}
}

// recent makes room in a list that is full, by dropping its older half.
func recent[T any](list []T) []T {
	if len(list) < latenessKept {
		return list
	}
	return append(list[:0], list[latenessKept/2:]...)
}

// since is the worst delay since start, as far as it was after start; that of a
// tick which is due and has not come is included. 0: there was none worth noting.
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

// overdue is for how long the next tick has been due, counted from start at the
// earliest; not positive where it is not due.
func (l *lateness) overdue(now, start time.Time) time.Duration {
	if start.After(l.due) {
		return now.Sub(start)
	}
	return now.Sub(l.due)
}

// stood is the latest standstill since start, one included that the watcher has
// not noticed yet; nil: there was none.
func (l *lateness) stood(start moment) *Standstill {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, last := l.read(), l.last
	if start.at.After(last.at) {
		last = start
	}
	last.asleep = start.asleep // what was slept needs no ticks to be seen
	if s := standstillBetween(last, now, l.overdue(now.at, start.at)); s != nil {
		return s
	}
	for i := len(l.stops) - 1; i >= 0 && l.stops[i].at.After(start.at); i-- {
		s := l.stops[i]
		if s.what.Kind == Stepped || s.what.Kind == Stopped && s.at.Sub(start.at) >= standstillFloor {
			return s.what
		}
	}
	return nil
}

// noWaits is Config.Waits where nobody knows.
func noWaits() time.Duration { return 0 }

func (l *lateness) wait() { l.done.Wait() }
