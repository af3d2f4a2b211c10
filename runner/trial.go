package runner

import (
	"context"
	"fmt"

	"gogi/match"
	"gogi/usi"
)

// startTries is the number of attempts to start a player with some options.
const startTries = 3

// TryOut finds out whether the players of a tune's pair start with the options of the pair. First it starts
// them with the options known, which should work; if a player fails with these options, TryOut returns an
// error. Then it starts them with the pair's own options. If both start, it returns nil. If one or both fail,
// it returns the pair as forfeited by them.
func TryOut(ctx context.Context, open Opener, plan *match.Plan, pair match.Pair,
	known []match.Option) (*match.PairResult, error) {
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
	if ctx.Err() != nil { // a cancelled start does not show that the options are bad
		return nil, context.Cause(ctx)
	}
	if failed == [2]bool{} {
		return nil, nil // the caller plays the pair again
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
	err = player.NewGame(ctx, usi.Game{Pair: usi.NoPair, Options: settings(options)})
	_ = player.Close() // its error says nothing about the start
	return err
}
