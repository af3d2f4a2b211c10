package terminal

import "os"

// notifyStops does nothing: Windows stops no program.
func notifyStops(chan<- os.Signal) {}

// suspend does nothing, as Ctrl-Z does nothing in other programs there.
func (w *watcher) suspend() error { return nil }
