package csa

import (
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// Clock is one player's clock as the server keeps it.
type Clock struct {
	time      Time
	remaining time.Duration // without the increment of the next move
}

// NewClock is the clock at the start of a game.
func NewClock(t Time) Clock { return Clock{time: t, remaining: t.Total} }

// Spend takes a move's time, as the server told it, off the clock, after adding
// the move's increment. A server that counts the delay in it makes the clock
// show too little, which is on the safe side.
func (c *Clock) Spend(d time.Duration) {
	c.remaining = max(0, c.remaining+c.time.Increment-d)
}

// Remaining is what is left of the main time, without the next increment.
func (c *Clock) Remaining() time.Duration { return c.remaining }

// Limit is the time in which the move at hand must arrive at the server: it is
// lost there when it takes as long. ok is false where nothing limits it.
func (c *Clock) Limit() (limit time.Duration, ok bool) {
	if c.time.Total == 0 && c.allowance() == 0 {
		return 0, false
	}
	return c.remaining + c.allowance(), true
}

// allowance is what each move has of its own.
func (c *Clock) allowance() time.Duration {
	return c.time.Byoyomi + c.time.Increment + c.time.Delay
}

// Where the server sets no limit, a move gets unlimited, and is stopped after
// unlimitedStop.
const (
	unlimited     = 10 * time.Second
	unlimitedStop = time.Minute
)

// leastDeadline keeps a player that has no time left from being stopped before
// it has read the position.
const leastDeadline = 20 * time.Millisecond

// search says how to think about a move of ours: spent has passed since it
// became our turn, and margin is for the way to the server and back. The margin
// is taken from what each move has of its own first, since each costs it; it is
// never more than half of the time there is.
func search(clocks [2]Clock, ours shogi.Colour, margin, spent time.Duration) (usi.Go, time.Duration) {
	own := clocks[ours]
	args := usi.Go{Clock: true}
	limit, ok := own.Limit()
	if !ok {
		args.UseByoyomi, args.Byoyomi = true, unlimited
		return args, unlimitedStop
	}
	if own.time.Roundup {
		margin += own.time.Unit // what is begun counts as whole
	}
	margin = min(margin, limit/2)
	deadline := max(leastDeadline, limit-spent-margin/2)
	remaining := [2]time.Duration{clocks[0].remaining, clocks[1].remaining}
	cut := margin + spent
	if byoyomi := own.time.Byoyomi + own.time.Delay; byoyomi > 0 {
		// USI cannot say both: what is certain goes into the clock.
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
		args.UseByoyomi = true // some engines expect the word
	}
	remaining[ours] = take(remaining[ours], &cut)
	args.BTime, args.WTime = remaining[shogi.Black], remaining[shogi.White]
	return args, deadline
}

// take cuts as much as there is, and leaves in cut what remains to be cut.
func take(from time.Duration, cut *time.Duration) time.Duration {
	part := min(from, *cut)
	*cut -= part
	return from - part
}
