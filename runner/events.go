package runner

import (
	"sync"
	"time"

	"gogi/kifu"
	"gogi/match"
)

// Events is the one stream of what happens in a run. All slots send to it; its
// channel is read by one consumer until Close. A nil *Events drops everything.
type Events struct {
	run   string
	moves bool

	mu      sync.Mutex // orders Seq and the sends
	seq     uint64
	dropped uint64
	given   sync.Once
	// abandoned is closed by Abandon: from then on nobody waits for the consumer.
	abandoned chan struct{}
	// out gets events from all slots, under mu; Close closes it. Its capacity
	// covers the moves of a burst: when it is full, moves are dropped and
	// everything else waits for the consumer.
	out chan match.Event
}

// NewEvents makes a stream for one run, with or without move events.
func NewEvents(run string, moves bool) *Events {
	return &Events{run: run, moves: moves, out: make(chan match.Event, 1024), abandoned: make(chan struct{})}
}

// Stream is what the consumer ranges over.
func (e *Events) Stream() <-chan match.Event { return e.out }

// Abandon stops waiting for a consumer that does not read, at the end of a run
// that was cancelled. What it has not read may be lost.
func (e *Events) Abandon() { e.given.Do(func() { close(e.abandoned) }) }

// Close ends the stream; nothing may be sent after it.
func (e *Events) Close() { close(e.out) }

// Send numbers, stamps and sends an event.
func (e *Events) Send(ev match.Event) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	ev.V, ev.Run, ev.Time, ev.Seq = match.EventVersion, e.run, time.Now(), e.seq+1
	if ev.Type == match.EventDone {
		ev.Dropped = e.dropped
	}
	if ev.Type != match.EventMove {
		e.seq++
		select {
		case e.out <- ev:
		case <-e.abandoned:
		}
		return
	}
	select {
	case e.out <- ev:
		e.seq++
	default:
		e.dropped++
	}
}

func (e *Events) pairDone(id int) { e.Send(match.Event{Type: match.EventPair, Pair: &id}) }

func (e *Events) unplayed(pair, slot int, why error) {
	e.Send(match.Event{Type: match.EventFault, Pair: &pair, Slot: &slot, Kind: "unplayed", Note: why.Error()})
}

func (e *Events) fault(engine, kind, note string, g *match.Game, slot int) {
	ev := match.Event{Type: match.EventFault, Engine: engine, Kind: kind, Note: note, Slot: &slot}
	if g != nil {
		ev.Pair, ev.Leg = &g.Pair, &g.Leg
	}
	e.Send(ev)
}

func (e *Events) gameStarted(g match.Game, slot int, black, white string) {
	e.Send(match.Event{
		Type: match.EventGame, Pair: &g.Pair, Leg: &g.Leg, Slot: &slot,
		Black: black, White: white, Opening: g.Opening.ID, Plies: len(g.Opening.Moves),
	})
}

func (e *Events) moved(g match.Game, slot, ply int, m kifu.Move, clock time.Duration, timed bool) {
	if e == nil || !e.moves {
		return
	}
	ev := match.Event{
		Type: match.EventMove, Pair: &g.Pair, Leg: &g.Leg, Slot: &slot, Ply: ply, Move: m.Move.String(),
		Depth: m.Depth, Nodes: m.Nodes, TimeMS: milliseconds(m.Time),
	}
	if timed {
		ev.ClockMS = milliseconds(clock)
	}
	if m.HasScore {
		ev.Score = &m.Score
	}
	e.Send(ev)
}

func (e *Events) gameEnded(r *match.Result, black, white string) {
	e.Send(match.Event{
		Type: match.EventEnd, Pair: &r.Pair, Leg: &r.Leg, Slot: &r.Slot, Black: black, White: white,
		Outcome: r.Outcome.String(), Termination: r.Termination.String(), Note: r.Note,
		Plies: len(r.Record.Moves), Marked: r.Marked,
	})
}

func milliseconds(d time.Duration) *float64 {
	ms := float64(d.Microseconds()) / 1000
	return &ms
}
