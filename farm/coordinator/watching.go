package coordinator

import (
	"encoding/json"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
)

// viewers passes the games that workers report to the clients that watch a test. The caller guards it with a lock.
type viewers struct {
	bus    farm.Bus
	tests  *tests.Tests
	roster *roster.Roster
	lease  time.Duration
	log    *slog.Logger
	// shows is called for each event of a worker. It locks, and calls show.
	shows  func(r *tests.Test, worker string, body []byte)
	byTest map[*tests.Test]*viewed
}

// viewed has the listeners of one test.
type viewed struct {
	listeners map[string]*listener // by worker, while the test is watched
	relayed   map[string]uint64    // number of published events, by worker
}

func (v *viewers) of(r *tests.Test) *viewed {
	on := v.byTest[r]
	if on == nil {
		on = &viewed{listeners: map[string]*listener{}, relayed: map[string]uint64{}}
		v.byTest[r] = on
	}
	return on
}

// close ends all listening.
func (v *viewers) close() {
	for _, on := range v.byTest {
		for _, l := range on.listeners {
			l.stop()
		}
	}
}

// A listener receives the events of a worker while a user watches the run.
type listener struct {
	stop   func()
	boards map[int]match.Event // for each slot with a board: the event that ends it
}

// watched returns the runs that a user watches and of which the worker holds pairs. It begins to listen to the
// events of the worker in these runs.
func (v *viewers) watched(s *roster.Session) (list []string) {
	for _, r := range v.tests.InOrder() {
		if r.Ledger == nil || r.Hub.Viewers() == 0 || r.Ledger.HeldBy(s.Name) == 0 {
			continue
		}
		on := v.of(r)
		if on.listeners[s.Name] == nil {
			stop, err := v.bus.Listen(farm.SubjectEvents+r.Digest+"."+s.Name, func(body []byte) { v.shows(r, s.Name, body) })
			if err != nil {
				entries.Warn(v.log, err, "a worker's games cannot be watched", "run", r.Name, "worker", s.Name)
				continue
			}
			on.listeners[s.Name] = &listener{stop: stop, boards: map[int]match.Event{}}
		}
		list = append(list, r.Digest)
	}
	return list
}

// stopListening ends listening to a worker if no user watches the run, or if the worker has left or holds no pair
// of the run. It removes the boards of this worker from the display.
func (v *viewers) stopListening(now time.Time, r *tests.Test) {
	on := v.of(r)
	for _, name := range slices.Sorted(maps.Keys(on.listeners)) {
		s := v.roster.Sessions[name]
		if r.Hub.Viewers() > 0 && s != nil && now.Sub(s.Seen) < v.lease && r.Ledger.HeldBy(name) > 0 {
			continue
		}
		l := on.listeners[name]
		l.stop()
		delete(on.listeners, name)
		for _, slot := range slices.Sorted(maps.Keys(l.boards)) {
			on.relay(r, name, l.boards[slot])
		}
	}
}

// maxEvent is the maximum size of an event in bytes.
const maxEvent = 64 << 10

// show publishes a worker's event about a game that it plays. The event is only displayed and does not count.
func (v *viewers) show(r *tests.Test, worker string, body []byte) {
	var ev match.Event
	if len(body) > maxEvent || json.Unmarshal(body, &ev) != nil {
		return
	}
	on := v.of(r)
	l, s := on.listeners[worker], v.roster.Sessions[worker]
	if l == nil || s == nil || !possibleEvent(r.Match, s.Slots, &ev) || !r.Ledger.Holds(worker, *ev.Pair) {
		return
	}
	shown := shownEvent(r.Match, &ev)
	l.boards[*ev.Slot] = cutEvent(shown)
	if ev.Type == match.EventEnd || ev.Type == match.EventCut {
		// The stored result reports how the game ended. Here only the game's board is removed.
		shown = cutEvent(shown)
		delete(l.boards, *ev.Slot)
	}
	on.relay(r, worker, shown)
}

// relay publishes an event of a worker. It numbers the events of each worker itself, because every process of
// a worker numbers its events from 1.
func (on *viewed) relay(r *tests.Test, worker string, ev match.Event) {
	on.relayed[worker]++
	ev.V, ev.Seq, ev.Time, ev.Run, ev.Worker = match.EventVersion, on.relayed[worker], time.Now(), r.Match.Run, worker
	r.Hub.Publish(ev)
}

// cutEvent returns an event which reports that the game of ev has ended without a result.
func cutEvent(ev match.Event) match.Event {
	return match.Event{Type: match.EventCut, Pair: ev.Pair, Leg: ev.Leg, Slot: ev.Slot,
		GameHead: match.GameHead{Black: ev.Black, White: ev.White}}
}

// maxBoards is the maximum number of slots of a worker whose games the coordinator shows. It limits the
// coordinator's memory, because a worker can send a board for each slot.
const maxBoards = 512

// maxPly is a number of plies that no game reaches.
const maxPly = 100_000

// possibleEvent reports whether an event is a valid event about a game of the run in one of the worker's slots.
func possibleEvent(plan *match.Plan, slots int, ev *match.Event) bool {
	if ev.Run != plan.Run || ev.Pair == nil || ev.Leg == nil || ev.Slot == nil {
		return false
	}
	switch ev.Type { // a worker may only report games
	case match.EventSeat, match.EventGame, match.EventMove, match.EventEnd, match.EventCut:
	case match.EventBoard:
		b := ev.Board
		if b == nil || b.Pair != *ev.Pair || b.Leg != *ev.Leg || !bounded(b.Ply, maxPly) || !bounded(b.Plies, maxPly) ||
			!bounded(b.StartPly, maxPly) || !paired(b.Clocks) {
			return false
		}
	default:
		return false
	}
	return bounded(*ev.Pair, plan.Pairs-1) && bounded(*ev.Leg, plan.Pair(*ev.Pair).Legs-1) &&
		bounded(*ev.Slot, min(slots, maxBoards)-1) && plays(plan, ev.Black) && plays(plan, ev.White) &&
		bounded(ev.Ply, maxPly) && bounded(ev.Plies, maxPly) && paired(ev.Clocks)
}

// plays reports whether a name is "" or one of the run's players.
func plays(plan *match.Plan, name string) bool {
	return name == "" || slices.ContainsFunc(plan.Players, func(p match.Player) bool { return p.Name == name })
}

func bounded(n, most int) bool { return n >= 0 && n <= min(most, math.MaxInt32) }

// paired reports whether a list of clocks has both Black's and White's, or no clock at all.
func paired(clocks []*float64) bool { return len(clocks) == 0 || len(clocks) == 2 }
