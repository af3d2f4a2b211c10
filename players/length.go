package players

import (
	"context"
	"time"

	"gogi/runner"
	"gogi/usi"
)

// TypicalPlies is the assumed length of a game in estimates. Games between engines mostly have 100 to 140
// plies.
const TypicalPlies = 120

// GameLength estimates the duration of one game. It uses the clocks, or times a few searches if the plan has
// no clock.
func (o *Opener) GameLength(ctx context.Context) (time.Duration, error) {
	var total time.Duration
	for i := range o.Plan.Players[:2] {
		perGame, err := o.sideLength(ctx, i)
		if err != nil {
			return 0, err
		}
		total += perGame
	}
	return total, nil
}

// sideLength estimates the time that one side uses in a game. It assumes that engines use most of a Fischer
// clock and all of a byoyomi.
func (o *Opener) sideLength(ctx context.Context, player int) (time.Duration, error) {
	l := o.Plan.LimitsOf(player, 0)
	const moves = TypicalPlies / 2
	switch {
	case l.Clock.Byoyomi > 0:
		return l.Clock.Main + moves*l.Clock.Byoyomi, nil
	case !l.Clock.IsZero():
		return l.Clock.Main*8/10 + moves*l.Clock.Increment, nil
	case l.MoveTime > 0:
		return moves * l.MoveTime, nil
	}
	perMove, err := o.timeSearches(ctx, player)
	return moves * perMove, err
}

// timeSearches returns the mean time of three searches under the plan's limits.
func (o *Opener) timeSearches(ctx context.Context, player int) (time.Duration, error) {
	p := o.Plan.Players[player]
	engine, err := o.Open(ctx, p, nil)
	if err != nil {
		return 0, err
	}
	defer engine.Close() //nolint:errcheck // the engine is only timed; nothing is stored
	if err := engine.NewGame(ctx, usi.Game{}); err != nil {
		return 0, err
	}
	const searches = 3
	var total time.Duration
	for n := range searches {
		opening := o.Plan.Pair(n * o.Plan.Pairings()).Opening
		r, err := engine.Think(ctx, usi.Request{
			Position: usi.Position{Start: opening.USIStart(), Moves: opening.Moves},
			Go:       runner.GoFor(p.Limits),
			Deadline: p.Limits.Stall,
		})
		if err != nil {
			return 0, err
		}
		total += r.Elapsed
	}
	return total / searches, nil
}
