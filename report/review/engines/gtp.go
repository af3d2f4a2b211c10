package engines

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gogi/report/review"
	"gogi/report/review/goban"
	"gogi/report/review/gtp"
	"gogi/usi/process"
)

// A GTP is an engine for the game of Go that evaluates positions for a review. The engine's command line sets
// the depth of the search.
type GTP struct {
	engine *gtp.Engine
	game   *review.Game
	played int // number of the game's moves sent to the engine
}

// OpenGTP starts an engine; timeout is the longest time for each answer. The engine must have the command
// "estimate_score", which is an extension of GNU Go. GTP itself has no command to score a position.
func OpenGTP(ctx context.Context, command []string, guard *process.Guard, timeout time.Duration) (*GTP, error) {
	p, err := process.Start(process.Spec{Command: command}, guard)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", review.ErrStart, err)
	}
	engine, err := gtp.Greet(ctx, command[0], p, timeout)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", review.ErrStart, err)
	}
	if !engine.Knows("estimate_score") {
		return nil, errors.Join(fmt.Errorf("%w: %s has no command estimate_score, and a review needs a position's value", review.ErrStart, command[0]), engine.Close())
	}
	return &GTP{engine: engine}, nil
}

// Name returns the engine's name and version.
func (e *GTP) Name(ctx context.Context) (string, error) {
	name, err := e.engine.Command(ctx, "name")
	if err != nil {
		return "", err
	}
	v, err := e.engine.Command(ctx, "version")
	return name + " " + v, err
}

// Begin sets up the start position of a game. If the engine has commands for it, Begin sets a fixed random
// seed and clears the engine's cache, so that readings do not depend on the previous game.
func (e *GTP) Begin(ctx context.Context, g *review.Game) error {
	e.game, e.played = g, 0
	komi, stones, err := startOf(g.Start)
	if err != nil {
		return err
	}
	if err := e.engine.Clear(ctx, komi); err != nil {
		return err
	}
	for _, command := range []string{"set_random_seed", "clear_cache"} {
		if !e.engine.Knows(command) {
			continue
		}
		words := []string{command}
		if command == "set_random_seed" {
			words = append(words, "1")
		}
		if _, err := e.engine.Command(ctx, words...); err != nil {
			return err
		}
	}
	for _, m := range stones {
		if err := e.engine.Play(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// startOf reads a start position such as "komi 6.5 B D4 B Q16": the komi and the setup stones.
func startOf(text string) (komi float64, stones []goban.Move, err error) {
	words := strings.Fields(text)
	if len(words) < 2 || len(words)%2 != 0 || words[0] != "komi" {
		return 0, nil, fmt.Errorf("start %.40q: expected komi, a number and stones such as B D4", text)
	}
	if komi, err = strconv.ParseFloat(words[1], 64); err != nil {
		return 0, nil, fmt.Errorf("start %.40q: %w", text, err)
	}
	for i := 2; i < len(words); i += 2 {
		p, err := goban.ParsePoint(words[i+1])
		if err != nil {
			return 0, nil, err
		}
		stones = append(stones, goban.Move{Colour: colourOf(words[i]), Point: p})
	}
	return komi, stones, nil
}

func colourOf(side string) goban.Colour {
	switch side {
	case review.Black:
		return goban.Black
	case review.White:
		return goban.White
	}
	return goban.Empty
}

// Ask returns the engine's value and best move for the position after ply moves.
func (e *GTP) Ask(ctx context.Context, g *review.Game, ply int) (review.Reading, error) {
	for ; e.played < ply; e.played++ {
		p, err := goban.ParsePoint(g.Moves[e.played])
		if err == nil {
			err = e.engine.Play(ctx, goban.Move{Colour: colourOf(g.Sides[e.played : e.played+1]), Point: p})
		}
		if err != nil {
			return review.Reading{}, err
		}
	}
	side := toMove(g, ply)
	best, resigns, err := e.engine.Best(ctx, side)
	if err != nil {
		return review.Reading{}, err
	}
	black, err := e.engine.Score(ctx)
	if err != nil {
		return review.Reading{}, err
	}
	r := review.Reading{Best: best.String(), Value: black}
	if side == goban.White {
		r.Value = -black
	}
	if resigns {
		r.Best = "resign"
	}
	return r, nil
}

// toMove returns the side to move after ply moves. After the last move this is the opponent of the side that
// made the last move.
func toMove(g *review.Game, ply int) goban.Colour {
	switch {
	case ply < len(g.Sides):
		return colourOf(g.Sides[ply : ply+1])
	case ply > 0:
		return colourOf(g.Sides[ply-1 : ply]).Other()
	}
	return goban.Black
}

// Close ends the engine process.
func (e *GTP) Close() error { return e.engine.Close() }
