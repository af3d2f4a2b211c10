package coordinator

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/verify"
	"gogi/match"
)

// heard is what a run's hub has of a worker while somebody watches the run.
type heard struct {
	stop   func()
	boards map[int]match.Event // how that of each slot would end that has one
}

// watched are the runs of which a worker plays pairs while somebody watches them; the
// worker is listened to from now on. mu is held.
func (c *Coordinator) watched(s *session) (list []string) {
	for _, r := range c.inOrder() {
		if r.ledger == nil || r.hub.Subscribers() == 0 || r.ledger.HeldBy(s.name) == 0 {
			continue
		}
		if err := c.hearken(r, s.name); err != nil {
			c.config.Log.Warn("a worker's games cannot be watched", "run", r.Name, "worker", s.name, "err", err)
			continue
		}
		list = append(list, r.digest)
	}
	return list
}

// hearken listens to what a worker tells of a run.
func (c *Coordinator) hearken(r *run, worker string) error {
	if r.heard[worker] != nil {
		return nil
	}
	stop, err := c.config.Bus.Listen(farm.SubjectEvents+r.digest+"."+worker, func(body []byte) { c.overhear(r, worker, body) })
	if err == nil {
		r.heard[worker] = &heard{stop: stop, boards: map[int]match.Event{}}
	}
	return err
}

// unheed stops listening to the workers of a run that nobody watches, and to those that
// are gone or play nothing of it any more. Their boards go. mu is held.
func (c *Coordinator) unheed(now time.Time, r *run) {
	for _, name := range slices.Sorted(maps.Keys(r.heard)) {
		s := c.sessions[name]
		if r.hub.Subscribers() > 0 && s != nil && now.Sub(s.seen) < c.config.Lease && r.ledger.HeldBy(name) > 0 {
			continue
		}
		h := r.heard[name]
		h.stop()
		delete(r.heard, name)
		for _, slot := range slices.Sorted(maps.Keys(h.boards)) {
			r.relay(name, h.boards[slot])
		}
	}
}

// maxEvent bounds what a worker may tell at once, in bytes.
const maxEvent = 64 << 10

// overhear takes what a worker tells of a game that it plays. It is for eyes alone:
// nothing of it counts.
func (c *Coordinator) overhear(r *run, worker string, body []byte) {
	var ev match.Event
	if len(body) > maxEvent || json.Unmarshal(body, &ev) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h, s := r.heard[worker], c.sessions[worker]
	if h == nil || s == nil || !verify.Event(r.plan, s.slots, &ev) || !r.ledger.Holds(worker, *ev.Pair) {
		return
	}
	shown := verify.Shown(&ev)
	h.boards[*ev.Slot] = verify.Cut(shown)
	if ev.Type == match.EventEnd || ev.Type == match.EventCut {
		// How a game has ended is told once, by the result that is stored: its board goes.
		shown = verify.Cut(shown)
		delete(h.boards, *ev.Slot)
	}
	r.relay(worker, shown)
}

// relay publishes an event of a worker, whose events are numbered here: its processes
// each number from 1.
func (r *run) relay(worker string, ev match.Event) {
	r.relayed[worker]++
	ev.V, ev.Seq, ev.Time, ev.Run, ev.Worker = match.EventVersion, r.relayed[worker], time.Now(), r.plan.Run, worker
	r.hub.Publish(ev)
}
