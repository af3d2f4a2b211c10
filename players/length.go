package players

import (
	"context"
	"time"

	"gogi/match"
	"gogi/runner"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// TypicalPlies is the assumed length of a game in estimates. Games between engines mostly have 100 to 140
// plies.
const TypicalPlies = 120

// Searched has the sums over a player's timed searches, and the vote records of a council.
type Searched struct {
	match.Side

	Votes [][]byte
}

// GameLength estimates the duration of one game of the plan's first two players. It uses the clocks. For a player
// without a clock it times a few searches, and searched has the sums over them; otherwise searched has the zero value.
func (o *Opener) GameLength(ctx context.Context) (total time.Duration, searched [2]Searched, err error) {
	for i := range o.Plan.Players[:2] {
		perGame, err := o.sideLength(ctx, i, &searched[i])
		if err != nil {
			return 0, searched, err
		}
		total += perGame
	}
	return total, searched, nil
}

// sideLength estimates the time that one side uses in a game. It assumes that engines use most of a Fischer
// clock and all of a byoyomi. It adds searches that it times to searched.
func (o *Opener) sideLength(ctx context.Context, player int, searched *Searched) (time.Duration, error) {
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
	if err := o.timeSearches(ctx, player, searched); err != nil {
		return 0, err
	}
	return moves * searched.Time / time.Duration(searched.Plies), nil
}

// timeSearches adds three searches under the plan's limits to searched.
func (o *Opener) timeSearches(ctx context.Context, player int, searched *Searched) error {
	p := o.Plan.Players[player]
	engine, err := o.Open(ctx, p, nil)
	if err != nil {
		return err
	}
	defer engine.Close() //nolint:errcheck // the engine is only timed; nothing is stored
	if err := engine.NewGame(ctx, usi.Game{}); err != nil {
		return err
	}
	for n := range 3 {
		opening := o.Plan.Pair(n * o.Plan.Pairings()).Opening
		r, err := engine.Think(ctx, usi.Request{
			Position: usi.Position{Start: opening.USIStart(), Moves: opening.Moves},
			Go:       runner.GoFor(p.Limits),
			Deadline: p.Limits.Stall,
		})
		if err != nil {
			return err
		}
		searched.Add(kifu.Move{Nodes: r.Nodes, Depth: r.Best().Depth, Time: r.Elapsed}, 0)
		if len(r.Detail) > 0 {
			searched.Votes = append(searched.Votes, r.Detail)
		}
	}
	return nil
}
