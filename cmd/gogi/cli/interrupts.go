package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"gogi/internal/i18n"
)

// Interrupts listens to signals for as long as a verb that starts engines runs.
// An interrupt cancels its context, unless something is in play that should end
// first. A stop (Ctrl-Z) is announced, and so is what follows from it. Other verbs
// keep what signals do by default.
type Interrupts struct {
	env    *Env
	cancel context.CancelCauseFunc
	caught chan os.Signal // from the runtime; never closed; room for all that anybody presses
	quit   chan struct{}  // closed by Stop
	done   sync.WaitGroup

	mu    sync.Mutex
	drain func() (last i18n.Message) // what the first interrupt does instead of cancelling, see Playing; or nil
	seen  bool

	stopped time.Time // when a stop was announced that has not ended; of listen alone
}

// Catch listens, and also takes the sting out of SIGPIPE: a reader of the events
// that goes away must not end a series.
func Catch(ctx context.Context, env *Env) (context.Context, *Interrupts) {
	ctx, cancel := context.WithCancelCause(ctx)
	i := &Interrupts{env: env, cancel: cancel, caught: make(chan os.Signal, 8), quit: make(chan struct{})}
	signal.Notify(i.caught, append(stops(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)...)
	i.done.Go(i.listen)
	return ctx, i
}

func (i *Interrupts) listen() {
	for {
		select {
		case <-i.quit:
			return
		case sig := <-i.caught:
			switch {
			case sig == syscall.SIGPIPE:
			case isStop(sig):
				i.suspend()
			case isContinue(sig):
				i.resume()
			default:
				i.handle(sig)
			}
		}
	}
}

// handle drains at the first interrupt, and cancels at the second or at once
// for SIGTERM and SIGHUP.
func (i *Interrupts) handle(sig os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.drain == nil || i.seen || sig != os.Interrupt {
		i.cancel(ErrInterrupted)
	} else {
		i.env.tell("\n", i18n.Of("interrupted: ending after %s; once more to cut them", i.drain()))
	}
	i.seen = true
}

// suspend says what a stop means, and stops this program with the signal that
// nobody can catch; SIGTSTP has done nothing yet, because it is listened to.
// Engines are in groups of their own: they end the search that they are at.
func (i *Interrupts) suspend() {
	what := i18n.Of("stopped: fg or SIGCONT goes on")
	if i.inPlay() {
		what = i18n.Of("stopped: fg or SIGCONT goes on; pairs in play on a clock will be played again")
	}
	i.env.tell("\n", what)
	i.stopped = time.Now()
	stop()
}

// resume tells that a stop is over.
func (i *Interrupts) resume() {
	if i.stopped.IsZero() {
		return // a stop that nobody announced: what it costs is told by the runner
	}
	what := i18n.Of("going on after %s", time.Since(i.stopped).Round(100*time.Millisecond))
	if i.inPlay() {
		what = i18n.Of("%s; pairs that were in play on a clock are played again", what)
	}
	i.env.tell("", what)
	i.stopped = time.Time{}
}

// inPlay reports whether a series is being played.
func (i *Interrupts) inPlay() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.drain != nil
}

// Playing says what the first interrupt does from now on; nil: it cancels. drain returns
// at once, with what is still finished in words, such as "the pairs in play (3 games)".
func (i *Interrupts) Playing(drain func() (last i18n.Message)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drain = drain
}

// Happened reports whether there was an interrupt.
func (i *Interrupts) Happened() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.seen
}

// Stop ends the listening and cancels the context.
func (i *Interrupts) Stop() {
	signal.Stop(i.caught)
	close(i.quit)
	i.done.Wait()
	i.cancel(nil)
}
