package terminal

import "os"

// notifyStops does nothing, because Windows has no signal that suspends a process.
func notifyStops(chan<- os.Signal) {}

// suspend does nothing, as Ctrl-Z in other Windows programs.
func (w *watcher) suspend() error { return nil }
