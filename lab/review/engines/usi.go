// Package engines starts the engines that analyse the games of a review: see [OpenUSI].
package engines

import (
	"context"
	"fmt"

	"gogi/lab/review"
	"gogi/match"
	"gogi/players"
	"gogi/shogi"
	"gogi/usi"
)

// USI is a USI engine that evaluates positions for a review, with a fixed limit such as a number of nodes.
type USI struct {
	player interface {
		NewGame(ctx context.Context, g usi.Game) error
		Think(ctx context.Context, r usi.Request) (usi.Reply, error)
		Close() error
	}
	limits usi.Go
	game   *review.Game
	moves  []shogi.Move
}

// OpenUSI starts an engine: the first player of o.Plan. limits has the search limits for each position.
func OpenUSI(ctx context.Context, o *players.Opener, limits usi.Go) (*USI, error) {
	player, err := o.Open(ctx, o.Plan.Players[0], nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", review.ErrStart, err)
	}
	return &USI{player: player, limits: limits}, nil
}

// Begin prepares the engine for the game g. It sends isready and usinewgame, so that the previous game does
// not change the evaluations.
func (e *USI) Begin(ctx context.Context, g *review.Game) error {
	e.game, e.moves = g, nil
	for i, text := range g.Moves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			return fmt.Errorf("move %d of game %s: %w", i+1, g.ID, err)
		}
		e.moves = append(e.moves, m)
	}
	return e.player.NewGame(ctx, usi.Game{Pair: usi.NoPair})
}

// Ask returns the engine's evaluation and best move for one position of the game. ply is the number of moves
// before the position. If the position has no legal move, Ask returns that the side to move is mated, without
// a search.
func (e *USI) Ask(ctx context.Context, g *review.Game, ply int) (review.Reading, error) {
	position := usi.Position{Start: g.Start, Moves: e.moves[:ply]}
	h, err := position.History()
	if err != nil {
		return review.Reading{}, err
	}
	if !h.Position().HasLegalMove() {
		return review.Reading{Best: "none", Mate: -1}, nil
	}
	deadline := match.DefaultStall
	if e.limits.MoveTime > 0 {
		deadline += e.limits.MoveTime
	}
	reply, err := e.player.Think(ctx, usi.Request{Position: position, Go: e.limits, Deadline: deadline, MaxPV: 1})
	if err != nil {
		return review.Reading{}, err
	}
	if ctx.Err() != nil {
		return review.Reading{}, context.Cause(ctx)
	}
	return reading(h.Position(), &reply)
}

// Close ends the engine process.
func (e *USI) Close() error { return e.player.Close() }

// reading converts an engine's reply to a Reading. A resignation without a score counts as being mated, and a
// declaration as a win. In both cases the reading's Best is not a move.
func reading(p *shogi.Position, reply *usi.Reply) (review.Reading, error) {
	r := review.Reading{}
	switch reply.Answer {
	case usi.AnswerMove:
		if err := p.CheckLegal(reply.Move); err != nil {
			return r, fmt.Errorf("it answered %s in %s: %w", reply.Move, p.SFEN(), err)
		}
		r.Best = reply.Move.String()
	case usi.AnswerResign:
		r.Best, r.Mate = "resign", -1
	case usi.AnswerWin:
		return review.Reading{Best: "win", Mate: 1}, nil
	case usi.AnswerInvalid:
		return r, fmt.Errorf("it answered %q in %s", reply.Text, p.SFEN())
	}
	best := reply.Scored()
	switch {
	case best.HasScore && best.Score.Bound == usi.Exact:
		r.Mate, r.Value = best.Score.Mate, 0
		if best.Score.Mate == 0 {
			r.Value = float64(best.Score.Number())
		}
	case r.Mate == 0:
		return r, fmt.Errorf("it gave no exact score in %s: a review needs one", p.SFEN())
	}
	return r, nil
}
