package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// failure is why a run ends early: cut by its context, failed by itself, or both.
type failure struct {
	mu  sync.Mutex
	cut error // the context's cause
	err error // the first of the run's own
	// happened is closed by the first set: whoever waits, and has no game in
	// play, gives up.
	happened chan struct{}
}

func newFailure() *failure { return &failure{happened: make(chan struct{})} }

func (f *failure) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		close(f.happened)
	}
}

func (f *failure) setCut(cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = cause
}

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *failure) result() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.cut, f.err)
}

// errFailedElsewhere is why a pair without a game in play is given back.
var errFailedElsewhere = errors.New("runner: the run has failed")

// until is ctx that also ends, with errFailedElsewhere, when the run fails.
func (f *failure) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	fail := func() { cancel(fmt.Errorf("%w: %w", errFailedElsewhere, f.get())) }
	if f.get() != nil { // at once: nobody shall begin something before it is told
		fail()
	}
	stop := afterClose(ctx, f.happened, fail)
	return ctx, func() { stop(); cancel(nil) }
}

// endOf is the cause of ctx's end, where that is behind an error, else err.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// putGrace is how long after the end of a run what it has played may still be
// put. It is far beyond what a disk takes, and short for whoever waits.
const putGrace = 10 * time.Second

// outlasting is ctx, ending putGrace later.
func outlasting(ctx context.Context) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(putGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("not stored within %v after the end of the run", putGrace))
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel(nil) }
}

// afterClose calls f when ch is closed, unless ctx ends or stop is called
// before; stop waits for it.
func afterClose(ctx context.Context, ch <-chan struct{}, f func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{}) // closed by the goroutine when it ends
	go func() {
		defer close(done)
		select {
		case <-ch:
			f()
		case <-ctx.Done():
		}
	}()
	return func() { cancel(); <-done }
}
