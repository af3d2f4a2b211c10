package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gogi/farm/replay"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
	"gogi/results"
	"gogi/results/evidence"
)

// checkReuse returns an error if --reuse does not fit the plan. It needs no engines.
func (c *matchCommand) checkReuse(plan *match.Plan) error {
	if c.reuse.Checks == 0 {
		return nil
	}
	why := ""
	switch {
	case !plan.Gate.IsZero():
		why = "stored games may have raised the question of the SPRT, so an SPRT plays new games; leave out --reuse or the SPRT"
	case plan.Design.Kind.ByResults():
		why = fmt.Sprintf("the pairings of design %s depend on results; use match, round_robin or gauntlet", plan.Design.Kind)
	case plan.Ponder != "" && plan.Ponder != match.PonderOff:
		why = "pondering engines do not repeat their games; use --ponder off"
	case plan.Mate.Solver != nil:
		why = "gogi cannot prove that the mate solver repeats its answers; leave out --mate"
	}
	if why != "" {
		return errors.New("--reuse: " + why)
	}
	for _, p := range plan.Players {
		if err := players.Repeats(p); err != nil {
			return fmt.Errorf("--reuse: engine %s %w; leave out --reuse", p.Name, err)
		}
	}
	return nil
}

// takeKnown stores the pairs of the plan that earlier runs have. It first replays a sample of them. If a replayed pair
// differs, gogi plays all pairs of the player whose move differs.
func (c *matchCommand) takeKnown(ctx context.Context, o *players.Opener, run *results.Run) error {
	if c.reuse.Checks == 0 {
		return nil
	}
	stored, err := run.Finished(ctx)
	if err != nil {
		return err
	}
	known, err := evidence.FindKnown(ctx, c.session.Store, o.Plan, stored)
	if err != nil || len(known.Pairs) == 0 {
		return err
	}
	sample := known.Sample(c.reuse.Checks)
	checked, err := replay.Play(ctx, replay.Config{
		Plan: o.Plan, Pairs: sample, Stored: known.Result, Open: o.Open, Concurrency: max(1, o.Plan.Concurrency),
	})
	if err == nil && checked.Played < len(sample) {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	dropped := map[int]bool{}
	for _, d := range checked.Different {
		if err := c.dropKnown(ctx, o.Plan, known, d, dropped); err != nil {
			return err
		}
	}
	for _, id := range known.Pairs {
		pair, err := known.Result(ctx, id)
		if err == nil {
			_, err = run.AddReused(ctx, pair, known.Sources(id))
		}
		if err != nil {
			return err
		}
	}
	if len(known.Pairs) == 0 {
		return nil
	}
	c.session.Note(i18n.Of("%s taken from earlier runs; %d replayed as a check", i18n.Number{N: len(known.Pairs), Noun: "pair"}, checked.Played))
	return nil
}

// dropKnown drops the known pairs of the player to move at the first difference, and prints it. If the stored game
// ended before that move, gogi cannot find the player and drops the pairs of both. dropped has the players of earlier calls.
func (c *matchCommand) dropKnown(ctx context.Context, plan *match.Plan, known *evidence.Known, d replay.Difference, dropped map[int]bool) error {
	was, err := known.Result(ctx, d.Pair)
	if err != nil {
		return err
	}
	start, err := was.Pair.Opening.Position()
	if err != nil {
		return err
	}
	mover := start.Side()
	if d.Ply%2 == 0 {
		mover = mover.Opponent()
	}
	game := &was.Games[d.Leg]
	wrong := []int{game.Players[mover]}
	if d.Ply > len(game.Record.Moves) {
		wrong = slices.Clone(game.Players[:])
	}
	for _, player := range wrong {
		if dropped[player] {
			continue
		}
		dropped[player] = true
		known.Drop(player)
		c.session.Env.Warn(i18n.Of("%s does not repeat its stored games: pair %d, game %d differs from ply %d on (%s). gogi plays all its pairs",
			plan.Players[player].Name, d.Pair, d.Leg+1, d.Ply, d.What))
	}
	return nil
}
