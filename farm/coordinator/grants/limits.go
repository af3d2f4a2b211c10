package grants

import (
	"math"
	"slices"
	"time"

	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
)

// fair returns how many unfinished pairs of a run a worker may hold, see ledger.Fair.
func (s *Grants) fair(now time.Time, r *tests.Test, w *roster.Session) int {
	t := s.of(r)
	changed := t.crowd.version != s.config.Roster.Changes &&
		now.Sub(t.crowd.counted) >= crowdPause(len(s.config.Roster.Sessions))
	if changed || t.crowd.slots == 0 || now.Sub(t.crowd.counted) >= crowdAge {
		t.crowd = s.slotsFor(now, r, w)
	}
	slots := s.config.Roster.Slots(w)
	if of := t.crowd.owners[w.Owner]; of.all > slots && s.config.Roster.Untrusted(s.config.Roster.Workers[w.Name]) {
		fair := ledger.Fair(r.Ledger.Remaining(), of.count(), t.crowd.slots)
		return (fair*slots + of.all - 1) / of.all // the owner's keys share what one worker may hold
	}
	return ledger.Fair(r.Ledger.Remaining(), slots, max(t.crowd.slots, slots))
}

// An allowance is the number of further pairs that the coordinator may grant to the untrusted workers of one owner
// together. Together they may hold as many unfinished pairs as one worker with all their slots (see mayHold). With
// their finished pairs they may hold four times as many.
type allowance struct {
	left    int
	counted time.Time
}

// allowance returns the allowance of an owner. To count it, gogi must walk over all workers, so it counts at most
// once per crowdAge. If the last count leaves fewer pairs than want, it counts again after a twentieth of crowdAge.
func (s *Grants) allowance(now time.Time, owner string, want int) allowance {
	a, ok := s.allowed[owner]
	if age := now.Sub(a.counted); ok && age < crowdAge && (a.left >= want || age < crowdAge/20) {
		return a
	}
	claimed, most, held, playing := 0, roster.CountedSlots(0), 0, 0
	for name, w := range s.config.Roster.Workers {
		if w.Owner != owner || !s.config.Roster.Untrusted(w) {
			continue
		}
		most += s.config.Roster.Earned(w)
		h, p := s.config.Tests.HeldBy(name)
		held, playing = held+h, playing+p
		if s := s.config.Roster.Sessions[name]; s != nil {
			claimed += s.Slots
		}
	}
	may := mayHold(min(claimed, most))
	a = allowance{min(may-playing, 4*may-held), now}
	s.allowed[owner] = a
	return a
}

// untrustedLeft returns how many more pairs of a run an untrusted worker may get. There is a limit only in a run
// with an SPRT that a trusted worker plays too. untrustedLeft looks at the pairs of the window and at as many pairs
// before it. Of these, untrusted workers may hold or have stored at most half the window's size, and those of one
// owner at most a quarter. So they have at most this part of any range of pairs as long as the window.
func (s *Grants) untrustedLeft(now time.Time, r *tests.Test, w *roster.Session, want int) int {
	t := s.of(r)
	if r.Gate == nil || !t.crowd.trusted || !s.config.Roster.Untrusted(s.config.Roster.Workers[w.Name]) {
		return math.MaxInt
	}
	if age := now.Sub(t.untrusted.counted); age >= crowdAge || age >= crowdAge/20 &&
		t.untrusted.left(w.Owner, r.Window) < want {
		t.untrusted = s.countUntrusted(now, r)
	}
	return t.untrusted.left(w.Owner, r.Window)
}

// untrustedPairs counts those pairs of untrusted workers to which Coordinatot.untrustedLeft applies. A count is a
// walk over the window and all leases. So gogi adds new grants to the numbers, and counts again after crowdAge. If
// the numbers leave too few pairs, it counts again after a twentieth of crowdAge.
type untrustedPairs struct {
	all     int
	byOwner map[string]int
	counted time.Time
}

// left returns how many more pairs the workers of an owner may get. window is the size of the ledger's window.
func (n *untrustedPairs) left(owner string, window int) int {
	return min(window/4-n.byOwner[owner], window/2-n.all)
}

// add counts granted pairs of a worker. Before the first count it does nothing.
func (n *untrustedPairs) add(owner string, pairs int) {
	if n.byOwner != nil {
		n.all += pairs
		n.byOwner[owner] += pairs
	}
}

// countUntrusted counts the pairs of the untrusted workers of a run in the window, and in as many pairs before it.
func (s *Grants) countUntrusted(now time.Time, r *tests.Test) untrustedPairs {
	pairs := map[string]int{}
	count := func(worker string) { pairs[worker]++ }
	prefix := r.Ledger.State().Prefix
	for _, name := range r.PlayedBy.Between(prefix-r.Window, prefix+r.Window) {
		count(name)
	}
	r.Ledger.EachHeld(count)
	out := untrustedPairs{byOwner: map[string]int{}, counted: now}
	for name, n := range pairs {
		if name != "" && !s.config.Roster.Trusted(name) { // "" is a pair that is not stored
			out.add(s.config.Roster.OwnerOf(name), n)
		}
	}
	return out
}

// trustedWait is the time for which a trusted worker that holds no pair of a run still limits the untrusted
// workers.
const trustedWait = 10 * time.Minute

// A crowd is the result of a count: the number of slots of all workers that could play a run at that time.
type crowd struct {
	slots   int
	trusted bool // a trusted worker holds a pair of the run, or has not waited long for one
	counted time.Time
	version int // the value of roster.Roster.Changes
	owners  map[string]ownerSlots
}

// ownerSlots has the slots of the untrusted workers of one owner. If the owner has many keys, fewer of them count.
type ownerSlots struct {
	all    int // of all these workers, see roster.Roster.Slots
	earned int // see roster.Roster.Earned
}

// count returns how many of the slots count together: as many as for one worker.
func (o ownerSlots) count() int { return min(o.all, roster.CountedSlots(o.earned)) }

// crowdAge is the time after which the slots that may play a run are counted again. With 10,000 workers, a walk over
// all sessions for each grant would need a CPU core. Within this time only a session that expires can change
// the count.
const crowdAge = time.Second

// crowdPause returns the shortest time between two counts of a crowd in a farm with this number of sessions.
// Without it, the coordinator would read all sessions for every grant in two cases: if one worker sends a Hello
// before each request, or if many workers join at the same time.
func crowdPause(sessions int) time.Duration {
	return min(time.Duration(sessions/100)*10*time.Millisecond, crowdAge)
}

// slotsFor counts the slots of the workers that may play a run now, including the slots of s.
func (s *Grants) slotsFor(now time.Time, r *tests.Test, w *roster.Session) crowd {
	t := s.of(r)
	out := crowd{counted: now, version: s.config.Roster.Changes, owners: map[string]ownerSlots{}}
	for name, other := range s.config.Roster.Sessions {
		known := s.config.Roster.Workers[name]
		here := now.Sub(other.Seen) < s.config.Lease && known.Quarantine == "" && !known.Draining
		if name == w.Name || here && s.config.Roster.Meets(r.Needs, name, other.Hello.Labels) &&
			!slices.Contains(other.Refuses, r.Digest) && s.unfit(r, other) == nil {
			if s.config.Roster.Untrusted(known) {
				of := out.owners[other.Owner]
				out.owners[other.Owner] = ownerSlots{of.all + s.config.Roster.Slots(other),
					of.earned + s.config.Roster.Earned(known)}
				continue
			}
			out.slots += s.config.Roster.Slots(other)
			out.trusted = true
			if t.trusted.IsZero() || r.Ledger.HeldBy(name) > 0 {
				t.trusted = now
			}
		}
	}
	for _, of := range out.owners {
		out.slots += of.count()
	}
	out.trusted = out.trusted && now.Sub(t.trusted) < trustedWait
	return out
}
