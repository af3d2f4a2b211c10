package arbiter

import (
	"time"

	"gogi/match"
)

// Clock is one player's clock in one game. Clock adds the increment before each move of the player, including
// the first, like CSA servers. Remaining therefore returns the time that the player may use now, without
// byoyomi.
type Clock struct {
	limits    match.Limits
	remaining time.Duration
}

// NewClock returns the clock before the player's first move.
func NewClock(l match.Limits) Clock {
	return Clock{limits: l, remaining: l.Clock.Main + l.Clock.Increment}
}

// Limit returns the longest time for the current move, without the time margin. ok is false if nothing limits the
// time of a move.
func (c *Clock) Limit() (limit time.Duration, ok bool) {
	switch {
	case !c.limits.Clock.IsZero():
		return c.remaining + c.limits.Clock.Byoyomi, true
	case c.limits.MoveTime > 0:
		return c.limits.MoveTime, true
	}
	return 0, false
}

// Sent returns the remaining time for btime or wtime in USI. It does not include the increment for the
// current move, because engines add it themselves.
func (c *Clock) Sent() time.Duration {
	return max(0, c.remaining-c.limits.Clock.Increment)
}

// Remaining returns the remaining main time, including the increment for the current move.
func (c *Clock) Remaining() time.Duration { return c.remaining }

// Deadline returns how long gogi waits for the current move. This is the limit plus the time margin. If nothing
// limits the time of a move, it is the player's stall limit.
func (c *Clock) Deadline() time.Duration {
	if limit, ok := c.Limit(); ok {
		return limit + c.limits.Margin
	}
	return c.limits.Stall
}

// Spend subtracts the time of a move from the clock and adds the next increment. overrun is the time by which
// the move exceeded its limit, or 0. lost reports whether overrun is more than the margin. After an overrun
// within the margin, the clock is set to 0 before the increment.
func (c *Clock) Spend(elapsed time.Duration) (overrun time.Duration, lost bool) {
	limit, ok := c.Limit()
	if !ok {
		return 0, false
	}
	overrun = max(0, elapsed-limit)
	c.remaining = max(0, c.remaining-elapsed) + c.limits.Clock.Increment
	return overrun, overrun > c.limits.Margin
}
