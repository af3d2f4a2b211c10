package builtin

import (
	"context"
	"fmt"

	"gogi/shogi"
	"gogi/shogi/mate"
	"gogi/usi"
)

// positionsPerMegabyte is the number of positions that a mate search stores in one megabyte.
const positionsPerMegabyte = 16_000

// Mate searches for a mate by the side to move that uses only checks (df-pn). The answers "mate" and "no
// mate" are proven by the rules, including repetition of earlier positions of the game. With "mate" it
// returns the proven line with the longest defence. r.Go.MateTime is the time limit; 0 means until ctx ends.
// USI_Hash limits the number of stored positions, and MateNodes the number of searched positions. If a limit
// is reached, the answer is a timeout.
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
		Answer: usi.MateTimeout, Nodes: uint64(found.Nodes), Elapsed: e.now().Sub(start),
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
