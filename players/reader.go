package players

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// A reader is an engine that plays from a book. It searches for each move in the book first. The engine sees
// a move from the book only as part of the next position.
type reader struct {
	*usi.Engine

	name string
	draw func(*shogi.Position, *rand.Rand) shogi.Move
	seat bool   // the engine is a member of a council; the council then records itself that a move came from the book
	seed uint64 // seed of the game
	line usi.Line
}

// NewGame prepares the engine and stores the game's seed.
func (r *reader) NewGame(ctx context.Context, g usi.Game) error {
	r.seed, r.line = g.Seed, usi.Line{}
	return r.Engine.NewGame(ctx, g)
}

// Think returns a move of the book, selected by the game's seed and the number of moves. If the book has no
// move, it returns the engine's reply.
func (r *reader) Think(ctx context.Context, q usi.Request) (usi.Reply, error) {
	began := time.Now()
	if err := r.line.Follow(q.Position); err != nil {
		return usi.Reply{}, fmt.Errorf("engine %s: its book: %w", r.name, err)
	}
	random := rand.New(rand.NewPCG(r.seed, uint64(len(r.line.Moves)))) //nolint:gosec // must be repeatable, not secure
	m := r.draw(&r.line.Position, random)
	if m == shogi.NoMove {
		return r.Engine.Think(ctx, q)
	}
	if err := r.Rest(ctx, q.Deadline); err != nil { // the engine may still be pondering
		return usi.Reply{}, err
	}
	reply := usi.Reply{Answer: usi.AnswerMove, Move: m, Text: m.String(), Elapsed: time.Since(began)}
	if !r.seat {
		reply.Detail, reply.Vote = kifu.BookDetail(), &usi.Vote{By: kifu.ByBook}
	}
	return reply, nil
}
