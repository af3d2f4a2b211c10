package alarms

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/match"
	"gogi/runner/crash"
	"gogi/runner/events"
	"gogi/usi"
)

// Monitor is where a run's events, its processes and its records come together, and
// where warnings, and failures that no game shows, become events.
type Monitor struct {
	watch *Watch

	// notes gets what did not come as an event, from all slots; who sends does not
	// wait, and what has no room is lost. It is never closed.
	notes chan note

	mu      sync.Mutex
	sampled map[*crash.Recorder]*sampling
}

// note is one of its fields.
type note struct {
	sample *Sample
	event  *match.Event
}

type sampling struct {
	games int
	last  time.Time
}

// NewMonitor is the desk of a session of a plan.
func NewMonitor(plan *match.Plan) *Monitor {
	return &Monitor{watch: NewWatch(plan), notes: make(chan note, 256), sampled: map[*crash.Recorder]*sampling{}}
}

// Attend makes the desk hear of what the records of the run are told.
func (d *Monitor) Attend(r *crash.Records) {
	r.Playing, r.Ended, r.Member = d.playing, d.ended, d.member
	r.Keeper.Listen(d.trouble)
}

// sampleEvery is the least time between two looks at the memory of a process: a look
// takes some 50 µs, and more for an engine with many threads.
const sampleEvery = 2 * time.Second

// Resident is a process that knows how much memory it has.
type Resident interface {
	// Resident is in bytes, of the process and its descendants, without pages of files.
	Resident() (int64, error)
}

func (d *Monitor) playing(r *crash.Recorder, g usi.Game) {
	if g.Pair == usi.NoPair {
		return
	}
	games, due := d.due(r)
	p, ok := r.Process.(Resident)
	if !due || !ok {
		return
	}
	held, err := p.Resident()
	if err != nil {
		return // it has just ended, which others tell
	}
	d.tell(note{sample: &Sample{
		Player: r.Name(), Slot: g.Slot, PID: r.Process.PID(), Games: games, Bytes: held, Tables: tables(r.Player.Options),
	}})
}

// due counts a game of a process, and says whether to look at its memory.
func (d *Monitor) due(r *crash.Recorder) (games int, due bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sampled[r]
	if s == nil {
		s = &sampling{}
		d.sampled[r] = s
	}
	s.games++
	if now := time.Now(); now.Sub(s.last) >= sampleEvery {
		s.last, due = now, true
	}
	return s.games - 1, due
}

func (d *Monitor) ended(r *crash.Recorder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sampled, r)
}

// defaultTables is taken for an engine whose USI_Hash is not set: the default of
// YaneuraOu, the largest that is known.
const defaultTables = 1 << 30

// tables is what the options about hash tables, in MB, add up to.
func tables(options []match.Option) int64 {
	sum, hash := int64(0), false
	for _, o := range options {
		mb, err := strconv.ParseInt(o.Value, 10, 32)
		if err != nil || !strings.Contains(strings.ToLower(o.Name), "hash") {
			continue
		}
		sum += mb << 20
		hash = hash || usi.SameOption(o.Name, "USI_Hash")
	}
	if !hash {
		sum += defaultTables
	}
	return sum
}

// member makes an event of a failure that a council survived, or did not.
func (d *Monitor) member(m crash.MemberFault) {
	ev := match.Event{
		Type: match.EventFault, Engine: m.Council + "/" + m.Member, Kind: m.Kind, Note: m.Note, Bundle: m.Bundle,
	}
	if g := m.Game; g.Pair != usi.NoPair {
		ev.Pair, ev.Leg, ev.Slot = &g.Pair, &g.Leg, &g.Slot
	}
	d.tell(note{event: &ev})
}

func (d *Monitor) trouble(p crash.Problem) {
	ev := event(Warning{Kind: Records, Note: fmt.Sprintf("%s: %v: it is not kept; the games go on", p.Path, p.Err)})
	d.tell(note{event: &ev})
}

func (d *Monitor) tell(n note) {
	select {
	case d.notes <- n:
	default: // the run is told of more than anybody can read
	}
}

// listening is how many events the desk may be behind; it is cut then, and misses some.
const listening = 4096

// Follow watches until ctx ends; it is one of series.Config.Beside.
func (d *Monitor) Follow(ctx context.Context, hub *events.Hub, send func(match.Event)) {
	s := hub.SubscribeExcept(match.EventMove, listening)
	defer func() { s.Close() }()
	for {
		select {
		case ev, ok := <-s.Events():
			if !ok && s.Err() == nil {
				return
			}
			if !ok {
				s = hub.SubscribeExcept(match.EventMove, listening)
				continue
			}
			say(send, d.watch.Event(ev))
		case n := <-d.notes:
			d.heard(n, send)
		case <-ctx.Done():
			d.rest(s, send)
			return
		}
	}
}

// rest takes what has come before the end.
func (d *Monitor) rest(s *events.Subscription, send func(match.Event)) {
	for {
		select {
		case ev, ok := <-s.Events():
			if !ok {
				return
			}
			say(send, d.watch.Event(ev))
		case n := <-d.notes:
			d.heard(n, send)
		default:
			return
		}
	}
}

func (d *Monitor) heard(n note, send func(match.Event)) {
	if n.sample != nil {
		say(send, d.watch.Sample(*n.sample))
	}
	if n.event != nil {
		send(*n.event)
	}
}

func say(send func(match.Event), warnings []Warning) {
	for _, w := range warnings {
		send(event(w))
	}
}

func event(w Warning) match.Event {
	return match.Event{Type: match.EventWarning, Kind: w.Kind, Engine: w.Engine, Slot: w.Slot, Note: w.Note}
}
