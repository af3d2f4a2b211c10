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

// Interrupts handles signals while a command runs engines. An interrupt cancels the context, unless Playing has set
// another action. Interrupts also reports when Ctrl-Z suspends gogi and when gogi continues. Commands without
// Interrupts have the default handling of signals.
type Interrupts struct {
	env    *Env
	cancel context.CancelCauseFunc
	caught chan os.Signal // from the runtime; never closed
	quit   chan struct{}  // closed by Stop
	done   sync.WaitGroup

	mu    sync.Mutex
	drain func() (last i18n.Message) // the action of the first interrupt, see Playing; nil: it cancels the context
	seen  bool

	stopped time.Time // time when Ctrl-Z suspended gogi, until gogi continues; only listen uses it
}

// Catch starts the handling of signals. It returns a context that an interrupt cancels. It also ignores
// SIGPIPE, so that a run continues if the program that reads its events ends.
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

// handle handles a signal. At the first interrupt it calls the function that was set with Playing. At any other
// signal, or if no function is set, it cancels the context.
func (i *Interrupts) handle(sig os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.drain == nil || i.seen || sig != os.Interrupt {
		i.cancel(ErrInterrupted)
	} else {
		i.env.print("\n", i18n.Of("interrupted: ending after %s; once more to cut them", i.drain()))
	}
	i.seen = true
}

// suspend prints that Ctrl-Z suspends gogi, and then suspends this program with SIGSTOP. It must do this itself,
// because the program catches SIGTSTP. Engines are in their own process groups and finish their searches.
func (i *Interrupts) suspend() {
	what := i18n.Of("stopped: fg or SIGCONT resumes")
	if i.inPlay() {
		what = i18n.Of("stopped: fg or SIGCONT resumes; gogi plays pairs in play on a clock again")
	}
	i.env.print("\n", what)
	i.stopped = time.Now()
	stop()
}

func (i *Interrupts) resume() {
	if i.stopped.IsZero() {
		return // something other than suspend stopped gogi; the runner reports the effects
	}
	what := i18n.Of("going on after %s", time.Since(i.stopped).Round(100*time.Millisecond))
	if i.inPlay() {
		what = i18n.Of("%s; pairs that were in play on a clock are played again", what)
	}
	i.env.print("", what)
	i.stopped = time.Time{}
}

func (i *Interrupts) inPlay() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.drain != nil
}

// Playing sets the function that the first interrupt calls. If drain is nil, the first interrupt cancels the
// context. drain must return at once. Its result is a text about the games that gogi still finishes, such as "the
// pairs in play (3 games)".
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

// Stop ends the handling of signals and cancels the context.
func (i *Interrupts) Stop() {
	signal.Stop(i.caught)
	close(i.quit)
	i.done.Wait()
	i.cancel(nil)
}
