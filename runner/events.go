package runner

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Events is the stream of all events of a run. All slots send to it, and one consumer reads its channel until
// Close. A nil *Events drops every event at no cost, because each sender checks for nil before it builds an
// event.
type Events struct {
	run       string
	moves     bool
	listening atomic.Bool // a subscriber wants move events

	games sync.Map // *eventLog of the game in a slot, by slot number

	mu          sync.Mutex        // orders Seq, time stamps and sends
	seq         map[string]uint64 // the last sequence number, by worker
	latest      time.Time         // the last time stamp
	dropped     atomic.Uint64
	pushed      uint64 // the number of events put into out
	abandonOnce sync.Once
	abandoned   chan struct{} // closed by Abandon: then no sender waits for the consumer
	// out receives the events of all slots, under mu. Close closes it. Its capacity covers a burst of moves.
	// When it is full, Send drops moves, and every other event waits for the consumer.
	out chan match.Event
}

// NewEvents returns a stream for one run, with or without move events. If moves is true, the stream sends moves until
// Listen turns them off.
func NewEvents(run string, moves bool) *Events {
	e := &Events{run: run, moves: moves, seq: map[string]uint64{}, out: make(chan match.Event, 256),
		abandoned: make(chan struct{})}
	e.listening.Store(moves)
	return e
}

// Stream returns the channel from which the consumer reads all events. Close closes the channel.
func (e *Events) Stream() <-chan match.Event { return e.out }

// Dropped returns the number of move events that Send has dropped because the channel was full. Dropped never
// waits.
func (e *Events) Dropped() uint64 { return e.dropped.Load() }

// Sent returns the number of events that were put into the channel. If a sender waits for the consumer, Sent
// waits, too.
func (e *Events) Sent() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pushed
}

// Abandon makes senders stop waiting for the consumer. It is called when a run is cancelled. Unread events
// may then be lost.
func (e *Events) Abandon() { e.abandonOnce.Do(func() { close(e.abandoned) }) }

// Close ends the stream. No sender may call Send after it.
func (e *Events) Close() { close(e.out) }

// Send sends an event, after it sets the event's sequence number and time stamp. The numbers of each worker
// have no gaps. Time stamps never decrease.
func (e *Events) Send(ev match.Event) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); now.After(e.latest) {
		e.latest = now
	}
	ev.V, ev.Run, ev.Time, ev.Seq = match.EventVersion, e.run, e.latest, e.seq[ev.Worker]+1
	if ev.Type == match.EventDone {
		ev.Dropped = e.Dropped()
	}
	if ev.Type != match.EventMove {
		e.seq[ev.Worker]++
		e.push(ev)
		return
	}
	select {
	case e.out <- ev:
		e.seq[ev.Worker]++
		e.pushed++
	default:
		e.dropped.Add(1)
	}
}

// push sends an event and waits for the consumer. After Abandon it drops the event if the channel is full.
func (e *Events) push(ev match.Event) {
	select {
	case e.out <- ev:
		e.pushed++
		return
	default:
	}
	select {
	case e.out <- ev:
		e.pushed++
	case <-e.abandoned:
	}
}

func (e *Events) pairDone(id int, kind string) {
	if e == nil {
		return
	}
	pair := id // a copy, so that only a call with a non-nil e allocates
	e.Send(match.Event{Type: match.EventPair, Pair: &pair, Kind: kind})
}

func (e *Events) unplayed(pair, slot int, why error) {
	if e == nil {
		return
	}
	where := [2]int{pair, slot}
	ev := match.Event{Type: match.EventFault, Pair: &where[0], Slot: &where[1], Kind: match.KindUnplayed,
		Note: why.Error()}
	if fault, ok := errors.AsType[*usi.Fault](why); ok {
		ev.Bundle = fault.Record
	}
	e.Send(ev)
}

// fault sends a fault event for a problem that decided no game. engine is the name of the player. g is nil if the
// problem belongs to no game.
func (e *Events) fault(engine, kind, note string, g *match.Game, slot int) {
	e.failed(match.Event{Engine: engine, Kind: kind, Note: note}, g, slot)
}

// forfeit sends a fault event for a problem that loses a game. bundle is the name of the crash dump, or "". The end
// event of the game follows.
func (e *Events) forfeit(engine, kind, note, bundle string, g *match.Game, slot int) {
	e.failed(match.Event{Engine: engine, Kind: kind, Note: note, Bundle: bundle, Forfeit: true}, g, slot)
}

func (e *Events) failed(ev match.Event, g *match.Game, slot int) {
	if e == nil {
		return
	}
	number := slot
	ev.Type, ev.Slot = match.EventFault, &number
	if g != nil {
		where := [2]int{g.Pair, g.Leg}
		ev.Pair, ev.Leg = &where[0], &where[1]
	}
	e.Send(ev)
}

// about returns an event of type t about a game: the leg of a pair, in a slot.
func about(t match.EventType, pair, leg, slot int) match.Event {
	where := [3]int{pair, leg, slot}
	return match.Event{Type: t, Pair: &where[0], Leg: &where[1], Slot: &where[2]}
}

// seating sends an event when a slot begins to prepare the players of a game.
func (e *Events) seating(plan *match.Plan, g match.Game, slot int) {
	if e == nil {
		return
	}
	ev := about(match.EventSeat, g.Pair, g.Leg, slot)
	ev.Black, ev.White = plan.Players[g.Players[0]].Name, plan.Players[g.Players[1]].Name
	e.Send(ev)
}

// cut sends an event when the preparation of a game, or the game itself, has ended without a result.
func (e *Events) cut(slot int, g match.Game) {
	if e == nil {
		return
	}
	if e.moves {
		e.logOf(slot).end()
	}
	e.Send(about(match.EventCut, g.Pair, g.Leg, slot))
}

func (e *Events) gameStarted(g *game) {
	if e == nil {
		return
	}
	ev := about(match.EventGame, g.Pair, g.Leg, g.slot.number)
	ev.GameHead = g.head([2]time.Duration{g.clocks[0].Remaining(), g.clocks[1].Remaining()})
	ev.Moves = movesText(g.Opening.Moves)
	e.Send(ev)
	if e.moves {
		e.logOf(g.slot.number).begin(g)
	}
}

// vote returns the votes of a council for its move in the position before the move. It returns nil if no subscriber
// wants moves, or if the player is not a council.
func (e *Events) vote(r *usi.Reply, before *shogi.Position) *match.Vote {
	if r.Vote == nil || e == nil || !e.moves || !e.listening.Load() {
		return nil
	}
	shown := r.Vote.Ballots[:min(match.ShownBallots, len(r.Vote.Ballots))]
	v := &match.Vote{By: r.Vote.By, Split: r.Vote.Split, Ballots: make([]match.Ballot, len(shown)),
		Others: len(r.Vote.Ballots) - len(shown)}
	for i := range shown {
		b, ballot := &shown[i], &v.Ballots[i]
		ballot.Member, ballot.Kind, ballot.Weight = b.Member, b.Kind, b.Weight
		if b.HasScore {
			score := b.Score.Number()
			ballot.Score = &score
		}
		if b.Move != shogi.NoMove {
			ballot.Move, ballot.Piece, ballot.Played = b.Move.String(), pieceOf(before, b.Move), b.Move == r.Move
		}
	}
	return v
}

// pieceOf returns the SFEN text of the piece that m moves, or "" if m is not legal in p.
func pieceOf(p *shogi.Position, m shogi.Move) string {
	switch {
	case p.CheckLegal(m) != nil:
		return ""
	case m.IsDrop():
		return shogi.NewPiece(p.Side(), m.Dropped()).String()
	}
	return p.PieceAt(m.From()).String()
}

// moved sends the move just played, or stores it while no subscriber wants moves. hit reports a ponder hit. overrun
// is the time by which the move exceeded its limit.
func (e *Events) moved(g *game, c shogi.Colour, m *kifu.Move, vote *match.Vote, hit bool, overrun time.Duration) {
	if e == nil || !e.moves {
		return
	}
	t := e.logOf(g.slot.number)
	t.mu.Lock()
	defer t.mu.Unlock()
	listening := e.listening.Load()
	if listening {
		e.sendBoard(t)
	}
	t.add(c, m, hit, g.clocks[c].Remaining())
	if listening {
		e.sendMove(g, c, m, vote, hit, overrun)
		t.sent = len(t.moves)
	}
}

// sendMove sends the event of a move. Its parameters are the same as in moved.
func (e *Events) sendMove(g *game, c shogi.Colour, m *kifu.Move, vote *match.Vote, hit bool, overrun time.Duration) {
	n := &moveNumbers{pair: g.Pair, leg: g.Leg, slot: g.slot.number, score: m.Score, time: match.Milliseconds(m.Time)}
	ev := match.Event{Type: match.EventMove, Pair: &n.pair, Leg: &n.leg, Slot: &n.slot}
	ev.Thought = match.Thought{
		Ply: len(g.result.Record.Moves), Move: m.Move.String(), Depth: m.Depth, Nodes: m.Nodes, PV: shownPV(m.PV), Hit: hit,
		TimeMS: &n.time, Vote: vote,
	}
	ev.Position, ev.Marked = g.referee.Position().SFEN(), g.slowed
	ev.OverrunMS, ev.ClockMS = match.Milliseconds(overrun), g.clockShown(c)
	ev.SetScore(&n.score, m)
	e.Send(ev)
}

// moveNumbers holds the numbers to which a move event points, so that one allocation suffices.
type moveNumbers struct {
	pair, leg, slot, score int
	time                   float64
}

func (e *Events) gameEnded(g *game) {
	if e == nil {
		return
	}
	if e.moves { // the web pages show the last board until the next game
		t := e.logOf(g.slot.number)
		t.mu.Lock()
		e.sendBoard(t)
		t.mu.Unlock()
		t.end()
	}
	r := &g.result
	names := g.names()
	points := g.plan.Rules.Points(r.Verdict)
	ev := about(match.EventEnd, r.Pair, r.Leg, r.Slot)
	ev.Black, ev.White, ev.Points = names[0], names[1], &points
	ev.Outcome, ev.Termination, ev.Note = r.Outcome.String(), r.Termination.String(), r.Note
	ev.Plies, ev.Position, ev.Marked = len(r.Record.Moves), g.referee.Position().SFEN(), r.Marked
	ev.Bundle = g.record
	if q := r.Questions; q != (match.Questions{}) {
		ev.Mate = &q
	}
	ev.Sides = &[2]match.Effort{r.Sides[0].Effort(names[0]), r.Sides[1].Effort(names[1])}
	e.Send(ev)
}

// head returns the data of the game at its beginning, without moves. left has the remaining times of the clocks.
func (g *game) head(left [2]time.Duration) match.GameHead {
	names := g.names()
	h := match.GameHead{Black: names[0], White: names[1], Opening: g.Opening.ID, Start: g.result.Record.Start,
		Plies: len(g.Opening.Moves)}
	clocks := make([]*float64, 2)
	for c, l := range g.limits {
		h.Limits = append(h.Limits, l.String())
		if !l.Clock.IsZero() {
			clocks[c], h.Clocks = milliseconds(left[c]), clocks
		}
	}
	return h
}

// clockShown returns the remaining time of a side in milliseconds, or nil without a clock.
func (g *game) clockShown(c shogi.Colour) *float64 {
	if g.limits[c].Clock.IsZero() {
		return nil
	}
	return milliseconds(g.clocks[c].Remaining())
}

// movesText returns moves in USI notation, separated by spaces.
func movesText(moves []shogi.Move) string {
	var buffer [64]byte // for as many moves as a move event has
	text := buffer[:0]
	for i, m := range moves {
		if i > 0 {
			text = append(text, ' ')
		}
		text = m.Append(text)
	}
	return string(text)
}

func milliseconds(d time.Duration) *float64 {
	ms := match.Milliseconds(d)
	return &ms
}
