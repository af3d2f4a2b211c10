package runner

import (
	"errors"
	"sync"
)

// Width controls the number of slots of a run. The number may change during the run. New slots then begin, or
// the slots with the highest numbers end after their current pair. A Width belongs to one run and is safe for
// concurrent use.
type Width struct {
	mu    sync.Mutex
	slots int
	// work is the loop of a slot, set when the run begins. It returns true if it ended only because its retired
	// channel was closed.
	work   func(number int, retired <-chan struct{}) bool
	places map[int]*place // the working slots, by number
	over   bool           // the last slot has ended, so no slot begins
	done   chan struct{}  // closed with over
}

// place is a slot whose goroutine runs.
type place struct {
	retired chan struct{} // closed under Width.mu: take no more pairs
	closed  bool          // retired is closed
}

// errRetired is the cause of the end of a slot's wait for a pair, if the run no longer needs the slot.
var errRetired = errors.New("runner: the run has fewer slots now")

// NewWidth returns a Width with this number of slots, at least one.
func NewWidth(slots int) *Width {
	return &Width{slots: max(1, slots), places: map[int]*place{}, done: make(chan struct{})}
}

// Slots returns the number of slots that the run should have.
func (w *Width) Slots() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slots
}

// Set changes the number of slots, to at least one.
func (w *Width) Set(slots int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slots = max(1, slots)
	if w.work != nil && !w.over {
		w.staff()
	}
}

// run starts the slots and returns when the last one has ended.
func (w *Width) run(work func(number int, retired <-chan struct{}) bool) {
	w.mu.Lock()
	w.work = work
	w.staff()
	w.mu.Unlock()
	<-w.done
}

// staff starts missing slots and ends surplus slots. The caller holds w.mu. It also restarts a slot that ended because
// no pairs were left; that slot ends again.
func (w *Width) staff() {
	for n := range w.slots {
		if w.places[n] == nil {
			w.begin(n)
		}
	}
	for n, p := range w.places {
		if n >= w.slots && !p.closed {
			p.closed = true
			close(p.retired)
		}
	}
}

func (w *Width) begin(number int) {
	p := &place{retired: make(chan struct{})}
	w.places[number] = p
	go func() { w.ended(number, w.work(number, p.retired)) }()
}

// ended removes a slot after its goroutine has ended. retired means that the slot ended only because the run needed
// fewer slots. If the run needs the slot again now, ended starts it again.
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
