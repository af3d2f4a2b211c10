package runner

import (
	"context"
	"fmt"

	"gogi/match"
	"gogi/usi"
)

// startTries is how often options are tried until they are said not to start.
const startTries = 3

// TryOut finds out why a pair of a tune could not be played: whether its players start
// with the options that are its own. Where both start with the options of known, and one
// or both do not with the pair's, that forfeits, and the pair is the answer. It is nil where
// all of them start. The error says that a player does not start with the options of known.
func TryOut(ctx context.Context, open Opener, plan *match.Plan, pair match.Pair, known []match.Option) (*match.PairResult, error) {
	for player := range 2 {
		if err := starts(ctx, open, plan.Players[pair.Players[player]], known); err != nil {
			return nil, err
		}
	}
	var failed [2]bool
	note := ""
	for player := range failed {
		if err := starts(ctx, open, plan.Players[pair.Players[player]], pair.Options[player]); err != nil {
			failed[player] = true
			note = err.Error()
		}
	}
	if ctx.Err() != nil { // which says nothing of the points
		return nil, context.Cause(ctx)
	}
	if failed == [2]bool{} {
		return nil, nil //nolint:nilnil // it is to be played again
	}
	r := match.Forfeited(plan, pair, failed, note, 0)
	return &r, nil
}

func starts(ctx context.Context, open Opener, p match.Player, options []match.Option) (err error) {
	for range startTries {
		if err = startOnce(ctx, open, p, options); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func startOnce(ctx context.Context, open Opener, p match.Player, options []match.Option) error {
	player, err := open(ctx, p, nil)
	if err != nil {
		return fmt.Errorf("player %s: %w", p.Name, err)
	}
	game := usi.Game{Pair: usi.NoPair}
	for _, o := range options {
		game.Options = append(game.Options, usi.Setting(o))
	}
	err = player.NewGame(ctx, game)
	_ = player.Close() // that it ends badly is not what is asked
	return err
}
