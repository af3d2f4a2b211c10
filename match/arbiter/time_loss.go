package arbiter

import (
	"fmt"
	"time"
)

// Delays has the known parts of a move's time that the player did not cause.
type Delays struct {
	// Waited is the time that the player's threads were ready to run and had no CPU, summed over threads.
	// Known is false if it cannot be read, for example on another machine.
	Waited time.Duration
	Known  bool
	// Stopped is the time for which gogi saw the player's processes stopped by a signal, a debugger or a
	// frozen cgroup.
	Stopped time.Duration
	// Late is the delay that gogi itself caused: the time to send the position, plus the largest delay of gogi's own
	// timers during the move.
	Late time.Duration
}

// Sum returns the known time that the player lost.
func (d Delays) Sum() time.Duration { return d.Waited + d.Stopped + d.Late }

// Cause is the cause of a loss on time.
type Cause string

// The causes of a loss on time.
const (
	CausePlayer  Cause = "player"  // no other cause is known
	CauseMachine Cause = "machine" // the player waited for a CPU, or was stopped
	CauseRunner  Cause = "runner"  // gogi itself was late
	CauseUnknown Cause = "unknown" // gogi was not late, and cannot measure the player's machine
)

// TimeLoss has the data of a move that was not made in time. Its methods find the cause.
type TimeLoss struct {
	// Took is the time until the answer. If Silent is true, it is the time until gogi stopped waiting.
	Took   time.Duration
	Limit  time.Duration
	Margin time.Duration
	Stall  bool // the player has no clock; Limit is then the stall limit, without a margin
	Silent bool // the engine gave no answer, not even after "stop"
	Delays
}

// StallTolerance returns the tolerance for a player without a clock. It replaces the time margin of a clock, and
// is a quarter of the stall limit (the longest wait for a move of such a player).
func StallTolerance(stall time.Duration) time.Duration { return stall / 4 }

// tolerance returns how much later than its limit a player may answer without a loss. A player without a clock has no
// margin; StallTolerance then replaces it.
func (o TimeLoss) tolerance() time.Duration {
	if o.Stall {
		return StallTolerance(o.Limit)
	}
	return o.Margin
}

// Cause returns the cause of the loss. It is the player, unless the machine and gogi together delayed the move by
// more than half of the margin. The measured delay of the machine can be wrong by up to a quarter of the margin plus
// one measuring interval (docs/faults.md). gogi stops the search at the end of the margin, so it does not know when
// the player would have answered.
func (o TimeLoss) Cause() Cause {
	switch {
	case o.Sum() > o.tolerance()/2 && o.Waited+o.Stopped >= o.Late:
		return CauseMachine
	case o.Sum() > o.tolerance()/2:
		return CauseRunner
	case !o.Known:
		return CauseUnknown
	}
	return CausePlayer
}

// Slowed reports whether the machine or gogi, not the engine, may have caused the loss.
func (o TimeLoss) Slowed() bool {
	c := o.Cause()
	return c == CauseMachine || c == CauseRunner
}

// String returns the note of the lost game. A delay by the machine comes first, because lists show only the beginning
// of a note.
func (o TimeLoss) String() string {
	if o.Slowed() {
		return o.said() + ": " + o.what() + "; " + o.figures()
	}
	return o.what() + "; " + o.Why()
}

// Why returns a text with the cause and the measured times.
func (o TimeLoss) Why() string { return o.said() + ": " + o.figures() }

func (o TimeLoss) what() string {
	over := fmt.Sprintf("%v over its limit (margin %v)", millis(o.Took-o.Limit), o.Margin)
	switch {
	case o.Stall && !o.Silent:
		return fmt.Sprintf("no move within %v", o.Limit)
	case o.Stall:
		return fmt.Sprintf("no move within %v, nor when told to stop", o.Limit)
	case o.Silent:
		return fmt.Sprintf("no move after %v, %s", millis(o.Took), over)
	}
	return fmt.Sprintf("took %v, %s", millis(o.Took), over)
}

func (o TimeLoss) said() string {
	switch o.Cause() {
	case CauseMachine:
		return "slowed by the machine"
	case CauseRunner:
		return "slowed by gogi"
	case CauseUnknown:
		return "whether its machine slowed it is not known"
	case CausePlayer:
	}
	return "this move was not slowed"
}

func (o TimeLoss) figures() string {
	late := fmt.Sprintf("gogi was %v late", millis(o.Late))
	if o.Stopped > 0 {
		late = fmt.Sprintf("it was stopped for %v, %s", millis(o.Stopped), late)
	}
	if !o.Known {
		return late
	}
	return fmt.Sprintf("it waited %v for a CPU, %s", millis(o.Waited), late)
}

func millis(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
