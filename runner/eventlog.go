package runner

import (
	"sync"
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// eventLog is what there is to tell of the game in a slot, and how much of that was told:
// moves are only noted while nobody listens. Noting one makes nothing.
type eventLog struct {
	mu    sync.Mutex // between the slot and whoever begins to listen
	game  *game      // nil: none is played. Of it, only what a game does not change is read
	moves []shogi.Move
	told  int // how many of them
	last  [2]said
	left  [2]time.Duration // on the clocks
}

// said is what came with a player's last move.
type said struct {
	ply  int // 0: there was none
	move kifu.Move
	hit  bool
}

// taleOf is the tale of a slot's game.
func (e *Events) taleOf(slot int) *eventLog {
	if t, ok := e.games.Load(slot); ok {
		return t.(*eventLog) //nolint:forcetypeassert // nothing else is stored
	}
	t, _ := e.games.LoadOrStore(slot, new(eventLog))
	return t.(*eventLog) //nolint:forcetypeassert // as above
}

// begin is a game's beginning, which was told.
func (t *eventLog) begin(g *game) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.game, t.last = g, [2]said{}
	t.moves = append(t.moves[:0], g.Opening.Moves...)
	t.told = len(t.moves)
	for c := range t.left {
		t.left[c] = g.clocks[c].Remaining()
	}
}

// end is that nothing of the game is told any more.
func (t *eventLog) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.game, t.moves, t.told = nil, t.moves[:0], 0
}

// add notes a move, with t.mu held.
func (t *eventLog) add(c shogi.Colour, m *kifu.Move, hit bool, left time.Duration) {
	t.moves = append(t.moves, m.Move)
	t.last[c], t.left[c] = said{len(t.moves), *m, hit}, left
}

// Listen says whether somebody listens to moves from now on. When somebody begins to, it
// tells of each game that is played what was not told, and returns the number of the last
// event of this process.
func (e *Events) Listen(on bool) (last uint64) {
	e.heard.Store(on && e.moves)
	if !on {
		return 0
	}
	e.games.Range(func(_, one any) bool {
		t := one.(*eventLog) //nolint:forcetypeassert // as in taleOf
		t.mu.Lock()
		defer t.mu.Unlock()
		e.tell(t)
		return true
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seq[""]
}

// tell sends a game as far as it is played, with t.mu held, where not all was told.
func (e *Events) tell(t *eventLog) {
	if t.game == nil || t.told == len(t.moves) {
		return
	}
	g := t.game
	ev := about(match.EventBoard, g.Pair, g.Leg, g.slot.number)
	ev.Board = t.board()
	e.Send(ev)
	t.told = len(t.moves)
}

// board is the game as far as it is played.
func (t *eventLog) board() *match.Board {
	g := t.game
	names := g.names()
	b := &match.Board{
		Pair: g.Pair, Leg: g.Leg, Black: names[0], White: names[1], Opening: g.Opening.ID,
		Plies: len(g.Opening.Moves), Start: g.result.Record.Start, Moves: movesText(t.moves), Ply: len(t.moves),
	}
	if p, err := shogi.ParseSFEN(b.Start); err == nil {
		for _, m := range t.moves { // that the referee has accepted
			p.Apply(m)
		}
		b.Position = p.SFEN()
	}
	clocks := make([]*float64, 2)
	for c, l := range g.limits {
		b.Limits = append(b.Limits, l.String())
		b.Thoughts[c] = t.last[c].thought()
		if !l.Clock.IsZero() {
			clocks[c], b.Clocks = milliseconds(t.left[c]), clocks
		}
	}
	return b
}

// thought is what came with a move, as its event would say it; nil without a move.
func (s said) thought() *match.Thought {
	if s.ply == 0 {
		return nil
	}
	m := s.move
	t := &match.Thought{
		Ply: s.ply, Move: m.Move.String(), Depth: m.Depth, Nodes: m.Nodes, PV: shownPV(m.PV), Hit: s.hit, TimeMS: milliseconds(m.Time),
	}
	if m.HasScore {
		t.Score = &m.Score
	}
	return t
}

// shownPV is what a move event has of a principal variation.
func shownPV(pv []shogi.Move) string { return movesText(pv[:min(match.ShownPV, len(pv))]) }
