package runner

import (
	"fmt"
	"time"
)

// moment is one reading of all clocks.
type moment struct {
	at time.Time // by the monotonic clock, which also measures moves
	offsets
}

// offsets are the differences between other clocks and the monotonic clock.
type offsets struct {
	// asleep is the difference between a clock that counts while the machine sleeps and one that does not.
	asleep time.Duration
	// wall is the offset of the wall clock. It changes by the time that the machine slept, and when the clock is set.
	// The restart of a suspended virtual machine can set it.
	wall time.Duration
}

// StandstillKind is the cause of a [Standstill].
type StandstillKind int

// The causes of a standstill.
const (
	Stopped StandstillKind = iota // this program did not run: it or its virtual machine was suspended, or it got no CPU
	Slept                         // the machine slept
	Stepped                       // the wall clock jumped: it was set, or a virtual machine was suspended
)

// Standstill is an interruption of a game: the machine or this program did not run for some time, or the wall
// clock jumped. Measured times are useless after it, because engines do not know their remaining time. The
// runner plays the pair again; a Standstill is the error of the interrupted attempt.
type Standstill struct { // it is data as much as an error, as usi.Fault is
	Kind StandstillKind
	By   time.Duration // its minimum length; negative if the wall clock was set back
}

// standstillFloor is the least delay that gogi treats as a standstill. A busy machine wakes a thread within some 10 ms
// for each other thread that wants the same CPU (docs/faults.md).
const standstillFloor = time.Second

// standstillBetween returns the standstill between the readings last and now, or nil if there was none. late
// is the delay of the tick at now; it is zero or negative if the tick is not late.
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

// Error describes the standstill. The fault event of the pair has this text.
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
