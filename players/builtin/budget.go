package builtin

import (
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// A budget is the time for one move; 0 means no limit.
type budget struct {
	soft time.Duration // no new iteration starts after this time
	hard time.Duration // the search ends at this time
	cut  bool          // hard comes from the deadline of the request
}

// allot returns the budget of one move. deadline is the deadline of the request, and overhead is the time
// reserved for the communication.
func allot(g usi.Go, side shogi.Colour, deadline, overhead time.Duration) budget {
	b := budget{hard: thinking(g, side, overhead)}
	b.soft = b.hard / 2
	if deadline > 0 {
		limit := less(deadline, overhead)
		b.cut = b.hard == 0 || limit < b.hard
		b.hard = earlier(b.hard, limit)
	}
	return b
}

// thinking returns the longest time for the search that the go command allows; 0 means no limit. It subtracts the
// overhead.
func thinking(g usi.Go, side shogi.Colour, overhead time.Duration) time.Duration {
	var limit time.Duration
	switch {
	case g.Infinite || g.Ponder:
		return 0
	case g.Mate && g.MateTime > 0:
		limit = less(g.MateTime, overhead)
	case g.MoveTime > 0:
		limit = less(g.MoveTime, overhead)
	}
	if g.HasClock() {
		limit = earlier(limit, clockShare(g, side, overhead))
	}
	return limit
}

// clockShare returns the time for this move: a part of the main time, plus the increment and the byoyomi. A
// USI clock does not include the increment of the current move.
func clockShare(g usi.Go, side shogi.Colour, overhead time.Duration) time.Duration {
	const moves = 12 // in practice half as many: see soft
	rest, added := g.BTime, g.BInc
	if side == shogi.White {
		rest, added = g.WTime, g.WInc
	}
	if g.UseByoyomi {
		added += g.Byoyomi
	}
	return max(min(rest/moves+added, less(rest+added, overhead)), moment)
}

// moment is the time for a search when no time is left.
const moment = time.Microsecond

// less returns d without the overhead. If the overhead is large, it subtracts only a quarter of d.
func less(d, overhead time.Duration) time.Duration {
	return max(d-min(overhead, d/4), moment)
}

// earlier returns the smaller of two limits, where 0 means no limit.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}
