package arbiter_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// spend is one move on a clock: the state before the move, and its cost.
type spend struct {
	limit, sent, elapsed time.Duration
	overrun              time.Duration
	lost                 bool
	remaining            time.Duration // after it, the next increment included
}

func TestClock(t *testing.T) {
	fischer := match.Limits{Clock: match.TimeControl{Main: 10 * second, Increment: 2 * second}, Margin: 100 * ms}
	byoyomi := match.Limits{Clock: match.TimeControl{Main: 3 * second, Byoyomi: second}, Margin: 100 * ms}
	only := match.Limits{Clock: match.TimeControl{Byoyomi: second}, Margin: 100 * ms}
	sudden := match.Limits{Clock: match.TimeControl{Main: 5 * second}, Margin: 100 * ms}
	increment := match.Limits{Clock: match.TimeControl{Increment: second}}
	movetime := match.Limits{MoveTime: 500 * ms, Margin: 50 * ms}
	for _, test := range []struct {
		name   string
		limits match.Limits
		moves  []spend
	}{
		{"Fischer: the first move has main and increment, btime leaves the increment out", fischer, []spend{
			{12 * second, 10 * second, second, 0, false, 13 * second},
			{13 * second, 11 * second, 3 * second, 0, false, 12 * second},
			{12 * second, 10 * second, 12 * second, 0, false, 2 * second},
			{2 * second, 0, second, 0, false, 3 * second},
		}},
		{"Fischer: inside the margin the clock goes to 0 and on", fischer, []spend{
			{12 * second, 10 * second, 12*second + 100*ms, 100 * ms, false, 2 * second},
			{2 * second, 0, 2*second + ms, ms, false, 2 * second},
			{2 * second, 0, 0, 0, false, 4 * second},
		}},
		{"Fischer: beyond the margin it is lost", fischer, []spend{
			{12 * second, 10 * second, 12*second + 101*ms, 101 * ms, true, 2 * second},
		}},
		{"increment alone", increment, []spend{
			{second, 0, second, 0, false, second},
			{second, 0, 0, 0, false, 2 * second},
			{2 * second, second, 2*second + 1, 1, true, second},
		}},
		{"byoyomi comes after main", byoyomi, []spend{
			{4 * second, 3 * second, 2 * second, 0, false, second},
			{2 * second, second, 1500 * ms, 0, false, 0},
			{second, 0, second, 0, false, 0},
			{second, 0, 10 * ms, 0, false, 0},
			{second, 0, 1100 * ms, 100 * ms, false, 0},
			{second, 0, 1100*ms + 1, 100*ms + 1, true, 0},
		}},
		{"byoyomi alone is whole for each move", only, []spend{
			{second, 0, 999 * ms, 0, false, 0},
			{second, 0, 1050 * ms, 50 * ms, false, 0},
			{second, 0, 2 * second, second, true, 0},
		}},
		{"sudden death", sudden, []spend{
			{5 * second, 5 * second, 4 * second, 0, false, second},
			{second, second, 1050 * ms, 50 * ms, false, 0},
			{0, 0, 100 * ms, 100 * ms, false, 0},
			{0, 0, 101 * ms, 101 * ms, true, 0},
		}},
		{"movetime does not add up", movetime, []spend{
			{500 * ms, 0, 100 * ms, 0, false, 0},
			{500 * ms, 0, 550 * ms, 50 * ms, false, 0},
			{500 * ms, 0, 551 * ms, 51 * ms, true, 0},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := arbiter.NewClock(test.limits)
			for i, want := range test.moves {
				got := want
				limit, ok := clock.Limit()
				got.limit, got.sent = limit, clock.Sent()
				deadline := clock.Deadline()
				testutil.Check(t, ok && deadline == want.limit+test.limits.Margin, "move %d: deadline %v, limited %t", i+1,
					deadline, ok)
				got.overrun, got.lost = clock.Spend(want.elapsed)
				if got.remaining = clock.Remaining(); got != want {
					t.Errorf("move %d:\n got %+v\nwant %+v", i+1, got, want)
				}
			}
		})
	}
}

// TestClockWithoutLimit: without a clock no move is late, and only the stall limit ends the wait.
func TestClockWithoutLimit(t *testing.T) {
	for _, limits := range []match.Limits{
		{Nodes: 1000, Margin: 100 * ms, Stall: 60 * second},
		{Depth: 3, Stall: 60 * second},
		{Self: true, Stall: 60 * second},
	} {
		clock := arbiter.NewClock(limits)
		limit, ok := clock.Limit()
		testutil.Check(t, !ok && limit == 0, "%v: limit %v, %t", limits, limit, ok)
		testutil.Equal(t, clock.Deadline(), 60*second, "%v: deadline", limits)
		if overrun, lost := clock.Spend(time.Hour); overrun != 0 || lost || clock.Sent() != 0 || clock.Remaining() != 0 {
			t.Errorf("%v: overrun %v, lost %t, %v left", limits, overrun, lost, clock.Remaining())
		}
		testutil.Check(t, !limits.Timed(), "%v: is timed", limits)
	}
}

// TestLawClockBounds: a clock is never negative, and never above the main time and the increments so far. A move is
// lost exactly if it exceeds its limit and margin.
func TestLawClockBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upTo := func(limit int, name string) time.Duration {
			return time.Duration(rapid.IntRange(0, limit).Draw(t, name)) * ms
		}
		c := match.TimeControl{Main: upTo(20_000, "main")}
		if rapid.Bool().Draw(t, "Fischer") {
			c.Increment = upTo(3000, "increment")
		} else {
			c.Byoyomi = upTo(3000, "byoyomi")
		}
		limits := match.Limits{Clock: c, Margin: upTo(200, "margin")}
		if c.IsZero() {
			limits.MoveTime = upTo(1000, "movetime") + ms
		}
		clock := arbiter.NewClock(limits)
		most := c.Main + c.Increment
		for i := range rapid.IntRange(1, 60).Draw(t, "moves") {
			before := clock.Remaining()
			deadline, elapsed := clock.Deadline(), upTo(6000, "elapsed")
			overrun, lost := clock.Spend(elapsed)
			testutil.Require(t, lost == (elapsed > deadline) && overrun == max(0, elapsed-(deadline-limits.Margin)),
				"move %d: %v of %v: overrun %v, lost %t", i+1, elapsed, deadline, overrun, lost)
			most += c.Increment
			left := clock.Remaining()
			testutil.Require(t, left >= 0 && left <= most && left <= before+c.Increment, "move %d: %v left after %v", i+1, left,
				before)
			if sent := clock.Sent(); sent < 0 || sent > clock.Remaining() {
				t.Fatalf("move %d: %v sent of %v", i+1, sent, clock.Remaining())
			}
		}
	})
}
