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

// Events is the one stream of what happens in a run. All slots send to it; its
// channel is read by one consumer until Close. A nil *Events drops everything,
// and costs nothing: what an event says is made only where it is sent.
type Events struct {
	run   string
	moves bool
	heard atomic.Bool // somebody listens to moves

	games sync.Map // *tale of the game in a slot, by the slot's number

	mu      sync.Mutex        // orders Seq, stamps and the sends
	seq     map[string]uint64 // the last number given, by worker
	latest  time.Time         // the last stamp given
	dropped atomic.Uint64
	pushed  uint64 // events that the stream was given
	given   sync.Once
	// abandoned is closed by Abandon: from then on nobody waits for the consumer.
	abandoned chan struct{}
	// out gets events from all slots, under mu; Close closes it. Its capacity
	// covers the moves of a burst: when it is full, moves are dropped and
	// everything else waits for the consumer.
	out chan match.Event
}

// NewEvents makes a stream for one run, with or without move events.
// They are told as they are made, unless Listen says that nobody listens.
func NewEvents(run string, moves bool) *Events {
	e := &Events{run: run, moves: moves, seq: map[string]uint64{}, out: make(chan match.Event, 1024), abandoned: make(chan struct{})}
	e.heard.Store(moves)
	return e
}

// Stream is what the consumer ranges over.
func (e *Events) Stream() <-chan match.Event { return e.out }

// Dropped is how many move events had no room so far. It waits for nobody.
func (e *Events) Dropped() uint64 { return e.dropped.Load() }

// Sent is how many events the stream was given so far.
func (e *Events) Sent() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pushed
}

// Abandon stops waiting for a consumer that does not read, at the end of a run
// that was cancelled. What it has not read may be lost.
func (e *Events) Abandon() { e.given.Do(func() { close(e.abandoned) }) }

// Close ends the stream; nothing may be sent after it.
func (e *Events) Close() { close(e.out) }

// Send numbers, stamps and sends an event. Numbers are dense for each worker
// that the events name; stamps never go back, whatever the clock does.
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

// push sends to a consumer that is waited for, unless it was abandoned and has no
// room: then the event is lost.
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

// Forward sends an event of a worker's own stream: numbered anew, because that
// stream may have arrived with holes, and with the worker's stamp as At. What a
// worker cannot know is dropped: events of another run, and those which speak
// for the whole run (that it begins, that a pair is counted, that it ends).
func (e *Events) Forward(ev match.Event) {
	if e == nil || ev.Run != e.run {
		return
	}
	switch ev.Type {
	case match.EventMove:
		if !e.moves {
			return
		}
	case match.EventSeat, match.EventGame, match.EventBoard, match.EventEnd, match.EventCut, match.EventFault, match.EventWarning:
	case match.EventRun, match.EventPair, match.EventDone, match.EventState,
		match.EventTune, match.EventBlock, match.EventForfeit, match.EventCandidate, match.EventValidation:
		return
	default: // of a later version
		return
	}
	ev.At = ev.Time
	e.Send(ev)
}

func (e *Events) pairDone(id int, kind string) {
	if e == nil {
		return
	}
	pair := id // what escapes is made here, after the look at e
	e.Send(match.Event{Type: match.EventPair, Pair: &pair, Kind: kind})
}

func (e *Events) unplayed(pair, slot int, why error) {
	if e == nil {
		return
	}
	where := [2]int{pair, slot}
	ev := match.Event{Type: match.EventFault, Pair: &where[0], Slot: &where[1], Kind: match.KindUnplayed, Note: why.Error()}
	if fault, ok := errors.AsType[*usi.Fault](why); ok {
		ev.Bundle = fault.Record
	}
	e.Send(ev)
}

// fault tells of trouble that decided no game.
func (e *Events) fault(engine, kind, note string, g *match.Game, slot int) {
	e.failed(match.Event{Engine: engine, Kind: kind, Note: note}, g, slot)
}

// forfeit tells of a fault that loses a game, before its end.
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

// about is an event about a game in a slot.
func about(t match.EventType, pair, leg, slot int) match.Event {
	where := [3]int{pair, leg, slot}
	return match.Event{Type: t, Pair: &where[0], Leg: &where[1], Slot: &where[2]}
}

// seating tells that a slot readies players, and cut that nothing came of it, or
// of the game that followed.
func (e *Events) seating(plan *match.Plan, g match.Game, slot int) {
	if e == nil {
		return
	}
	ev := about(match.EventSeat, g.Pair, g.Leg, slot)
	ev.Black, ev.White = plan.Players[g.Players[0]].Name, plan.Players[g.Players[1]].Name
	e.Send(ev)
}

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
	names := g.names()
	ev.Black, ev.White, ev.Opening, ev.Plies = names[0], names[1], g.Opening.ID, len(g.Opening.Moves)
	ev.Start, ev.Moves = g.result.Record.Start, movesText(g.Opening.Moves)
	ev.Clocks = []*float64{nil, nil}
	for c, l := range g.limits {
		ev.Limits = append(ev.Limits, l.String())
		ev.Clocks[c] = g.clockShown(shogi.Colour(c))
	}
	if ev.Clocks[0] == nil && ev.Clocks[1] == nil {
		ev.Clocks = nil
	}
	e.Send(ev)
	if e.moves {
		e.logOf(g.slot.number).begin(g)
	}
}

// vote is how a council came to its move, in the position before it; nil where nobody
// wants to know, or the player is no council.
func (e *Events) vote(r *usi.Reply, before *shogi.Position) *match.Vote {
	if r.Vote == nil || e == nil || !e.moves || !e.heard.Load() {
		return nil
	}
	shown := r.Vote.Ballots[:min(match.ShownBallots, len(r.Vote.Ballots))]
	v := &match.Vote{By: r.Vote.By, Split: r.Vote.Split, Ballots: make([]match.Ballot, len(shown)), Others: len(r.Vote.Ballots) - len(shown)}
	for i := range shown {
		b, said := &shown[i], &v.Ballots[i]
		said.Member, said.Kind, said.Weight = b.Member, b.Kind, b.Weight
		if b.HasScore {
			score := b.Score.Number()
			said.Score = &score
		}
		if b.Move != shogi.NoMove {
			said.Move, said.Piece, said.Played = b.Move.String(), pieceOf(before, b.Move), b.Move == r.Move
		}
	}
	return v
}

// pieceOf is the piece that a move moves, as SFEN has it; "" where the move is not legal.
func pieceOf(p *shogi.Position, m shogi.Move) string {
	switch {
	case p.CheckLegal(m) != nil:
		return ""
	case m.IsDrop():
		return shogi.NewPiece(p.Side(), m.Dropped()).String()
	}
	return p.PieceAt(m.From()).String()
}

// moved tells the move that was made just now; hit, that it had been expected.
func (e *Events) moved(g *game, c shogi.Colour, m *kifu.Move, vote *match.Vote, hit bool, overrun time.Duration) {
	if e == nil || !e.moves {
		return
	}
	t := e.logOf(g.slot.number)
	t.mu.Lock()
	defer t.mu.Unlock()
	heard := e.heard.Load()
	if heard {
		e.tell(t)
	}
	t.add(c, m, hit, g.clocks[c].Remaining())
	if heard {
		e.sendMove(g, c, m, vote, hit, overrun)
		t.told = len(t.moves)
	}
}

// sendMove sends the event of a move.
func (e *Events) sendMove(g *game, c shogi.Colour, m *kifu.Move, vote *match.Vote, hit bool, overrun time.Duration) {
	said := &moveNumbers{pair: g.Pair, leg: g.Leg, slot: g.slot.number, score: m.Score, time: match.Milliseconds(m.Time)}
	ev := match.Event{Type: match.EventMove, Pair: &said.pair, Leg: &said.leg, Slot: &said.slot}
	ev.Thought = match.Thought{
		Ply: len(g.result.Record.Moves), Move: m.Move.String(), Depth: m.Depth, Nodes: m.Nodes, PV: shownPV(m.PV), Hit: hit,
		TimeMS: &said.time, Vote: vote,
	}
	ev.Position, ev.Marked = g.referee.Position().SFEN(), g.slowed
	ev.OverrunMS, ev.ClockMS = match.Milliseconds(overrun), g.clockShown(c)
	if m.HasScore {
		ev.Score = &said.score
	}
	e.Send(ev)
}

// moveNumbers are the numbers of a move event that an event points to, as one block.
type moveNumbers struct {
	pair, leg, slot, score int
	time                   float64
}

func (e *Events) gameEnded(g *game) {
	if e == nil {
		return
	}
	if e.moves { // what was not told is told: the last board stays until the next game
		t := e.logOf(g.slot.number)
		t.mu.Lock()
		e.tell(t)
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

// clockShown is what a side has left, in milliseconds; nil without a clock.
func (g *game) clockShown(c shogi.Colour) *float64 {
	if g.limits[c].Clock.IsZero() {
		return nil
	}
	return milliseconds(g.clocks[c].Remaining())
}

// movesText is moves in USI, separated by spaces.
func movesText(moves []shogi.Move) string {
	var room [64]byte // for as many moves as a move event has
	text := room[:0]
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
