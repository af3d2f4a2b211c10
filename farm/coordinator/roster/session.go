package roster

import (
	"slices"
	"time"

	"gogi/farm"
)

// A Session is the current process of a worker.
type Session struct {
	Name, Owner string
	ID          string // farm.Hello.Session
	Start       uint64
	Beat        uint64 // number of the latest heartbeat
	Hello       farm.Hello
	Slots       int
	Load, NPS   float64
	Seen        time.Time
	Refuses     []string // runs that the worker does not play, by its latest request for pairs
	Why         []string // the reasons, in the order of Refuses; may be shorter
}

// Refusal reports whether the worker refuses to play a run, and why.
func (s *Session) Refusal(run string) (why string, refuses bool) {
	i := slices.Index(s.Refuses, run)
	if i < 0 {
		return "", false
	}
	if i < len(s.Why) {
		return s.Why[i], true
	}
	return "it gave no reason", true
}

// ShownRefusals is the maximum number of refusals in the status of a test.
const ShownRefusals = 20

// retryMost is the longest time between two requests of a worker for pairs.
const retryMost = time.Minute

// Refusals returns the connected workers that refuse a run of an owner, with the reasons that who may read. It
// returns at most ShownRefusals.
func (r *Roster) Refusals(now time.Time, run, owner string, who Key) (list []string) {
	for name, s := range r.Sessions {
		if why, refuses := s.Refusal(run); refuses && now.Sub(s.Seen) < 2*retryMost {
			list = append(list, name+": "+who.Text(why, s.Owner, owner))
		}
	}
	slices.Sort(list)
	return list[:min(len(list), ShownRefusals)]
}

// SessionOf returns the session of a request, or nil if the worker must send Hello first.
func (r *Roster) SessionOf(worker, session string) *Session {
	s := r.Sessions[worker]
	if s == nil || s.ID != session {
		return nil
	}
	s.Seen = time.Now()
	return s
}

// exitUpdate is the exit code of a process that must update itself.
const exitUpdate = 5

// Admit returns the owner of a worker that begins a session, or a rejection. The worker needs a valid key and a
// protocol that the farm speaks. It must not be in quarantine, and no newer process of it may be connected.
func (r *Roster) Admit(name string, h *farm.Hello) (owner string, refusal *farm.Refusal) {
	key, refusal := r.WorkKey(name)
	if refusal != nil {
		return "", refusal
	}
	if h.Protocol < farm.Oldest {
		refusal = farm.Refusef("the worker speaks protocol %d, the farm %d to %d: a newer gogi is needed", h.Protocol,
			farm.Oldest, farm.Protocol)
		refusal.Exit = exitUpdate
		return "", refusal
	}
	if err := h.Check(); err != nil {
		return "", farm.Refusef("%v", err)
	}

	if w := r.Workers[name]; w != nil && w.Quarantine != "" {
		return "", farm.Refusef("%s is in quarantine: %s", name, w.Quarantine)
	}
	if old := r.Sessions[name]; old != nil && old.ID != h.Session && h.Start < old.Start {
		return "", farm.Refusef("a newer process of %s is here (start %d, this one is start %d)", name, old.Start, h.Start)
	}
	return key.Owner, nil
}

// Join makes a process the current session of its worker. created is true if the worker had another session or
// none.
func (r *Roster) Join(name, owner string, h farm.Hello) (s *Session, created bool) {
	r.Changes++
	w := r.Worker(name, owner)
	s = r.Sessions[name]
	if s == nil || s.ID != h.Session {
		s, created = &Session{Name: name, ID: h.Session}, true
		r.Sessions[name] = s
	}
	s.Owner, s.Start, s.Hello, s.Slots, s.NPS, s.Seen = owner, h.Start, h, h.Slots, h.NPS, time.Now()
	w.describe(name, &h, s.Seen)
	return s, created
}

// newSlots is the number of slots that count for an untrusted worker without stored pairs, see Slots.
const newSlots = 8

// Slots returns how many of a worker's slots count. If the worker is trusted, all its slots count. If it is not, at
// most newSlots count, and one more for each of its stored pairs, see Earned.
func (r *Roster) Slots(s *Session) int {
	if w := r.Workers[s.Name]; r.Untrusted(w) {
		return min(s.Slots, CountedSlots(r.Earned(w)))
	}
	return s.Slots
}

// CountedSlots returns how many slots count for one untrusted worker that has earned this number of slots.
func CountedSlots(earned int) int { return newSlots + earned }
