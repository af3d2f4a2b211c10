package builtin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gogi/shogi"
	"gogi/shogi/book"
	"gogi/usi"
)

// Version is the engine's identity in results. It must be raised with every
// change after which any search could answer otherwise or count other nodes;
// results of different versions are never added up.
const Version = "1"

// Engine is the engine. Its methods are called by one goroutine at a time.
type Engine struct {
	settings settings
	built    *settings // what the tables were built for; nil: not yet
	hash     hashTable
	search   search
	replay   usi.Replay
	now      func() time.Time
	book     *book.Book // nil: none
	opened   string     // its file
}

// New returns an engine with the default options. Its memory is allocated by
// the first Ready or Think.
func New() *Engine { return &Engine{settings: defaults(), now: time.Now} }

// Name is the engine's name with its Version.
func (e *Engine) Name() string { return "gogi sparring " + Version }

// Author is who wrote it.
func (e *Engine) Author() string { return "gogi" }

// Ready allocates what the options ask for and forgets all searches. If BookFile cannot be
// read, it returns a *usi.Shortcoming, and the engine plays without a book.
func (e *Engine) Ready(context.Context) error {
	e.build()
	e.hash.newGame()
	return e.openBook()
}

// openBook reads the book unless it is open.
func (e *Engine) openBook() (err error) {
	switch e.settings.book {
	case e.opened:
		return nil
	case "", "<empty>": // as GUIs write no file
		e.book, e.opened = nil, e.settings.book
		return nil
	}
	opened, err := book.Open(e.settings.book, "")
	if err != nil {
		e.book, e.opened = nil, "" // the next Ready tries again
		return &usi.Shortcoming{Err: fmt.Errorf("option %s: %w; no book is used", optionBook, err)}
	}
	e.book, e.opened = opened, e.settings.book
	return nil
}

// fromBook is the answer of the book, if it has one and a move to be played is asked for.
func (e *Engine) fromBook(p *shogi.Position, r usi.Request) (usi.Reply, bool) {
	if e.book == nil || len(r.Go.SearchMoves) > 0 || r.Go.Ponder || r.Go.Infinite || r.Go.Mate {
		return usi.Reply{}, false
	}
	random := rand.New(rand.NewPCG(uint64(e.settings.seed), uint64(p.Ply()))) //nolint:gosec // to be repeated, not to be secret
	m := e.book.Choose(p, random)
	if m == shogi.NoMove {
		return usi.Reply{}, false
	}
	if r.OnInfo != nil {
		r.OnInfo(usi.Info{Text: "book " + m.String()})
	}
	return usi.Reply{Answer: usi.AnswerMove, Move: m, Text: m.String()}, true
}

// NewGame forgets all searches. Neither side nor seed of the game matter. It
// never fails.
func (e *Engine) NewGame(context.Context, usi.Game) error {
	e.hash.newGame()
	return nil
}

// build makes the memory fit the options.
func (e *Engine) build() {
	e.hash.resize(e.settings.hash)
	if e.built == nil || e.built.seed != e.settings.seed || e.built.noise != e.settings.noise || e.built.model != e.settings.model || e.built.weights != e.settings.weights {
		e.search.tables = e.settings.tables()
		e.hash.newGame() // other tables, other scores
		built := e.settings
		e.built = &built
	}
}

// tables are the evaluation with the noise that is asked for.
func (s *settings) tables() *tables {
	w := s.weights.of()
	if s.model == noiseByKing {
		t := newTables(w)
		t.byKing = newKingNoise(s.seed, s.noise)
		return t
	}
	w.perturb(s.seed, s.noise)
	return newTables(w)
}

// Think searches the request's position. It resigns only without a legal move,
// and declares a win whenever EnteringKingRule allows it. The end of ctx stops
// it within milliseconds with the best move so far, as does the deadline, and
// sets Stopped. A go command without any limit is infinite, "go mate" a search
// like any other; searchmoves without a legal move are ignored. OnInfo is called
// on the caller's goroutine. The error is about a position or move that is not
// legal.
func (e *Engine) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	start := e.now()
	history, err := e.replay.Follow(r.Position)
	if err != nil {
		return usi.Reply{}, fmt.Errorf("sparring: %w", err)
	}
	e.build()
	s := e.begin(ctx, r, history.Position().Side(), start)
	lines := s.prepare(history, r.Go.SearchMoves)

	var reply usi.Reply
	switch p := history.Position(); {
	case len(lines) == 0:
		reply = usi.Reply{Answer: usi.AnswerResign, Text: "resign"}
	case p.Declaration(s.rule).Win:
		reply = usi.Reply{Answer: usi.AnswerWin, Text: "win"}
	default:
		var drawn bool
		if reply, drawn = e.fromBook(p, r); !drawn {
			reply = s.answer(lines, e.settings.lines, r)
		}
	}
	reply.Nodes, reply.Elapsed = s.nodes, s.elapsed()
	reply.Stopped = s.stopped && (ctx.Err() != nil || s.budget.cut && reply.Elapsed >= s.budget.hard)
	return reply, nil
}

// begin hands the limits of a request to the search.
func (e *Engine) begin(ctx context.Context, r usi.Request, side shogi.Colour, start time.Time) *search {
	s := &e.search
	s.hash, s.seed, s.rule = &e.hash, uint64(e.settings.seed), e.settings.rule
	s.now, s.start, s.done = e.now, start, ctx.Done()
	s.budget = allot(r.Go, side, r.Deadline, e.settings.overhead)
	s.maxNodes = r.Go.Nodes
	e.hash.newSearch(r.Go.Nodes > 0 || r.Go.Depth > 0)
	return s
}
