//go:build unix

package terminal

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// notifyStops makes the process pass each SIGTSTP (Ctrl-Z) to the channel stops.
func notifyStops(stops chan<- os.Signal) { signal.Notify(stops, syscall.SIGTSTP) }

// suspend releases the terminal, suspends this process, and takes the terminal again when the user resumes the process.
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
