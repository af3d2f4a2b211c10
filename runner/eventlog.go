package runner

import (
	"sync"
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// An eventLog holds the game in a slot and the number of moves that were sent as events. While no subscriber
// wants moves, add stores the moves here without an allocation.
type eventLog struct {
	mu    sync.Mutex // held by the slot, and by Listen
	game  *game      // nil if the slot plays no game; only its constant fields are read
	moves []shogi.Move
	sent  int // the number of moves that were sent
	last  [2]lastMove
	left  [2]time.Duration // on the clocks
}

// A lastMove is a player's last move with its search data.
type lastMove struct {
	ply  int // 0 before the first move
	move kifu.Move
	hit  bool // the move is the answer to a ponder hit
}

// logOf returns the log of a slot. The first call for a slot creates the log.
func (e *Events) logOf(slot int) *eventLog {
	if t, ok := e.games.Load(slot); ok {
		return t.(*eventLog) // nothing else is stored
	}
	t, _ := e.games.LoadOrStore(slot, new(eventLog))
	return t.(*eventLog)
}

// begin starts the log of a game after the start event of the game.
func (t *eventLog) begin(g *game) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.game, t.last = g, [2]lastMove{}
	t.moves = append(t.moves[:0], g.Opening.Moves...)
	t.sent = len(t.moves)
	for c := range t.left {
		t.left[c] = g.clocks[c].Remaining()
	}
}

// end empties the log, so that no event of the game follows.
func (t *eventLog) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.game, t.moves, t.sent = nil, t.moves[:0], 0
}

// add stores a move. hit means that the move is the answer to a ponder hit. left is the remaining time on the clock.
// The caller holds t.mu.
func (t *eventLog) add(c shogi.Colour, m *kifu.Move, hit bool, left time.Duration) {
	t.moves = append(t.moves, m.Move)
	t.last[c], t.left[c] = lastMove{len(t.moves), *m, hit}, left
}

// Listen turns move events on or off. When it turns them on, it also sends the current position of each game
// whose latest moves were not sent. It returns the sequence number of the last event of this process, or 0
// when it turns them off.
func (e *Events) Listen(on bool) (last uint64) {
	e.listening.Store(on && e.moves)
	if !on {
		return 0
	}
	e.games.Range(func(_, one any) bool {
		t := one.(*eventLog)
		t.mu.Lock()
		defer t.mu.Unlock()
		e.sendBoard(t)
		return true
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seq[""]
}

// sendBoard sends the board of a game if it has moves that were not sent. The caller holds t.mu.
func (e *Events) sendBoard(t *eventLog) {
	if t.game == nil || t.sent == len(t.moves) {
		return
	}
	g := t.game
	ev := about(match.EventBoard, g.Pair, g.Leg, g.slot.number)
	ev.Board = t.board()
	e.Send(ev)
	t.sent = len(t.moves)
}

// board returns the content of a board event: the current state of the game.
func (t *eventLog) board() *match.Board {
	g := t.game
	b := &match.Board{Pair: g.Pair, Leg: g.Leg, GameHead: g.head(t.left), Ply: len(t.moves)}
	b.Moves = movesText(t.moves)
	if p, err := shogi.ParseSFEN(b.Start); err == nil {
		for _, m := range t.moves { // the referee accepted them, so they are legal
			p.Apply(m)
		}
		b.Position = p.SFEN()
	}
	for c := range t.last {
		b.Thoughts[c] = t.last[c].thought()
	}
	return b
}

// thought returns the player's last move with the data of its search, for a board event. It returns nil before the
// player's first move.
func (s lastMove) thought() *match.Thought {
	if s.ply == 0 {
		return nil
	}
	m := s.move
	t := &match.Thought{
		Ply: s.ply, Move: m.Move.String(), Depth: m.Depth, Nodes: m.Nodes, PV: shownPV(m.PV), Hit: s.hit,
		TimeMS: milliseconds(m.Time),
	}
	t.SetScore(&m.Score, &m)
	return t
}

// shownPV returns the moves of a principal variation that a move event shows, at most match.ShownPV moves.
func shownPV(pv []shogi.Move) string { return movesText(pv[:min(match.ShownPV, len(pv))]) }
