package runner

import (
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// GoFor is what limits say of one search, apart from clocks and pondering: the same
// for a move of a game, a member's own search and any search outside of games.
func GoFor(l match.Limits) usi.Go {
	return usi.Go{MoveTime: l.MoveTime, Nodes: l.Nodes, Depth: l.Depth, Infinite: l.Self}
}

// GoOnClock is GoFor with the clocks of both sides, where l has one: left is each
// side's time, by colour, and increments what each gets for a move. Byoyomi is always said where
// there is a clock without increment: some engines expect the word.
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
