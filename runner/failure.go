package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A failure is the reason why a run ends early: its context ended, a slot failed, or both.
type failure struct {
	mu       sync.Mutex
	cut      error         // the cause of the context's end
	err      error         // the first failure of a slot
	happened chan struct{} // closed by the first set: slots without a game in play give up
}

// set records err as the failure of a slot. It keeps only the first failure.
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

// errFailedElsewhere is the reason why a slot returns its pair unplayed: another slot has failed, and no game of the
// pair has begun.
var errFailedElsewhere = errors.New("runner: the run has failed")

// until returns a context that ends when ctx ends or when the run fails. After a failure its cause is
// errFailedElsewhere. The caller must call the returned function to release the context.
func (f *failure) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	fail := func() { cancel(fmt.Errorf("%w: %w", errFailedElsewhere, f.get())) }
	if f.get() != nil { // end it before the caller begins anything
		fail()
	}
	stop := afterClose(ctx, f.happened, fail)
	return ctx, func() { stop(); cancel(nil) }
}

// endOf returns the cause of ctx's end if ctx has ended, else err.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// putGrace is the time in which the sink may still store played pairs after the run has ended. A disk write takes far
// less.
const putGrace = 10 * time.Second

// outlasting returns a context that ends putGrace after ctx. The caller must call the returned function to release
// it.
func outlasting(ctx context.Context) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	late := func() { cancel(fmt.Errorf("not stored within %v after the end of the run", putGrace)) }
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(putGrace, late) })
	return longer, func() { stop(); cancel(nil) }
}

// afterClose calls f when ch is closed, unless ctx ends or stop is called first. stop waits for a running f.
func afterClose(ctx context.Context, ch <-chan struct{}, f func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{}) // closed when the goroutine ends
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
