package csa

import (
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// Clock calculates the remaining time of one player from the times that the server reports.
type Clock struct {
	time      Time
	remaining time.Duration // main time, without the increment of the next move
}

// NewClock returns the clock at the start of a game.
func NewClock(t Time) Clock { return Clock{time: t, remaining: t.Total} }

// Spend updates the clock after a move: it adds the increment and subtracts d, the time of the move that the
// server reported. Some servers include the free delay of a move in d. Then the clock shows less than the
// real remaining time, which is safe.
func (c *Clock) Spend(d time.Duration) {
	c.remaining = max(0, c.remaining+c.time.Increment-d)
}

// Remaining returns the remaining main time, without the increment of the next move.
func (c *Clock) Remaining() time.Duration { return c.remaining }

// Limit returns the time within which the current move must arrive at the server. A move that takes exactly
// this time loses. ok is false if the game has no time limit.
func (c *Clock) Limit() (limit time.Duration, ok bool) {
	if c.time.Total == 0 && c.allowance() == 0 {
		return 0, false
	}
	return c.remaining + c.allowance(), true
}

// allowance returns the time that each move has in addition to the main time.
func (c *Clock) allowance() time.Duration {
	return c.time.Byoyomi + c.time.Increment + c.time.Delay
}

// These constants are for a move for which the server sets no limit: the byoyomi that the Client sends, and the time
// after which it stops the search.
const (
	unlimited     = 10 * time.Second
	unlimitedStop = time.Minute
)

// leastDeadline is the least deadline of a move. It lets a player without remaining time at least read the
// position before the stop.
const leastDeadline = 20 * time.Millisecond

// search returns the limits and the deadline of our move. spent is the time since our turn began. margin is the time to
// reserve for the network; search reserves at most half of the available time. It first takes the reserve from the
// byoyomi or the increment, because every move needs the reserve.
func search(clocks [2]Clock, ours shogi.Colour, margin, spent time.Duration) (usi.Go, time.Duration) {
	own := clocks[ours]
	args := usi.Go{Clock: true}
	limit, ok := own.Limit()
	if !ok {
		args.UseByoyomi, args.Byoyomi = true, unlimited
		return args, unlimitedStop
	}
	if own.time.Roundup {
		margin += own.time.Unit // the server rounds up to whole units
	}
	margin = min(margin, limit/2)
	deadline := max(leastDeadline, limit-spent-margin/2)
	remaining := [2]time.Duration{clocks[0].remaining, clocks[1].remaining}
	cut := margin + spent
	if byoyomi := own.time.Byoyomi + own.time.Delay; byoyomi > 0 {
		// USI cannot express both, so the guaranteed increment is added to the clock.
		remaining[ours] += own.time.Increment
		args.UseByoyomi, args.Byoyomi = true, take(byoyomi, &cut)
	} else if own.time.Increment > 0 {
		args.UseInc, args.BInc, args.WInc = true, clocks[0].time.Increment, clocks[1].time.Increment
		inc := &args.BInc
		if ours == shogi.White {
			inc = &args.WInc
		}
		*inc = take(*inc, &cut)
	} else {
		args.UseByoyomi = true // some engines require the word
	}
	remaining[ours] = take(remaining[ours], &cut)
	args.BTime, args.WTime = remaining[shogi.Black], remaining[shogi.White]
	return args, deadline
}

// take subtracts cut from a time, but not below 0. It changes cut to the part that it could not subtract.
func take(from time.Duration, cut *time.Duration) time.Duration {
	part := min(from, *cut)
	*cut -= part
	return from - part
}
