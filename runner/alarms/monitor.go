package alarms

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/match"
	"gogi/runner/crash"
	"gogi/runner/events"
	"gogi/usi"
)

// Monitor connects a [Watch] to a run that is being played. It gives the Watch the events of the run and the
// memory use of the engine processes, and sends each warning of the Watch as an event. It also sends an event
// if a council member fails, and if a crash dump or a transcript cannot be written.
type Monitor struct {
	// Noted, if not nil, is called once for each note by which a player, or the member of a council, reports a failure
	// before its first search. Follow calls it.
	Noted func(player, note string)

	watch *Watch

	// notes is a queue of functions from all slots. Each one gives a sample to the Watch, or sends an event. Follow
	// calls each function with send, the function that sends an event. If the queue is full, add drops the function.
	// The channel is never closed.
	notes chan func(send func(match.Event))

	mu      sync.Mutex
	sampled map[*crash.Recorder]*sampling
	noted   map[string][]string // by player
}

type sampling struct {
	games int
	last  time.Time
}

// NewMonitor returns the monitor for one session of a plan. A session is the time in which one process plays
// the run.
func NewMonitor(plan *match.Plan) *Monitor {
	return &Monitor{watch: NewWatch(plan), notes: make(chan func(func(match.Event)), 256),
		sampled: map[*crash.Recorder]*sampling{}, noted: map[string][]string{}}
}

// Attend sets the callbacks of r. The monitor then receives the start of games, failures of council members,
// and failed writes.
func (d *Monitor) Attend(r *crash.Records) {
	r.Playing, r.Ended, r.Member, r.Noted = d.playing, d.ended, d.member, d.note
	r.Keeper.Listen(d.trouble)
}

// sampleEvery is the minimum time between two samples of a process. A sample takes about 50 µs, and more for an
// engine with many threads.
const sampleEvery = 2 * time.Second

// Resident is a process that can measure its own memory use.
type Resident interface {
	// Resident returns the memory use of the process and its descendants in bytes, without pages of files.
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
		return // the process has just ended
	}
	s := Sample{
		Player: r.Name(), Slot: g.Slot, PID: r.Process.PID(), Games: games, Bytes: held, Tables: tables(r.Player.Options),
	}
	d.add(func(send func(match.Event)) { sendAll(send, d.watch.Sample(s)) })
}

// due counts a game that begins in the process of the recorder r. games is the number of games that the process had
// begun before. due is true if it is time for another sample of the memory use.
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

// defaultTables is the assumed table size of an engine without the option USI_Hash. It is YaneuraOu's default, which is
// the largest known default.
const defaultTables = 1 << 30

// tables returns the total size of the hash tables in bytes, from options in MB.
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

// member sends the event of a failed council member.
func (d *Monitor) member(m crash.MemberFault) {
	ev := match.Event{
		Type: match.EventFault, Engine: m.Council + "/" + m.Member, Kind: m.Kind, Note: m.Note, Bundle: m.Bundle,
	}
	if g := m.Game; g.Pair != usi.NoPair {
		ev.Pair, ev.Leg, ev.Slot = &g.Pair, &g.Leg, &g.Slot
	}
	d.add(func(send func(match.Event)) { send(ev) })
}

// mostNotes is the largest number of notes of one player. An engine may write one for each of many files.
const mostNotes = 3

// note sends the warning of a note, once for each player and text.
func (d *Monitor) note(r *crash.Recorder, text string) {
	name := r.Name()
	d.mu.Lock()
	known := d.noted[name]
	fresh := len(known) < mostNotes && !slices.Contains(known, text)
	if fresh {
		d.noted[name] = append(known, text)
	}
	d.mu.Unlock()
	if !fresh {
		return
	}
	ev := event(Warning{Kind: Notes, Engine: name, Note: "reports before its first search: " + text})
	d.add(func(send func(match.Event)) {
		if d.Noted != nil {
			d.Noted(name, text)
		}
		send(ev)
	})
}

func (d *Monitor) trouble(p crash.Problem) {
	ev := event(Warning{Kind: Records, Note: fmt.Sprintf("%s: %v: it is not kept; the games go on", p.Path, p.Err)})
	d.add(func(send func(match.Event)) { send(ev) })
}

func (d *Monitor) add(n func(send func(match.Event))) {
	select {
	case d.notes <- n:
	default: // a full channel has more notes than a user can read
	}
}

// buffer is the maximum number of unread events of the monitor. If there are more, the hub ends its subscription.
// Follow subscribes again and misses some events.
const buffer = 4096

// Follow gives the events of hub to the Watch until ctx ends, and calls send with each warning as an event.
// Follow is a function for series.Config.Monitors.
func (d *Monitor) Follow(ctx context.Context, hub *events.Hub, send func(match.Event)) {
	s := hub.SubscribeExcept(match.EventMove, buffer)
	defer func() { s.Close() }()
	for {
		select {
		case ev, ok := <-s.Events():
			if !ok && s.Err() == nil {
				return
			}
			if !ok {
				s = hub.SubscribeExcept(match.EventMove, buffer)
				continue
			}
			sendAll(send, d.watch.Event(*ev))
		case n := <-d.notes:
			n(send)
		case <-ctx.Done():
			d.rest(s, send)
			return
		}
	}
}

// rest handles the events and the functions in notes that are left when ctx ends. It does not wait for more.
func (d *Monitor) rest(s *events.Subscription, send func(match.Event)) {
	for {
		select {
		case ev, ok := <-s.Events():
			if !ok {
				return
			}
			sendAll(send, d.watch.Event(*ev))
		case n := <-d.notes:
			n(send)
		default:
			return
		}
	}
}

func sendAll(send func(match.Event), warnings []Warning) {
	for _, w := range warnings {
		send(event(w))
	}
}

func event(w Warning) match.Event {
	return match.Event{Type: match.EventWarning, Kind: w.Kind, Engine: w.Engine, Slot: w.Slot, Note: w.Note}
}
