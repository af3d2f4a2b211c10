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

// reader is an engine that plays from a book: the book is asked first, and the engine hears
// nothing of a move that it has until the position that follows.
type reader struct {
	*usi.Engine

	name string
	draw func(*shogi.Position, *rand.Rand) shogi.Move
	seat bool   // it is a member of a council, whose records tell of its moves
	seed uint64 // of the game
	line usi.Line
}

// NewGame prepares the engine, and the lot by the game's seed.
func (r *reader) NewGame(ctx context.Context, g usi.Game) error {
	r.seed, r.line = g.Seed, usi.Line{}
	return r.Engine.NewGame(ctx, g)
}

// Think answers with a move of the book, drawn by the game's seed and how far the game is,
// else with the engine's.
func (r *reader) Think(ctx context.Context, q usi.Request) (usi.Reply, error) {
	began := time.Now()
	if err := r.line.Follow(q.Position); err != nil {
		return usi.Reply{}, fmt.Errorf("engine %s: its book: %w", r.name, err)
	}
	random := rand.New(rand.NewPCG(r.seed, uint64(len(r.line.Moves)))) //nolint:gosec // to be repeated, not to be secret
	m := r.draw(&r.line.Position, random)
	if m == shogi.NoMove {
		return r.Engine.Think(ctx, q)
	}
	if err := r.Rest(ctx, q.Deadline); err != nil { // it may think on, though the game has gone back into the book
		return usi.Reply{}, err
	}
	reply := usi.Reply{Answer: usi.AnswerMove, Move: m, Text: m.String(), Elapsed: time.Since(began)}
	if !r.seat {
		reply.Detail, reply.Vote = kifu.BookDetail(), &usi.Vote{By: kifu.ByBook}
	}
	return reply, nil
}
