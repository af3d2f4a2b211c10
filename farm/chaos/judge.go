// Package chaos tests a farm of real processes while it kills them, stops them, cuts their
// network and fills their disks. [Judge] then compares the [History] that all processes wrote
// with the database, and lists the broken promises. It does not know the coordinator's reasons.
package chaos

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"gogi/farm"
	"gogi/farm/site"
	"gogi/match"
)

// What the test itself writes into a trace, beside what coordinators write there: who was
// killed with SIGKILL ("": the coordinator), who was stopped with SIGSTOP for longer than
// its lease, who was cut off the network (Seq: packets that were dropped), and whose key
// is known to be revoked.
const (
	StepKilled  = "killed"
	StepStopped = "stopped"
	StepCut     = "cut"
	StepRevoked = "revoked"
)

// History is what the coordinators of a farm have written, in their order.
type History struct {
	Steps []site.Step
	Torn  int // lines that cannot be read: the last ones of processes that were killed
}

// Read reads a trace.
func Read(r io.Reader) (*History, error) {
	h := &History{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var s site.Step
		if json.Unmarshal(lines.Bytes(), &s) != nil {
			h.Torn++
			continue
		}
		h.Steps = append(h.Steps, s)
	}
	return h, lines.Err()
}

// Evidence is what happened to a farm, by what its trace shows.
type Evidence struct {
	Boots      int
	Granted    int // pairs
	Again      int // pairs that were granted more than once: a lease had ended
	Adopted    int // leases of a process before that went on under the next
	Twice      int // results that came under more than one message
	Rivals     int // pairs of which results came under more than one lease: the first in the stream counts
	Late       int // pairs whose later grant's result came before an earlier grant's
	Redeliver  int // messages that were delivered again: a coordinator died before it had acknowledged them
	Between    int // of these, those that were stored before it died
	Dropped    int // leases that a worker held and was told to throw away
	Refused    int
	Acked      int
	StoredTold int // pairs

	// By the test itself.
	Killed, KilledCoordinator, Stopped int
	Cut                                int    // partitions
	CutPackets                         uint64 // dropped by them
	Revoked                            int
}

// Missing are the classes of faults of a random round that have not happened (I12).
func (e Evidence) Missing() (missing []string) {
	for _, class := range []struct {
		name string
		n    int
	}{
		{"a worker was killed", e.Killed}, {"a worker was stopped", e.Stopped}, {"a coordinator was killed", e.KilledCoordinator},
		{"it booted again", e.Boots - 1}, {"a lease ended and its pair was granted again", e.Again}, {"a lease was adopted", e.Adopted},
		{"a result came under two messages", e.Twice}, {"two leases of a pair had results", e.Rivals}, {"results overtook each other", e.Late},
		{"a message was delivered again", e.Redeliver}, {"it died between storing and acknowledging", e.Between}, {"a result was refused", e.Refused},
	} {
		if class.n <= 0 {
			missing = append(missing, class.name)
		}
	}
	return missing
}

// Run is a test and what is stored of it.
type Run struct {
	Digest string
	Pairs  int
	Stored map[int]match.Provenance // by pair
	// Window is how many pairs beyond the finished prefix may be granted at the most;
	// 0: any number.
	Window int
	// Stopped says that the test ended before all of its pairs were wanted.
	Stopped bool
}

// lease names a lease.
type lease struct {
	run   string
	pair  int
	epoch farm.Epoch
}

func leaseOf(h farm.Held) lease { return lease{h.Run, h.Pair, h.Epoch} }

// ledgerOf is a history as the judge looks at it.
type ledgerOf struct {
	run      Run
	evidence Evidence
	wrong    []string
	grants   map[lease]string        // worker
	epochs   map[farm.Epoch]lease    // that were granted
	beats    map[lease]string        // worker and session
	told     map[string]map[int]bool // run → pairs that somebody was told to be stored
	boot     uint64

	refused   map[uint64]bool  // messages
	delivered map[lease]uint64 // the first message with it; of all runs
	arrived   map[int]bool     // pairs of the run with a message that was not refused
	prefix    int              // of arrived
	revoked   map[string]bool  // workers
}

func (l *ledgerOf) broken(format string, v ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf(format, v...))
}

// Judge says which promises a history and what is stored of a run break; none: it
// returns what happened. The promises, as docs/farm.md numbers them: I1 every pair is
// stored, I3 nothing is stored that was not granted to who played it, I4 what was told to
// be stored is, I6 no number of a grant is given out twice, I7 nothing is granted beyond
// the window, I9 nothing counts that came after its key was revoked, I11 a lease is held
// by one session.
func Judge(h *History, run Run) (Evidence, []string) {
	l := &ledgerOf{
		run: run, grants: map[lease]string{}, epochs: map[farm.Epoch]lease{}, beats: map[lease]string{}, told: map[string]map[int]bool{},
		refused: map[uint64]bool{}, delivered: map[lease]uint64{}, arrived: map[int]bool{}, revoked: map[string]bool{},
	}
	for i := range h.Steps {
		if s := &h.Steps[i]; s.What == "refused" && s.Seq > 0 {
			l.refused[s.Seq] = true
		}
	}
	for i := range h.Steps {
		l.step(&h.Steps[i])
	}
	l.count(h)
	l.stored()
	return l.evidence, l.wrong
}

// stored holds what is stored against the history.
func (l *ledgerOf) stored() {
	run := &l.run
	for id := range run.Pairs {
		if _, ok := run.Stored[id]; !ok && !run.Stopped {
			l.broken("I1: pair %d is not stored", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(run.Stored)) {
		p := run.Stored[id]
		if id < 0 || id >= run.Pairs {
			l.broken("I1: pair %d is stored, and the run has %d", id, run.Pairs)
		}
		g := lease{run.Digest, id, farm.Epoch(p.Epoch)}
		if who := l.grants[g]; who != p.Worker {
			l.broken("I3: pair %d is stored as played by %s under epoch %d, which was granted to %q", id, p.Worker, p.Epoch, who)
		}
		if _, came := l.delivered[g]; l.revoked[p.Worker] && !came {
			l.broken("I9: pair %d is stored as played by %s, whose key was revoked before the result came", id, p.Worker)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.told[run.Digest])) {
		if _, ok := run.Stored[id]; !ok {
			l.broken("I4: a worker was told that pair %d is stored, and it is not", id)
		}
	}
}

func (l *ledgerOf) step(s *site.Step) {
	switch s.What {
	case "boot":
		if s.Seq <= l.boot {
			l.broken("I6: boot %d after boot %d", s.Seq, l.boot)
		}
		l.boot = s.Seq
	case "grant":
		for _, h := range s.Leases {
			l.grant(s.Worker, h)
		}
	case "beat":
		for _, h := range s.Leases {
			l.beat(s, leaseOf(h))
		}
	case "delivery":
		l.delivery(s)
	case "stored":
		for _, h := range s.Leases {
			if l.told[h.Run] == nil {
				l.told[h.Run] = map[int]bool{}
			}
			l.told[h.Run][h.Pair] = true
		}
	case StepRevoked:
		l.revoked[s.Worker] = true
	}
}

func (l *ledgerOf) grant(worker string, h farm.Held) {
	g := leaseOf(h)
	if before, ok := l.epochs[g.epoch]; ok {
		l.broken("I6: epoch %d was granted for pair %d and for pair %d", g.epoch, before.pair, g.pair)
	}
	l.epochs[g.epoch], l.grants[g] = g, worker
	if l.revoked[worker] {
		l.broken("I9: pair %d is granted to %s, whose key was revoked", g.pair, worker)
	}
	if w := l.run.Window; w > 0 && g.run == l.run.Digest && !h.Audit && g.pair >= l.prefix+w {
		l.broken("I7: pair %d is granted, and of the %d first pairs at most %d beyond may be", g.pair, l.prefix, w)
	}
}

// delivery counts the prefix as early as the coordinator can know of it: so what is
// beyond the window by it was beyond the coordinator's, too.
func (l *ledgerOf) delivery(s *site.Step) {
	for _, h := range s.Leases {
		g := leaseOf(h)
		if _, ok := l.delivered[g]; !ok && !l.revoked[s.Worker] {
			l.delivered[g] = s.Seq
		}
		if g.run == l.run.Digest && !l.refused[s.Seq] {
			l.arrived[g.pair] = true
		}
	}
	for l.arrived[l.prefix] {
		l.prefix++
	}
}

func (l *ledgerOf) beat(s *site.Step, g lease) {
	who := s.Worker + "/" + s.Start
	before, ok := l.beats[g]
	switch {
	case ok && before != who:
		l.broken("I11: the lease of pair %d under epoch %d is held by %s and by %s", g.pair, g.epoch, before, who)
	case l.grants[g] != s.Worker:
		l.broken("I11: %s holds pair %d under epoch %d, which was granted to %q", s.Worker, g.pair, g.epoch, l.grants[g])
	}
	l.beats[g] = who
}

// count gathers what happened.
func (l *ledgerOf) count(h *History) {
	e := &l.evidence
	adopted := map[lease]bool{}
	acked := map[uint64]bool{} // by whoever booted before
	var sure []uint64          // of this boot
	boot := uint64(0)
	for i := range h.Steps {
		s := &h.Steps[i]
		switch s.What {
		case "boot":
			e.Boots++
			boot = s.Seq
			for _, seq := range sure {
				acked[seq] = true
			}
			sure = nil
		case "beat":
			for _, held := range s.Leases {
				if uint64(held.Epoch>>32) < boot {
					adopted[leaseOf(held)] = true
				}
			}
		case "delivery":
			if s.Again {
				e.Redeliver++
			}
			if s.Again && acked[s.Seq] { // that is written when all is stored, and before it is done
				e.Between++
				delete(acked, s.Seq)
			}
		case "drop":
			e.Dropped += len(s.Leases)
		case "refused":
			e.Refused++
		case "acked":
			e.Acked++
			sure = append(sure, s.Seq)
		default:
			e.own(s)
		}
	}
	e.Adopted = len(adopted)
	l.countGrants()
	l.countResults(h)
	for _, told := range l.told {
		e.StoredTold += len(told)
	}
}

// own counts what the test has written.
func (e *Evidence) own(s *site.Step) {
	switch s.What {
	case StepKilled:
		if s.Worker == "" {
			e.KilledCoordinator++
		} else {
			e.Killed++
		}
	case StepStopped:
		e.Stopped++
	case StepCut:
		e.Cut++
		e.CutPackets += s.Seq
	case StepRevoked:
		e.Revoked++
	}
}

// pairOf names a pair.
type pairOf struct {
	run  string
	pair int
}

func (l *ledgerOf) countGrants() {
	grants := map[pairOf]int{}
	for g := range l.grants {
		grants[pairOf{g.run, g.pair}]++
	}
	for _, n := range grants {
		l.evidence.Granted++
		if n > 1 {
			l.evidence.Again++
		}
	}
}

// countResults counts what came more than once, and out of order.
func (l *ledgerOf) countResults(h *History) {
	e := &l.evidence
	messages := map[lease]map[uint64]bool{}
	leases := map[pairOf][]farm.Epoch{} // in the order in which their results came
	for i := range h.Steps {
		s := &h.Steps[i]
		if s.What != "delivery" {
			continue
		}
		for _, item := range s.Leases {
			g := leaseOf(item)
			if messages[g] == nil {
				messages[g] = map[uint64]bool{}
				p := pairOf{g.run, g.pair}
				leases[p] = append(leases[p], g.epoch)
			}
			messages[g][s.Seq] = true
		}
	}
	for _, seqs := range messages {
		if len(seqs) > 1 {
			e.Twice++
		}
	}
	for _, epochs := range leases {
		if len(epochs) > 1 {
			e.Rivals++
		}
		if !slices.IsSorted(epochs) {
			e.Late++
		}
	}
}
