package arbiter

import (
	"fmt"
	"time"
)

// Delays are what of a move's time was not the player's, as far as it is known.
type Delays struct {
	// Waited is how long the player's threads, added up, were ready to run and had no
	// CPU. Known is false where that cannot be read: on another machine, say.
	Waited time.Duration
	Known  bool
	// Stopped is how long the player's processes were seen to be stopped: by a signal, a
	// debugger or a frozen cgroup.
	Stopped time.Duration
	// Late is how late the runner itself was: the worst that it was woken late, and
	// what it took to send the position.
	Late time.Duration
}

// Sum is what is known to have been taken from the player.
func (d Delays) Sum() time.Duration { return d.Waited + d.Stopped + d.Late }

// Cause is who made a player lose on time.
type Cause string

// The causes.
const (
	CausePlayer  Cause = "player"  // nobody else is known to have slowed it
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

// StallTolerance is what a margin is where there is a clock: what may be taken of
// a stall limit, by the machine or the runner, before that matters.
func StallTolerance(stall time.Duration) time.Duration { return stall / 4 }

// tolerance is what a player that uses all of its time cannot make up for.
func (o TimeLoss) tolerance() time.Duration {
	if o.Stall {
		return StallTolerance(o.Limit)
	}
	return o.Margin
}

// Cause is the player, unless more than half of the margin was taken from it: what
// the machine took is seen with a loss of up to a quarter of the margin, and a tick
// of the watcher (docs/faults.md). When the player would have answered cannot be known,
// since it is stopped at the end of the margin.
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

// String is the note of the game that was lost by it. Where it was slowed that comes
// first, since lists show the beginning.
func (o TimeLoss) String() string {
	if o.Slowed() {
		return o.said() + ": " + o.what() + "; " + o.figures()
	}
	return o.what() + "; " + o.Why()
}

// Why is who is to blame, and the figures.
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
