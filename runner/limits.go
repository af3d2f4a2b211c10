package runner

import (
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// GoFor returns the go command for the limits l, without clocks and pondering. gogi uses it for moves of
// games, searches of council members, and searches outside games.
func GoFor(l match.Limits) usi.Go {
	return usi.Go{MoveTime: l.MoveTime, Nodes: l.Nodes, Depth: l.Depth, Infinite: l.Self}
}

// GoOnClock returns GoFor(l) with the clocks of both sides, if l has a clock. left is the remaining time and
// increments the increment per move, both by colour. A clock without increment always sends byoyomi, even 0,
// because some engines expect the word.
func GoOnClock(l match.Limits, left, increments [2]time.Duration) usi.Go {
	args := GoFor(l)
	if l.Clock.IsZero() {
		return args
	}
	args.Clock = true
	args.BTime, args.WTime = left[shogi.Black], left[shogi.White]
	if l.Clock.Increment > 0 {
		args.UseInc = true
		args.BInc, args.WInc = increments[shogi.Black], increments[shogi.White]
		return args
	}
	args.UseByoyomi, args.Byoyomi = true, l.Clock.Byoyomi
	return args
}
