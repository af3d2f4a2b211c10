package events

import (
	"context"
	"errors"
	"sync"

	"gogi/match"
)

// ErrSlow is the reason why a subscription ended if its subscriber did not read the events in time.
var ErrSlow = errors.New("live: the subscriber was too slow and was cut")

// DefaultBuffer is the usual size of a subscription's buffer: the number of events that may be unread.
const DefaultBuffer = 256

// Hub sends one stream of events to any number of subscribers, and never waits for them. It is safe for concurrent use.
type Hub struct {
	mu      sync.Mutex // orders the events; never held during a wait
	state   *State
	version uint64 // the number of published events
	subs    map[*Subscription]struct{}
	pollers int // clients that call Look again and again, see Attend
	closed  bool
	over    chan struct{} // closed with closed

	source    MoveSource // nil if the stream always has the moves
	listeners int        // the number of subscriptions with moves, including those that are just starting
	news      *sync.Cond // with mu: an event was published, or the hub closed
}

// MoveSource is a sender of events that can turn its move events on and off.
type MoveSource interface {
	// Listen turns the move events on or off. When it turns them on, it sends the board of each game in play that has
	// unsent moves. last is the sequence number of the last event that the source has sent. The hub waits until it
	// has published this event; 0 means that it does not wait.
	Listen(on bool) (last uint64)
}

// NewHub returns a hub for one run.
func NewHub(run string) *Hub {
	h := &Hub{state: NewState(run), subs: map[*Subscription]struct{}{}, over: make(chan struct{})}
	h.news = sync.NewCond(&h.mu)
	return h
}

// ControlMoves sets the source of the hub's events. The source then sends move events only while a subscriber
// wants them. A goroutine must call Follow with the events of the source, because Subscribe waits for some of
// these events.
func (h *Hub) ControlMoves(s MoveSource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.source = s
	if h.listeners == 0 {
		s.Listen(false)
	}
}

// addListener counts a subscription to moves. For the first one it waits until the source has sent the boards of the
// games in play.
func (h *Hub) addListener() {
	h.mu.Lock()
	h.listeners++
	source := h.source
	if h.listeners > 1 || h.closed {
		source = nil
	}
	h.mu.Unlock()
	if source == nil {
		return
	}
	last := source.Listen(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		source.Listen(false) // Close may have called it before the Listen(true) above
	}
	for h.state.known.Numbers[""] < last && !h.closed {
		h.news.Wait()
	}
}

// Follow publishes the events of a stream until the stream ends, and then closes the hub. If record is not
// nil, Follow calls it with each event, after it has sent the event to the subscribers. It does not read the
// stream while record runs.
func (h *Hub) Follow(stream <-chan match.Event, record func(match.Event)) {
	defer h.Close()
	for ev := range stream {
		h.Publish(ev)
		if record != nil {
			record(ev)
		}
	}
}

// Publish sends an event to every subscriber. If the buffer of a subscriber is full, Publish ends the subscription.
// After Close it does nothing.
func (h *Hub) Publish(ev match.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.version++
	h.state.Apply(ev)
	h.news.Broadcast()
	var shared *match.Event // one copy for all subscriptions; a run without any makes none
	for s := range h.subs {
		if ev.Type == s.but {
			continue
		}
		if shared == nil {
			copied := ev
			shared = &copied
		}
		select {
		case s.events <- shared:
		default:
			h.end(s, ErrSlow)
		}
	}
}

// Await waits until the hub has published the given number of events in total, until the hub is closed, or until ctx
// ends.
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

// Subscribe begins a subscription. buffer is the number of events that may be unread, at least 1. The first
// event has the state of the run. Then the subscription gets each later event once. A closed hub sends only
// the state. The goroutine that calls Follow must not call Subscribe.
func (h *Hub) Subscribe(buffer int) *Subscription { return h.SubscribeExcept("", buffer) }

// SubscribeExcept is like Subscribe, but leaves out the events of the type but. With "" it leaves out none. A
// subscriber that reads the boards from State needs no move events.
func (h *Hub) SubscribeExcept(but match.EventType, buffer int) *Subscription {
	moves := but != match.EventMove
	if moves {
		h.addListener()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Subscription{hub: h, but: but, moves: moves, events: make(chan *match.Event, max(1, buffer)+1)}
	state := h.state.Event()
	s.events <- &state
	h.subs[s] = struct{}{}
	if h.closed {
		h.end(s, nil)
	}
	return s
}

// State returns an event with the current state of the run. Its boards may be out of date if no subscription
// of the hub includes move events.
func (h *Hub) State() match.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.Event()
}

// Look returns the current state event if the hub has published more than seen events; ok is then true.
// Otherwise ok is false, and the call is cheap. version is the number of published events. The caller passes
// it as seen in the next call.
func (h *Hub) Look(seen uint64) (state match.Event, version uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.version <= seen {
		return match.Event{}, h.version, false
	}
	return h.state.Event(), h.version, true
}

// Subscribers returns the number of open subscriptions.
func (h *Hub) Subscribers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs)
}

// Attend counts a client that polls the state with Look, until the client calls leave once.
func (h *Hub) Attend() (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pollers++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.pollers--
	}
}

// Viewers returns the number of open subscriptions and of clients that poll the state.
func (h *Hub) Viewers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs) + h.pollers
}

// Close ends every subscription. Subscribers can still read the earlier events.
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

// Closed returns a channel that is closed when the hub closes.
func (h *Hub) Closed() <-chan struct{} { return h.over }

// end closes a subscription unless it has ended. why is the result of its method Err. The caller holds h.mu.
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
	if h.listeners--; h.listeners == 0 && h.source != nil {
		h.source.Listen(false)
	}
}

// Subscription is the connection of one subscriber to a hub.
type Subscription struct {
	hub   *Hub
	but   match.EventType // the type that is left out, or ""
	moves bool            // counted in hub.listeners
	// events is sent to and closed under the hub's lock. The hub never waits for it. An event has about 1 kB, and most
	// buffers are nearly empty, so the buffer has pointers.
	events chan *match.Event
	why    error // under the hub's lock
}

// Events returns the channel of the events. The first event has the state of the run. The channel is closed
// when the subscription ends; Err then has the reason. All subscribers get the same event, so they must not change it.
func (s *Subscription) Events() <-chan *match.Event { return s.events }

// Err returns ErrSlow if the hub ended the subscription of a slow subscriber. It returns nil while the subscription
// is open and after any other end.
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
