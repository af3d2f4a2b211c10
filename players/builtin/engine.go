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

// Version identifies the engine's play in stored results. Raise it with every change that could change the
// answer or the node count of a search. gogi never adds up results of different versions.
const Version = "1"

// An Engine is the built-in engine. Its methods are not safe for concurrent use.
type Engine struct {
	settings settings
	built    *settings // the settings that the tables were made with; nil: no tables yet
	hash     hashTable
	search   search
	replay   usi.Replay
	now      func() time.Time
	book     *book.Book // nil: no book
	opened   string     // file of the book
}

// New returns an engine with the default options. The first Ready or Think allocates its memory.
func New() *Engine { return &Engine{settings: defaults(), now: time.Now} }

// Name returns the engine's name with its Version.
func (e *Engine) Name() string { return "gogi sparring " + Version }

// Author returns the engine's author.
func (e *Engine) Author() string { return "gogi" }

// Ready allocates the memory and discards the results of all searches. If it cannot read BookFile, it returns
// a *usi.Shortcoming, and the engine plays without a book.
func (e *Engine) Ready(context.Context) error {
	e.build()
	e.hash.newGame()
	return e.openBook()
}

func (e *Engine) openBook() (err error) {
	switch e.settings.book {
	case e.opened:
		return nil
	case "", "<empty>": // GUIs send these values for "no file"
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

// fromBook returns a move of the book. ok is false if the book has no move, or if the request is not for a
// game move.
func (e *Engine) fromBook(p *shogi.Position, r usi.Request) (reply usi.Reply, ok bool) {
	if e.book == nil || len(r.Go.SearchMoves) > 0 || r.Go.Ponder || r.Go.Infinite || r.Go.Mate {
		return usi.Reply{}, false
	}
	random := rand.New(rand.NewPCG(uint64(e.settings.seed), uint64(p.Ply())))
	m := e.book.Choose(p, random)
	if m == shogi.NoMove {
		return usi.Reply{}, false
	}
	if r.OnInfo != nil {
		r.OnInfo(usi.Info{Text: "book " + m.String()})
	}
	return usi.Reply{Answer: usi.AnswerMove, Move: m, Text: m.String()}, true
}

// NewGame discards the results of all searches. It ignores the game's side and seed, and never fails.
func (e *Engine) NewGame(context.Context, usi.Game) error {
	e.hash.newGame()
	return nil
}

func (e *Engine) build() {
	e.hash.resize(e.settings.hash)
	if e.built == nil || e.built.seed != e.settings.seed || e.built.noise != e.settings.noise ||
		e.built.model != e.settings.model || e.built.weights != e.settings.weights {
		e.search.tables = e.settings.tables()
		e.hash.newGame() // scores from other tables are invalid
		built := e.settings
		e.built = &built
	}
}

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

// Think searches the request's position. It resigns only without a legal move, and declares a win whenever
// EnteringKingRule allows it. When ctx ends or the deadline passes, Think returns the best move so far within
// milliseconds and sets Stopped. A go command without a limit is infinite. "go mate" starts a normal search
// here. Think ignores illegal moves in searchmoves, and the whole list if no move is legal. It calls OnInfo
// on the caller's goroutine. It returns an error for an illegal position or move.
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

func (e *Engine) begin(ctx context.Context, r usi.Request, side shogi.Colour, start time.Time) *search {
	s := &e.search
	s.hash, s.seed, s.rule = &e.hash, uint64(e.settings.seed), e.settings.rule
	s.now, s.start, s.done = e.now, start, ctx.Done()
	s.budget = allot(r.Go, side, r.Deadline, e.settings.overhead)
	s.maxNodes = r.Go.Nodes
	e.hash.newSearch(r.Go.Nodes > 0 || r.Go.Depth > 0)
	return s
}
