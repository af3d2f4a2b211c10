package runner

import (
	"fmt"
	"time"
)

// moment is a reading of the clocks that there are.
type moment struct {
	at time.Time // by the monotonic clock, as moves are measured
	offsets
}

// offsets are how far other clocks are ahead of the monotonic one.
type offsets struct {
	// asleep is that of a clock that goes on while the machine sleeps, before one that
	// does not.
	asleep time.Duration
	// wall is the wall clock's. It changes by what the machine has slept, and where
	// somebody sets the clock: for one, whoever starts a virtual machine again that
	// was stopped with all its clocks.
	wall time.Duration
}

// StandstillKind says what stood still.
type StandstillKind int

// The kinds of standstill.
const (
	Stopped StandstillKind = iota // this program: by a signal, with its virtual machine, or because it was not given a CPU
	Slept                         // the machine
	Stepped                       // none, but the wall clock was set, as after a stop that no other clock shows; engines may go by it
)

// Standstill is an interruption after which no measured time means anything, and
// no engine knows what time it has. It is the error of a pair that is played
// again because of it.
type Standstill struct { //nolint:errname // it is data as much as an error, as usi.Fault is
	Kind StandstillKind
	// By is how long it lasted, at least. Of a wall clock that was set back it is
	// negative.
	By time.Duration
}

// standstillFloor is what nothing but a standstill explains: a machine that is
// merely busy wakes a thread within some 10 ms for each other one that wants the
// same CPU (docs/faults.md).
const standstillFloor = time.Second

// standstillBetween is what the clocks say of the time from one tick to the next,
// or to now where that tick is late; nil: nothing stood still.
func standstillBetween(last, now moment, late time.Duration) *Standstill {
	slept, step := now.asleep-last.asleep, now.wall-last.wall
	switch {
	case slept >= standstillFloor:
		return &Standstill{Slept, slept}
	case late >= standstillFloor:
		return &Standstill{Stopped, late}
	case step >= standstillFloor || step <= -standstillFloor:
		return &Standstill{Stepped, step}
	}
	return nil
}

// Error says what happened, for the fault that tells of the pair.
func (s *Standstill) Error() string {
	by := s.By.Round(100 * time.Millisecond)
	switch s.Kind {
	case Slept:
		return fmt.Sprintf("the machine slept for %v", by)
	case Stepped:
		return fmt.Sprintf("the wall clock was set by %v, as after a stop of the whole machine", by)
	case Stopped:
	}
	return fmt.Sprintf("this program stood still for %v (suspended, or without a CPU)", by)
}
