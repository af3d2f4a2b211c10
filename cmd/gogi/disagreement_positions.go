package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/sparring"
	"gogi/usi"
)

const (
	// walkPlies is the most that an opening is played on.
	walkPlies = 60
	// walkNodes and walkNoise make the walk quick, sensible and varied.
	walkNodes = 60
	walkNoise = 60
	// walkTries is how often a position that is known already, or has nothing to
	// choose, is replaced, for each position that is wanted.
	walkTries = 20
)

// positions chooses what the members are asked. Both sources are functions of
// the seed alone: no two positions are the same, and each has at least two legal
// moves.
//
// Without a database they are the file's openings (in turn, each its own number
// of plies up to walkPlies further on), continued by the built-in engine at few
// nodes with noise on its evaluation. With one they are drawn from the moves of
// the run's games, which openings had made already left out.
func (c *disagreementCommand) positions(ctx context.Context, plan *match.Plan) ([]usi.Position, string, error) {
	chosen := &chosenPositions{seen: map[string]bool{}}
	source := strconv.Itoa(len(plan.Openings)) + " openings played on"
	var err error
	if c.DB != "" {
		source, err = chosen.fromRun(ctx, c, plan.Seed)
	} else {
		err = chosen.fromOpenings(ctx, plan, c.Positions)
	}
	if err == nil && len(chosen.list) < c.Positions {
		err = fmt.Errorf("only %d different positions with a choice were found in %s: expected fewer --positions, or more to take them from", len(chosen.list), source)
	}
	return chosen.list, source, err
}

type chosenPositions struct {
	list []usi.Position
	seen map[string]bool
}

// add keeps a position unless it is known or there is nothing to choose.
func (c *chosenPositions) add(p usi.Position) error {
	h, err := p.History()
	if err != nil {
		return err
	}
	key := positionsKey(h.Position())
	if c.seen[key] || len(h.Position().LegalMoves(nil)) < 2 {
		return nil
	}
	c.seen[key] = true
	c.list = append(c.list, p)
	return nil
}

func (c *chosenPositions) fromOpenings(ctx context.Context, plan *match.Plan, wanted int) error {
	for i := 0; len(c.list) < wanted && i < wanted*walkTries; i++ {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		o := plan.Openings[i%len(plan.Openings)]
		p, err := walk(ctx, usi.Position{Start: o.USIStart(), Moves: append([]shogi.Move(nil), o.Moves...)}, plan.Seed, i)
		if err == nil {
			err = c.add(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// walk plays on from a position; where the game ends it stops before that.
func walk(ctx context.Context, p usi.Position, seed uint64, number int) (usi.Position, error) {
	random := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // to be repeated, not to be secret
	engine := sparring.New()
	for _, s := range []usi.Setting{
		{Name: "USI_Hash", Value: "1"},
		{Name: "Seed", Value: strconv.Itoa(int(random.Int32()))},
		{Name: "EvalNoise", Value: strconv.Itoa(walkNoise)},
	} {
		if err := engine.SetOption(s); err != nil {
			return p, err
		}
	}
	if err := errors.Join(engine.Ready(ctx), engine.NewGame(ctx, usi.Game{})); err != nil {
		return p, err
	}
	for range random.IntN(walkPlies + 1) {
		reply, err := engine.Think(ctx, usi.Request{Position: p, Go: usi.Go{Nodes: walkNodes}})
		if err != nil {
			return p, err
		}
		if reply.Answer != usi.AnswerMove {
			break
		}
		next := usi.Position{Start: p.Start, Moves: append(p.Moves, reply.Move)}
		h, err := next.History()
		if err != nil {
			return p, err
		}
		if !h.Position().HasLegalMove() {
			break
		}
		p = next
	}
	return p, nil
}

// fromRun draws from the games of a run: a game, then one of its moves.
func (c *chosenPositions) fromRun(ctx context.Context, command *disagreementCommand, seed uint64) (source string, err error) {
	from := stored{Name: command.RunName, DB: command.DB}
	err = from.with(ctx, func(store *results.Store, info *results.RunInfo) error {
		source = "run " + info.Name
		var games []match.Row
		err := store.Games(ctx, info.ID, func(g match.Row) error {
			if g.Plies > g.OpeningPlies {
				games = append(games, g)
			}
			return nil
		})
		if err != nil || len(games) == 0 {
			return err
		}
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // to be repeated, not to be secret
		for i := 0; len(c.list) < command.Positions && i < command.Positions*walkTries; i++ {
			g := games[random.IntN(len(games))]
			if err := c.fromGame(ctx, store, info.ID, g, random.IntN(g.Plies-g.OpeningPlies)); err != nil {
				return err
			}
		}
		return nil
	})
	return source, err
}

// fromGame adds the position before the move that is so many plies behind the
// opening.
func (c *chosenPositions) fromGame(ctx context.Context, store *results.Store, run int64, g match.Row, ply int) error {
	record, err := store.Record(ctx, run, g.Pair, g.Leg)
	if err != nil {
		return err
	}
	start := match.Opening{Start: cmp.Or(strings.TrimPrefix(record.Start, "sfen "), "startpos")}
	p := usi.Position{Start: start.USIStart()}
	for _, m := range record.Moves[:min(g.OpeningPlies+ply, len(record.Moves))] {
		p.Moves = append(p.Moves, m.Move)
	}
	return c.add(p)
}
