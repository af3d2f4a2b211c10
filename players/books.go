package players

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/book"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// books caches the books of players and reads each file once. Its methods are safe for concurrent use.
type books struct {
	mu   sync.Mutex
	read map[string]*book.Book // by path
}

// drawer returns a function that selects random moves from a player's book. The book is the file in files with the
// role BookRole; without it, the function is nil. drawer returns an error if the hash of the book differs from the
// hash in the plan.
func (s *books) drawer(files []match.FileHash) (func(*shogi.Position, *rand.Rand) shogi.Move, error) {
	i := slices.IndexFunc(files, func(f match.FileHash) bool { return f.Role == match.BookRole })
	if i < 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := files[i]
	b := s.read[f.Path]
	if b != nil {
		return b.Choose, nil
	}
	if f.SHA256 != "" {
		if err := same(match.Identity{}, f); err != nil {
			return nil, err
		}
	}
	b, err := book.Open(f.Path, "")
	if err != nil {
		return nil, err
	}
	start := shogi.StartPos()
	b.Find(&start) // builds the index before several games use the book
	if s.read == nil {
		s.read = map[string]*book.Book{}
	}
	s.read[f.Path] = b
	return b.Choose, nil
}

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
	random := rand.New(rand.NewPCG(r.seed, uint64(len(r.line.Moves))))
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
