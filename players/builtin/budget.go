package builtin

import (
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// budget is the time for one move; 0 means no limit.
type budget struct {
	soft time.Duration // no new iteration is begun after it
	hard time.Duration // the search ends
	cut  bool          // hard is the deadline of the request
}

// allot shares out the time for one move. deadline is the request's, and
// overhead what is kept for the way to the clock and back.
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

// thinking is the limit that the go command sets.
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
	if g.Clock || g.UseByoyomi || g.UseInc {
		limit = earlier(limit, clockShare(g, side, overhead))
	}
	return limit
}

// clockShare is a part of the main time and all of what is added to it. USI
// clocks come without the increment of the move at hand.
func clockShare(g usi.Go, side shogi.Colour, overhead time.Duration) time.Duration {
	const moves = 12 // half of them in practice: see soft
	rest, added := g.BTime, g.BInc
	if side == shogi.White {
		rest, added = g.WTime, g.WInc
	}
	if g.UseByoyomi {
		added += g.Byoyomi
	}
	return max(min(rest/moves+added, less(rest+added, overhead)), moment)
}

// moment is what a search is allowed when nothing is left.
const moment = time.Microsecond

// less keeps the overhead back, but never more than a quarter.
func less(d, overhead time.Duration) time.Duration {
	return max(d-min(overhead, d/4), moment)
}

// earlier is the smaller limit, where 0 is none.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}
