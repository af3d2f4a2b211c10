package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts listens to signals for as long as a verb that starts engines runs.
// An interrupt cancels its context, unless something is in play that should end
// first. Other verbs keep what signals do by default.
type interrupts struct {
	err    io.Writer
	cancel context.CancelCauseFunc
	caught chan os.Signal // from the runtime; never closed; room for all that anybody presses
	quit   chan struct{}  // closed by stop
	done   sync.WaitGroup

	mu    sync.Mutex
	drain func() // what the first interrupt does instead of cancelling, or nil
	seen  bool
}

// catchInterrupts also takes the sting out of SIGPIPE: a reader of the events
// that goes away must not end a series.
func catchInterrupts(ctx context.Context, env *environment) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancelCause(ctx)
	i := &interrupts{err: env.err, cancel: cancel, caught: make(chan os.Signal, 8), quit: make(chan struct{})}
	signal.Notify(i.caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	i.done.Go(i.listen)
	return ctx, i
}

func (i *interrupts) listen() {
	for {
		select {
		case <-i.quit:
			return
		case sig := <-i.caught:
			if sig != syscall.SIGPIPE {
				i.handle(sig)
			}
		}
	}
}

// handle drains at the first interrupt, and cancels at the second or at once
// for SIGTERM and SIGHUP.
func (i *interrupts) handle(sig os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.drain == nil || i.seen || sig != os.Interrupt {
		i.cancel(errInterrupted)
	} else {
		i.drain()
		fmt.Fprintln(i.err, "\ninterrupted: the games in play are the last; once more to end at once")
	}
	i.seen = true
}

// playing says what the first interrupt does from now on; nil: it cancels.
func (i *interrupts) playing(drain func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drain = drain
}

// happened reports whether there was an interrupt.
func (i *interrupts) happened() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.seen
}

// stop ends the listening and cancels the context.
func (i *interrupts) stop() {
	signal.Stop(i.caught)
	close(i.quit)
	i.done.Wait()
	i.cancel(nil)
}
