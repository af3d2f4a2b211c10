package runner

import (
	"errors"
	"sync"
)

// Width is how many slots a run has. It may change while the run plays: slots
// that are missing begin, and those with the greatest numbers end after the pair
// that they have in play. It belongs to one run, and is safe for concurrent use.
type Width struct {
	mu    sync.Mutex
	slots int
	// work is a slot's, set when the run begins; it reports whether it ended only
	// because it was retired.
	work   func(number int, retired <-chan struct{}) bool
	places map[int]*place // of the slots that work, by number
	over   bool           // the last slot has ended: none begins any more
	done   chan struct{}  // closed with over
}

// place is what a working slot is told by.
type place struct {
	retired chan struct{} // closed under the width's lock: take no more pairs
	told    bool
}

// errRetired is why a slot that is not needed any more waits for no pair.
var errRetired = errors.New("runner: the run has fewer slots now")

// NewWidth is so many slots, at least one.
func NewWidth(slots int) *Width {
	return &Width{slots: max(1, slots), places: map[int]*place{}, done: make(chan struct{})}
}

// Slots is how many the run shall have.
func (w *Width) Slots() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slots
}

// Set makes it so many slots, at least one.
func (w *Width) Set(slots int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slots = max(1, slots)
	if w.work != nil && !w.over {
		w.staff()
	}
}

// run is the slots' life: it returns when the last has ended.
func (w *Width) run(work func(number int, retired <-chan struct{}) bool) {
	w.mu.Lock()
	w.work = work
	w.staff()
	w.mu.Unlock()
	<-w.done
}

// staff begins the slots that are missing and retires those that are too many,
// with the lock held. One that found no more pairs begins again, and finds that
// out once more.
func (w *Width) staff() {
	for n := range w.slots {
		if w.places[n] == nil {
			w.begin(n)
		}
	}
	for n, p := range w.places {
		if n >= w.slots && !p.told {
			p.told = true
			close(p.retired)
		}
	}
}

func (w *Width) begin(number int) {
	p := &place{retired: make(chan struct{})}
	w.places[number] = p
	go func() { w.ended(number, w.work(number, p.retired)) }()
}

// ended takes a slot off. A retired one that is needed again meanwhile goes on.
func (w *Width) ended(number int, retired bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.places, number)
	switch {
	case retired && number < w.slots:
		w.begin(number)
	case len(w.places) == 0:
		w.over = true
		close(w.done)
	}
}
