package events

import (
	"context"
	"errors"
	"sync"

	"gogi/match"
)

// ErrSlow is why a subscription was cut: its subscriber did not read in time.
var ErrSlow = errors.New("live: the subscriber was too slow and was cut")

// DefaultBuffer is how many events a subscriber may be behind, where nothing
// speaks for another number.
const DefaultBuffer = 256

// Hub hands one stream of events to any number of subscribers, none of which
// makes the publisher wait. It is safe for concurrent use.
type Hub struct {
	mu      sync.Mutex // orders the events; it is never held while anybody waits
	state   *State
	version uint64 // how many events were published
	subs    map[*Subscription]struct{}
	closed  bool
	over    chan struct{} // closed with closed

	teller    Teller     // nil: moves are always told
	listeners int        // subscriptions to moves, and those that are about to be
	news      *sync.Cond // of mu: something was published, or the hub closed
}

// Teller is who sends the events that a hub publishes, where moves are told only while
// somebody listens to them.
type Teller interface {
	// Listen says whether somebody does from now on. When somebody begins to, it tells
	// of each game that is played what was not told, and returns the number of the last
	// event, to be waited for; 0: none.
	Listen(on bool) (last uint64)
}

// NewHub is a hub for one run.
func NewHub(run string) *Hub {
	h := &Hub{state: NewState(run), subs: map[*Subscription]struct{}{}, over: make(chan struct{})}
	h.news = sync.NewCond(&h.mu)
	return h
}

// Heed makes the teller tell moves while somebody subscribes to them, and only then.
// Its events must be followed: a subscriber waits for some of them.
func (h *Hub) Heed(t Teller) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.teller = t
	if h.listeners == 0 {
		t.Listen(false)
	}
}

// attend counts somebody who listens to moves. Of the first, the games that are played
// are brought up to date before it returns.
func (h *Hub) attend() {
	h.mu.Lock()
	h.listeners++
	teller := h.teller
	if h.listeners > 1 || h.closed {
		teller = nil
	}
	h.mu.Unlock()
	if teller == nil {
		return
	}
	last := teller.Listen(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		teller.Listen(false) // as Close has told it, perhaps before this did
	}
	for h.state.known.Numbers[""] < last && !h.closed {
		h.news.Wait()
	}
}

// Follow publishes a stream until it ends, and closes the hub then. Where there
// is a recorder, it is given each event after the subscribers were; the stream
// is not read on before it returns.
func (h *Hub) Follow(stream <-chan match.Event, record func(match.Event)) {
	defer h.Close()
	for ev := range stream {
		h.Publish(ev)
		if record != nil {
			record(ev)
		}
	}
}

// Publish gives every subscriber an event, and cuts those that have no room for
// it. After Close it does nothing.
func (h *Hub) Publish(ev match.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.version++
	h.state.Apply(ev)
	h.news.Broadcast()
	for s := range h.subs {
		if ev.Type == s.but {
			continue
		}
		select {
		case s.events <- ev:
		default:
			h.end(s, ErrSlow)
		}
	}
}

// Await waits until so many events were published since the hub began, until it is closed,
// or until ctx ends.
func (h *Hub) Await(ctx context.Context, events uint64) {
	defer context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.news.Broadcast()
	})()
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.version < events && !h.closed && ctx.Err() == nil {
		h.news.Wait()
	}
}

// Subscribe begins a subscription with room for so many unread events, at least
// 1. It is not for the goroutine that follows. The first event is a state, after which every event comes that the hub
// publishes: nothing is left out between them, and nothing is told twice. Of a
// closed hub, the state is all that comes.
func (h *Hub) Subscribe(room int) *Subscription { return h.SubscribeExcept("", room) }

// SubscribeExcept is Subscribe without the events of one type. Who asks State for the
// boards when they are to be drawn need not be woken for every move.
func (h *Hub) SubscribeExcept(but match.EventType, room int) *Subscription {
	moves := but != match.EventMove
	if moves {
		h.attend()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Subscription{hub: h, but: but, moves: moves, events: make(chan match.Event, max(1, room)+1)}
	s.events <- h.state.Event()
	h.subs[s] = struct{}{}
	if h.closed {
		h.end(s, nil)
	}
	return s
}

// State is the state event as of now, for those who look only now and then. Its boards
// may be behind where nobody subscribes to moves.
func (h *Hub) State() match.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.Event()
}

// Look is State for those who look again and again: its version, from 0, and the state
// where that is later than the version they have seen; else ok is false, and it cost
// nothing to ask.
func (h *Hub) Look(seen uint64) (state match.Event, version uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.version <= seen {
		return match.Event{}, h.version, false
	}
	return h.state.Event(), h.version, true
}

// Subscribers is how many subscriptions are open.
func (h *Hub) Subscribers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs)
}

// Close ends every subscription; what was published before can still be read.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		close(h.over)
		h.news.Broadcast()
	}
	for s := range h.subs {
		h.end(s, nil)
	}
}

// Closed is closed when the hub is.
func (h *Hub) Closed() <-chan struct{} { return h.over }

// end closes a subscription, with h.mu held, unless it has ended.
func (h *Hub) end(s *Subscription, why error) {
	if _, open := h.subs[s]; !open {
		return
	}
	delete(h.subs, s)
	s.why = why
	close(s.events)
	if !s.moves {
		return
	}
	if h.listeners--; h.listeners == 0 && h.teller != nil {
		h.teller.Listen(false)
	}
}

// Subscription is one listener's end of a hub.
type Subscription struct {
	hub *Hub
	but match.EventType // is left out; "": nothing is

	moves bool // are listened to, as the hub counts
	// events is sent to under the hub's lock, and never waited for; it is closed
	// under it when the subscription is cut, closed, or the hub is.
	events chan match.Event
	why    error // under the hub's lock
}

// Events are what the subscriber ranges over: first a state, then what happens.
// They end when the subscription does, and Err then says why.
func (s *Subscription) Events() <-chan match.Event { return s.events }

// Err is ErrSlow where the subscription was cut, and nil while it is open, or
// after an end that was wanted.
func (s *Subscription) Err() error {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.why
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.end(s, nil)
}
