package players

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/configs/advice"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
)

// These constants are the number of games of the probe and their length. fairy-stockfish does not reset itself
// completely between games; about one game in three shows this.
const (
	probeGames = 4
	probePlies = 24
)

// Deterministic checks that a second run of the plan would have the same moves. It plays the first moves of a
// few games twice. If a player does not reset itself between games, Deterministic returns a plan that starts
// a new process of this player for each game, and a warning. greetings has the engines' answers to usi, in
// the order of plan.Engines. Deterministic returns an error if the games cannot have the same moves.
func (o *Opener) Deterministic(ctx context.Context, greetings []usi.Greeting) (*match.Plan, []advice.Warning, error) {
	for _, p := range o.Plan.Players {
		if err := repeatable(p); err != nil {
			return nil, nil, fail.Usage(fmt.Errorf("--deterministic: %w", err))
		}
	}
	if err := singleThreaded(o.Plan, greetings); err != nil {
		return nil, nil, fail.Usage(fmt.Errorf("--deterministic: %w", err))
	}
	plan := *o.Plan
	plan.Players = slices.Clone(plan.Players)
	var notes []advice.Warning
	for i := range plan.Players {
		p := &plan.Players[i]
		resets, err := o.probe(ctx, *p)
		if err != nil {
			return nil, nil, fmt.Errorf("--deterministic: %w", err)
		}
		if !resets && p.Restart != match.RestartGame {
			p.Restart = match.RestartGame
			notes = append(notes, warning("%s does not reset itself between games; it gets a fresh process for each", p.Name))
		}
	}
	return &plan, notes, nil
}

// repeatable returns an error unless the player, and every member of a council, searches to fixed nodes, a fixed
// depth or its own end, without a time limit.
func repeatable(p match.Player) error {
	if p.Limits.Timed() || (p.Limits.Nodes == 0 && p.Limits.Depth == 0 && !p.Limits.Self) {
		return fmt.Errorf("engine %s plays by %s; expected fixed nodes or depth", p.Name, p.Limits)
	}
	if p.Council == nil {
		return nil
	}
	for i, m := range p.Council.Members {
		if !p.Council.Own[i] {
			m.Limits = p.Limits
		}
		if err := repeatable(m); err != nil {
			return err
		}
	}
	return nil
}

// probe plays the first moves of a few self-play games, each in a fresh process and all in one process. It
// compares every move and node count. resets reports whether one process plays like fresh ones. If two fresh
// processes differ, probe returns an error.
func (o *Opener) probe(ctx context.Context, p match.Player) (resets bool, err error) {
	var fresh []string
	for n := range probeGames {
		trace, err := o.traces(ctx, p, n)
		if err != nil {
			return false, err
		}
		fresh = append(fresh, trace...)
	}
	again, err := o.traces(ctx, p, 0)
	if err != nil {
		return false, err
	}
	if again[0] != fresh[0] {
		return false, fmt.Errorf("engine %s is not deterministic: two fresh processes played %s and %s", p.Name, fresh[0],
			again[0])
	}
	all := make([]int, 0, 2*probeGames)
	for range 2 {
		for n := range probeGames {
			all = append(all, n)
		}
	}
	reused, err := o.traces(ctx, p, all...)
	if err != nil {
		return false, err
	}
	return slices.Equal(reused, slices.Concat(fresh, fresh)), nil
}

// traces plays probePlies moves from some openings of the plan, all in one process. rounds lists the openings,
// counted from 0. The result has the moves and node counts from each opening as text.
func (o *Opener) traces(ctx context.Context, p match.Player, rounds ...int) (traces []string, err error) {
	engine, err := o.Open(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	for _, n := range rounds {
		pair := o.Plan.Pair(n * o.Plan.Pairings())
		if err := engine.NewGame(ctx, usi.Game{Seed: pair.Seed}); err != nil {
			return nil, err
		}
		position := usi.Position{Start: pair.Opening.USIStart(), Moves: slices.Clone(pair.Opening.Moves)}
		var b strings.Builder
		for range probePlies {
			r, err := engine.Think(ctx, usi.Request{
				Position: position, Deadline: p.Limits.Stall,
				Go: runner.GoFor(p.Limits),
			})
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "%s/%d ", r.Text, r.Nodes)
			if r.Answer != usi.AnswerMove {
				break
			}
			position.Moves = append(position.Moves, r.Move)
		}
		traces = append(traces, b.String())
	}
	return traces, nil
}
