//go:build unix

package terminal

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// notifyStops sends SIGTSTP (Ctrl-Z) to stops.
func notifyStops(stops chan<- os.Signal) { signal.Notify(stops, syscall.SIGTSTP) }

// suspend releases the terminal while this program is stopped.
func (w *watcher) suspend() error {
	if err := w.screen.Suspend(); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // a process may always signal itself
	// Another thread may receive the signal, so this one may run for a moment. Without the wait it would use
	// the terminal again before the shell has it.
	<-resumed
	w.fresh = false
	if err := w.screen.Resume(); err != nil {
		return fmt.Errorf("taking the terminal over again: %w", err)
	}
	return nil
}
