package builtin

import (
	"context"
	"fmt"

	"gogi/shogi"
	"gogi/shogi/mate"
	"gogi/usi"
)

// positionsPerMegabyte is how many positions a mate search remembers in a megabyte.
const positionsPerMegabyte = 16_000

// Mate looks for a mate by the side to move by checks alone, with a search of its own
// (df-pn), so that the answers "a mate" and "none" are proven by the rules and by the
// game so far: a line that is answered mates whatever the defender does. r.Go.MateTime is
// its limit; 0 means until ctx ends. It remembers as many positions as USI_Hash has room
// for, and MateNodes bounds what it looks into: beyond these it gives up, as with the time.
func (e *Engine) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	start := e.now()
	history, err := e.replay.Follow(r.Position)
	if err != nil {
		return usi.Checkmate{}, fmt.Errorf("sparring: %w", err)
	}
	limit := r.Go.MateTime
	if r.Deadline > 0 && (limit == 0 || r.Deadline < limit) {
		limit = r.Deadline
	}
	stopped := false
	found := mate.Solve(history, mate.Limits{
		Nodes: e.settings.mateNodes, Table: e.settings.hash * positionsPerMegabyte, Try: e.settings.rule == shogi.TryRule,
		Stop: func() bool {
			stopped = ctx.Err() != nil || limit > 0 && e.now().Sub(start) >= limit
			return stopped
		},
	})
	answer := usi.Checkmate{
		Answer: usi.MateTimeout, Nodes: uint64(found.Nodes), Elapsed: e.now().Sub(start), //nolint:gosec // a count
		Stopped: stopped && ctx.Err() != nil,
	}
	switch found.Verdict {
	case mate.Mate:
		answer.Answer, answer.Moves = usi.MateFound, found.Line
	case mate.Escape:
		answer.Answer = usi.MateNone
	case mate.Unproven:
	}
	if r.OnInfo != nil {
		r.OnInfo(usi.Info{Nodes: answer.Nodes, Time: answer.Elapsed})
	}
	return answer, nil
}
