//go:build unix

package terminal

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// notifyStops listens to stops (Ctrl-Z).
func notifyStops(stops chan<- os.Signal) { signal.Notify(stops, syscall.SIGTSTP) }

// suspend gives the terminal back for as long as this program is stopped.
func (w *watcher) suspend() error {
	if err := w.screen.Suspend(); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // one may always signal oneself
	// Another thread may take the signal, so this one can run on for a moment: without the
	// wait it took the terminal over again before the shell had it.
	<-goesOn
	w.fresh = false
	if err := w.screen.Resume(); err != nil {
		return fmt.Errorf("taking the terminal over again: %w", err)
	}
	return nil
}
