package terminal

import "os"

// notifyStops does nothing, because Windows stops no program.
func notifyStops(chan<- os.Signal) {}

// suspend does nothing, as Ctrl-Z in other Windows programs.
func (w *watcher) suspend() error { return nil }
