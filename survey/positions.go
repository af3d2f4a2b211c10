package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gogi/kifu"
	"gogi/match"
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

// Both sources of positions are functions of the seed alone: no two positions are the
// same, and each has at least two legal moves.

// FromOpenings are the plan's openings (in turn, each its own number of plies up
// to walkPlies further on), continued by the built-in engine at few nodes with noise on
// its evaluation. source names them.
func FromOpenings(ctx context.Context, plan *match.Plan, wanted int) (list []usi.Position, source string, err error) {
	chosen := &chosenPositions{seen: map[string]bool{}}
	source = strconv.Itoa(len(plan.Openings)) + " openings played on"
	if err := chosen.fromOpenings(ctx, plan, wanted); err != nil {
		return nil, source, err
	}
	list, err = chosen.enough(wanted, source)
	return list, source, err
}

// FromGames are drawn from the moves of games, which openings had made already
// left out; record opens a game.
func FromGames(games []match.Row, seed uint64, wanted int, source string, record func(pair, leg int) (kifu.Record, error)) ([]usi.Position, error) {
	chosen := &chosenPositions{seen: map[string]bool{}}
	if err := chosen.fromGames(games, seed, wanted, record); err != nil {
		return nil, err
	}
	return chosen.enough(wanted, source)
}

// enough are the positions, if they are as many as are wanted.
func (c *chosenPositions) enough(wanted int, source string) ([]usi.Position, error) {
	if len(c.list) < wanted {
		return nil, fmt.Errorf("only %d different positions with a choice were found in %s: expected fewer --positions, or more to take them from", len(c.list), source)
	}
	return c.list, nil
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

// fromGames draws a game, then one of its moves.
func (c *chosenPositions) fromGames(all []match.Row, seed uint64, wanted int, record func(pair, leg int) (kifu.Record, error)) error {
	games := slices.DeleteFunc(slices.Clone(all), func(g match.Row) bool { return g.Plies <= g.OpeningPlies })
	if len(games) == 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // to be repeated, not to be secret
	for i := 0; len(c.list) < wanted && i < wanted*walkTries; i++ {
		g := games[random.IntN(len(games))]
		ply := random.IntN(g.Plies - g.OpeningPlies)
		r, err := record(g.Pair, g.Leg)
		if err != nil {
			return err
		}
		if err := c.fromGame(r, g.OpeningPlies+ply); err != nil {
			return err
		}
	}
	return nil
}

// fromGame adds the position after so many plies.
func (c *chosenPositions) fromGame(record kifu.Record, plies int) error {
	start := match.Opening{Start: cmp.Or(strings.TrimPrefix(record.Start, "sfen "), "startpos")}
	p := usi.Position{Start: start.USIStart()}
	for _, m := range record.Moves[:min(plies, len(record.Moves))] {
		p.Moves = append(p.Moves, m.Move)
	}
	return c.add(p)
}
