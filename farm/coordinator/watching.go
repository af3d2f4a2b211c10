package coordinator

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/match"
)

// A listener receives the events of a worker while a user watches the run.
type listener struct {
	stop   func()
	boards map[int]match.Event // for each slot with a board: the event that ends it
}

// watched returns the runs that a user watches and of which the worker holds pairs. It begins to listen to the
// events of the worker in these runs. The caller holds mu.
func (c *Coordinator) watched(s *roster.Session) (list []string) {
	for _, r := range c.inOrder() {
		if r.ledger == nil || r.hub.Subscribers() == 0 || r.ledger.HeldBy(s.Name) == 0 {
			continue
		}
		if r.listeners[s.Name] == nil {
			stop, err := c.config.Bus.Listen(farm.SubjectEvents+r.digest+"."+s.Name, func(body []byte) { c.show(r, s.Name, body) })
			if err != nil {
				entries.Warn(c.config.Log, err, "a worker's games cannot be watched", "run", r.Name, "worker", s.Name)
				continue
			}
			r.listeners[s.Name] = &listener{stop: stop, boards: map[int]match.Event{}}
		}
		list = append(list, r.digest)
	}
	return list
}

// stopListening ends listening to a worker if no user watches the run, or if the worker has left or holds no pair
// of the run. It removes the boards of this worker from the display. The caller holds mu.
func (c *Coordinator) stopListening(now time.Time, r *run) {
	for _, name := range slices.Sorted(maps.Keys(r.listeners)) {
		s := c.roster.Sessions[name]
		if r.hub.Subscribers() > 0 && s != nil && now.Sub(s.Seen) < c.config.Lease && r.ledger.HeldBy(name) > 0 {
			continue
		}
		l := r.listeners[name]
		l.stop()
		delete(r.listeners, name)
		for _, slot := range slices.Sorted(maps.Keys(l.boards)) {
			r.relay(name, l.boards[slot])
		}
	}
}

// maxEvent is the maximum size of an event in bytes.
const maxEvent = 64 << 10

// show publishes a worker's event about a game that it plays. The event is only displayed and does not count.
func (c *Coordinator) show(r *run, worker string, body []byte) {
	var ev match.Event
	if len(body) > maxEvent || json.Unmarshal(body, &ev) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l, s := r.listeners[worker], c.roster.Sessions[worker]
	if l == nil || s == nil || !possibleEvent(r.plan, s.Slots, &ev) || !r.ledger.Holds(worker, *ev.Pair) {
		return
	}
	shown := shownEvent(&ev)
	l.boards[*ev.Slot] = cutEvent(shown)
	if ev.Type == match.EventEnd || ev.Type == match.EventCut {
		// The stored result reports how the game ended. Here only the game's board is removed.
		shown = cutEvent(shown)
		delete(l.boards, *ev.Slot)
	}
	r.relay(worker, shown)
}

// relay publishes an event of a worker. It numbers the events of each worker itself, because every process of
// a worker numbers its events from 1.
func (r *run) relay(worker string, ev match.Event) {
	r.relayed[worker]++
	ev.V, ev.Seq, ev.Time, ev.Run, ev.Worker = match.EventVersion, r.relayed[worker], time.Now(), r.plan.Run, worker
	r.hub.Publish(ev)
}
