package arbiter

import (
	"fmt"
	"time"
)

// Delays is the known part of a move's time that the player did not cause.
type Delays struct {
	// Waited is the time that the player's threads were ready to run and had no CPU, summed over threads.
	// Known is false if it cannot be read, for example on another machine.
	Waited time.Duration
	Known  bool
	// Stopped is how long the player's processes were seen to be stopped: by a signal, a
	// debugger or a frozen cgroup.
	Stopped time.Duration
	// Late is the runner's own delay: its longest late wake-up, and the time to send the position.
	Late time.Duration
}

// Sum returns the known time that the player lost.
func (d Delays) Sum() time.Duration { return d.Waited + d.Stopped + d.Late }

// Cause is the cause of a loss on time.
type Cause string

// The causes.
const (
	CausePlayer  Cause = "player"  // no other cause is known
	CauseMachine Cause = "machine" // it waited for a CPU, or was stopped
	CauseRunner  Cause = "runner"  // this program was late
	CauseUnknown Cause = "unknown" // the runner was not late, and the player's machine cannot be asked
)

// TimeLoss is a move that was not made in time, and why.
type TimeLoss struct {
	// Took is the time until the answer; with Silent until it was given up.
	Took   time.Duration
	Limit  time.Duration
	Margin time.Duration
	Stall  bool // there is no clock: Limit is the stall limit, without a margin
	Silent bool // no answer came, not even after it was asked for
	Delays
}

// StallTolerance returns the margin for players without a clock. It is the part of a stall limit that the
// machine or the runner may take without effect.
func StallTolerance(stall time.Duration) time.Duration { return stall / 4 }

// tolerance returns the delay beyond which a player that uses all of its time loses.
func (o TimeLoss) tolerance() time.Duration {
	if o.Stall {
		return StallTolerance(o.Limit)
	}
	return o.Margin
}

// Cause returns the player, unless other causes took more than half of the margin. gogi measures the
// machine's delay with an error of up to a quarter of the margin and one tick of the watcher
// (docs/faults.md). The time of the player's answer is unknown, because gogi stops it at the end of the
// margin.
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

// Slowed reports whether the loss may be the doing of the machine or the runner.
func (o TimeLoss) Slowed() bool {
	c := o.Cause()
	return c == CauseMachine || c == CauseRunner
}

// String returns the note of the game that it lost. A delay comes first, because lists show the beginning.
func (o TimeLoss) String() string {
	if o.Slowed() {
		return o.said() + ": " + o.what() + "; " + o.figures()
	}
	return o.what() + "; " + o.Why()
}

// Why returns the cause, and the figures.
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
	return "not slowed"
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
