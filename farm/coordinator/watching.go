package coordinator

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"gogi/farm"
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

func cut(ev match.Event) match.Event {
	return match.Event{Type: match.EventCut, Pair: ev.Pair, Leg: ev.Leg, Slot: ev.Slot, Black: ev.Black, White: ev.White}
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
	if h == nil || s == nil || !r.plausible(s, &ev) || !r.ledger.Holds(worker, *ev.Pair) {
		return
	}
	shown := match.Event{
		Type: ev.Type, At: ev.Time, Pair: ev.Pair, Leg: ev.Leg, Slot: ev.Slot, Black: ev.Black, White: ev.White,
		Limits: ev.Limits, Opening: ev.Opening, Start: ev.Start, Moves: ev.Moves, Plies: ev.Plies, Clocks: ev.Clocks,
		Ply: ev.Ply, Move: ev.Move, Position: ev.Position, Score: ev.Score, Depth: ev.Depth, Nodes: ev.Nodes, PV: ev.PV, Hit: ev.Hit,
		TimeMS: ev.TimeMS, OverrunMS: ev.OverrunMS, ClockMS: ev.ClockMS, Vote: ev.Vote, Board: ev.Board,
	}
	h.boards[*ev.Slot] = cut(shown)
	if ev.Type == match.EventEnd || ev.Type == match.EventCut {
		// How a game has ended is told once, by the result that is stored: its board goes.
		shown = cut(shown)
		delete(h.boards, *ev.Slot)
	}
	r.relay(worker, shown)
}

// maxBoards is how many of a worker's slots can be watched: nobody looks at more, and what
// is kept of each is of the worker's making.
const maxBoards = 512

// maxPly is more than any game has.
const maxPly = 100_000

// plausible reports whether an event tells of a game of the run, in a slot of the worker's.
func (r *run) plausible(s *session, ev *match.Event) bool {
	if ev.Run != r.plan.Run || ev.Pair == nil || ev.Leg == nil || ev.Slot == nil {
		return false
	}
	switch ev.Type { //nolint:exhaustive // a worker can speak of its games alone
	case match.EventSeat, match.EventGame, match.EventMove, match.EventEnd, match.EventCut:
	case match.EventBoard:
		b := ev.Board
		if b == nil || b.Pair != *ev.Pair || b.Leg != *ev.Leg || !bounded(b.Ply, maxPly) || !bounded(b.Plies, maxPly) || !bounded(b.StartPly, maxPly) || !paired(b.Clocks) {
			return false
		}
	default:
		return false
	}
	return bounded(*ev.Pair, r.plan.Pairs-1) && bounded(*ev.Leg, r.plan.Pair(*ev.Pair).Legs-1) && bounded(*ev.Slot, min(s.slots, maxBoards)-1) && r.plays(ev.Black) && r.plays(ev.White) &&
		bounded(ev.Ply, maxPly) && bounded(ev.Plies, maxPly) && paired(ev.Clocks)
}

// plays reports whether a name is that of one of the run's players, or none.
func (r *run) plays(name string) bool {
	return name == "" || slices.ContainsFunc(r.plan.Players, func(p match.Player) bool { return p.Name == name })
}

func bounded(n, most int) bool { return n >= 0 && n <= min(most, math.MaxInt32) }

// paired are clocks of Black and White, or none.
func paired(clocks []*float64) bool { return len(clocks) == 0 || len(clocks) == 2 }

// relay publishes an event of a worker, whose events are numbered here: its processes
// each number from 1.
func (r *run) relay(worker string, ev match.Event) {
	r.relayed[worker]++
	ev.V, ev.Seq, ev.Time, ev.Run, ev.Worker = match.EventVersion, r.relayed[worker], time.Now(), r.plan.Run, worker
	r.hub.Publish(ev)
}
