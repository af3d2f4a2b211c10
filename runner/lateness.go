package runner

import (
	"context"
	"sync"
	"time"
)

// lateness watches how late this program itself is woken: a timer that fires
// late means that a bestmove may have been stamped late too.
type lateness struct {
	mu    sync.Mutex
	worst []delay // the most recent ones, oldest first
	done  sync.WaitGroup
	now   func() time.Time // time.Now; a test's machine is late by another one
}

type delay struct {
	at time.Time
	by time.Duration
}

const (
	latenessTick  = 20 * time.Millisecond
	latenessFloor = 10 * time.Millisecond // delays below this are not kept
	latenessKept  = 1024
)

// start watches until ctx ends.
func (l *lateness) start(ctx context.Context) {
	l.done.Go(func() { l.observe(ctx) })
}

func (l *lateness) observe(ctx context.Context) {
	timer := time.NewTimer(latenessTick)
	defer timer.Stop()
	for {
		due := l.now().Add(latenessTick)
		timer.Reset(latenessTick)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if now := l.now(); now.Sub(due) > latenessFloor {
			l.note(delay{now, now.Sub(due)})
		}
	}
}

func (l *lateness) note(d delay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.worst) == latenessKept {
		l.worst = append(l.worst[:0], l.worst[latenessKept/2:]...)
	}
	l.worst = append(l.worst, d)
}

// since is the worst delay since start, 0 when there was none worth noting.
func (l *lateness) since(start time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var worst time.Duration
	for i := len(l.worst) - 1; i >= 0 && l.worst[i].at.After(start); i-- {
		worst = max(worst, l.worst[i].by)
	}
	return worst
}

func (l *lateness) wait() { l.done.Wait() }
