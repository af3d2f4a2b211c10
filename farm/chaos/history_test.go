// Package chaos tests a farm of real processes while it kills them, stops them, cuts their network and fills their
// disks. Then Judge compares the history that all processes wrote with the database, and lists the broken promises. It
// uses no data from inside the coordinator.
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

// The steps that the test itself writes into a trace, in addition to those of coordinators. A worker ("": the
// coordinator) was killed with SIGKILL, or was stopped with SIGSTOP for longer than its lease. Or it was disconnected
// (Seq: dropped packets), or its key was revoked.
const (
	StepKilled  = "killed"
	StepStopped = "stopped"
	StepCut     = "cut"
	StepRevoked = "revoked"
)

// A History holds the steps of a trace, in order.
type History struct {
	Steps []site.Step
	Torn  int // unreadable lines: the last lines of killed processes
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

// Evidence counts the events of a farm in its trace.
type Evidence struct {
	Boots      int
	Granted    int // pairs
	Again      int // pairs with more than one grant: a lease had ended
	Adopted    int // leases of an earlier coordinator process that a later one extended
	Twice      int // results that came in more than one message
	Rivals     int // pairs with results under more than one lease: the first in the stream counts
	Late       int // pairs whose later lease had its result before an earlier lease
	Redeliver  int // messages that came again, because a coordinator died before the acknowledgement
	Between    int // messages among them that were stored before the coordinator died
	Dropped    int // leases that a worker held and had to drop
	Refused    int
	Acked      int
	StoredTold int // pairs reported as stored

	// The test itself writes the steps of these fields.
	Killed, KilledCoordinator, Stopped int
	Cut                                int    // disconnections
	CutPackets                         uint64 // packets that the disconnections dropped
	Revoked                            int
}

// Missing returns the classes of faults that did not happen in a random round (I12).
func (e Evidence) Missing() (missing []string) {
	for _, class := range []struct {
		name string
		n    int
	}{
		{"a worker was killed", e.Killed}, {"a worker was stopped", e.Stopped},
		{"a coordinator was killed", e.KilledCoordinator},
		{"it booted again", e.Boots - 1}, {"a lease ended and its pair was granted again", e.Again},
		{"a lease was adopted", e.Adopted},
		{"a result came under two messages", e.Twice}, {"two leases of a pair had results", e.Rivals},
		{"results overtook each other", e.Late},
		{"a message was delivered again", e.Redeliver}, {"it died between storing and acknowledging", e.Between},
		{"a result was refused", e.Refused},
	} {
		if class.n <= 0 {
			missing = append(missing, class.name)
		}
	}
	return missing
}

// A Run is a test with its stored pairs.
type Run struct {
	Digest  string
	Pairs   int
	Stored  map[int]match.Provenance // by pair
	Window  int                      // number of pairs beyond the finished prefix that may be granted; 0: any number
	Stopped bool                     // the test ended before all of its pairs were needed
}

type pairOf struct {
	run  string
	pair int
}

type lease struct {
	pairOf
	epoch farm.Epoch
}

func leaseOf(h farm.Held) lease { return lease{pairOf{h.Run, h.Pair}, h.Epoch} }

// A judge is the state of Judge.
type judge struct {
	run      Run
	evidence Evidence
	wrong    []string
	grants   map[lease]string     // worker
	epochs   map[farm.Epoch]lease // granted ones
	beats    map[lease]string     // worker and session
	told     map[pairOf]bool      // pairs that the coordinator reported to a worker as stored
	boot     uint64

	refused   map[uint64]bool           // messages
	delivered map[lease]uint64          // the first message with a lease
	messages  map[lease]map[uint64]bool // all messages with a lease
	came      map[pairOf][]farm.Epoch   // leases in the order of their first results
	arrived   map[int]bool              // pairs of the run with a message that was not refused
	prefix    int                       // of arrived
	revoked   map[string]bool           // workers

	adopted     map[lease]bool
	acked, sure map[uint64]bool // acknowledged messages, of earlier boots and of this one
}

func (j *judge) broken(format string, v ...any) { j.wrong = append(j.wrong, fmt.Sprintf(format, v...)) }

// Judge returns the evidence of a history, and the promises that the history and the stored pairs break. The promises
// have the numbers of docs/farm.md: I1 every pair is stored. I3 every stored pair was granted to its worker. I4 a pair
// that is reported as stored is stored. I6 no number of a grant is used twice. I7 no pair is granted beyond the window.
// I9 no result counts that came after its key was revoked. I11 one session holds a lease.
func Judge(h *History, run Run) (Evidence, []string) {
	j := &judge{
		run: run, grants: map[lease]string{}, epochs: map[farm.Epoch]lease{}, beats: map[lease]string{},
		told:    map[pairOf]bool{},
		refused: map[uint64]bool{}, delivered: map[lease]uint64{}, messages: map[lease]map[uint64]bool{},
		came:    map[pairOf][]farm.Epoch{},
		arrived: map[int]bool{}, revoked: map[string]bool{}, adopted: map[lease]bool{}, acked: map[uint64]bool{},
		sure: map[uint64]bool{},
	}
	for i := range h.Steps {
		if s := &h.Steps[i]; s.What == "refused" && s.Seq > 0 {
			j.refused[s.Seq] = true
		}
	}
	for i := range h.Steps {
		j.step(&h.Steps[i])
	}
	j.count()
	j.stored()
	return j.evidence, j.wrong
}

func (j *judge) step(s *site.Step) {
	e := &j.evidence
	switch s.What {
	case "boot":
		if s.Seq <= j.boot {
			j.broken("I6: boot %d after boot %d", s.Seq, j.boot)
		}
		j.boot = s.Seq
		e.Boots++
		maps.Copy(j.acked, j.sure)
		clear(j.sure)
	case "grant":
		for _, h := range s.Leases {
			j.grant(s.Worker, h)
		}
	case "beat":
		for _, h := range s.Leases {
			j.beat(s, leaseOf(h))
		}
	case "delivery":
		j.delivery(s)
	case "stored":
		for _, h := range s.Leases {
			j.told[leaseOf(h).pairOf] = true
		}
	case "drop":
		e.Dropped += len(s.Leases)
	case "refused":
		e.Refused++
	case "acked":
		e.Acked++
		j.sure[s.Seq] = true
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
		j.revoked[s.Worker] = true
	}
}

func (j *judge) grant(worker string, h farm.Held) {
	g := leaseOf(h)
	if before, ok := j.epochs[g.epoch]; ok {
		j.broken("I6: epoch %d was granted for pair %d and for pair %d", g.epoch, before.pair, g.pair)
	}
	j.epochs[g.epoch], j.grants[g] = g, worker
	if j.revoked[worker] {
		j.broken("I9: pair %d is granted to %s, whose key was revoked", g.pair, worker)
	}
	if w := j.run.Window; w > 0 && g.run == j.run.Digest && !h.Audit && g.pair >= j.prefix+w {
		j.broken("I7: pair %d is granted, and of the %d first pairs at most %d beyond may be", g.pair, j.prefix, w)
	}
}

// delivery moves the prefix as early as the coordinator can. So a pair beyond the window of this prefix was beyond the
// coordinator's window too.
func (j *judge) delivery(s *site.Step) {
	if s.Again {
		j.evidence.Redeliver++
		if j.acked[s.Seq] { // "acked" is written after all pairs are stored, and before the acknowledgement
			j.evidence.Between++
			delete(j.acked, s.Seq)
		}
	}
	for _, h := range s.Leases {
		g := leaseOf(h)
		if _, ok := j.delivered[g]; !ok && !j.revoked[s.Worker] {
			j.delivered[g] = s.Seq
		}
		if j.messages[g] == nil {
			j.messages[g] = map[uint64]bool{}
			j.came[g.pairOf] = append(j.came[g.pairOf], g.epoch)
		}
		j.messages[g][s.Seq] = true
		if g.run == j.run.Digest && !j.refused[s.Seq] {
			j.arrived[g.pair] = true
		}
	}
	for j.arrived[j.prefix] {
		j.prefix++
	}
}

func (j *judge) beat(s *site.Step, g lease) {
	who := s.Worker + "/" + s.Start
	before, ok := j.beats[g]
	switch {
	case ok && before != who:
		j.broken("I11: the lease of pair %d under epoch %d is held by %s and by %s", g.pair, g.epoch, before, who)
	case j.grants[g] != s.Worker:
		j.broken("I11: %s holds pair %d under epoch %d, which was granted to %q", s.Worker, g.pair, g.epoch, j.grants[g])
	}
	j.beats[g] = who
	if uint64(g.epoch>>32) < j.boot {
		j.adopted[g] = true
	}
}

// stored compares the stored pairs with the history.
func (j *judge) stored() {
	run := &j.run
	for id := range run.Pairs {
		if _, ok := run.Stored[id]; !ok && !run.Stopped {
			j.broken("I1: pair %d is not stored", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(run.Stored)) {
		p := run.Stored[id]
		if id < 0 || id >= run.Pairs {
			j.broken("I1: pair %d is stored, and the run has %d", id, run.Pairs)
		}
		g := lease{pairOf{run.Digest, id}, farm.Epoch(p.Epoch)}
		if who := j.grants[g]; who != p.Worker {
			j.broken("I3: pair %d is stored as played by %s under epoch %d, which was granted to %q", id, p.Worker, p.Epoch, who)
		}
		if _, came := j.delivered[g]; j.revoked[p.Worker] && !came {
			j.broken("I9: pair %d is stored as played by %s, whose key was revoked before the result came", id, p.Worker)
		}
	}
	for p := range j.told {
		if _, ok := run.Stored[p.pair]; !ok && p.run == run.Digest {
			j.broken("I4: a worker was told that pair %d is stored, and it is not", p.pair)
		}
	}
}

// count counts pairs that were granted or came more than once, and results out of order.
func (j *judge) count() {
	e := &j.evidence
	grants := map[pairOf]int{}
	for g := range j.grants {
		grants[g.pairOf]++
	}
	e.Granted, e.Adopted, e.StoredTold = len(grants), len(j.adopted), len(j.told)
	for _, n := range grants {
		if n > 1 {
			e.Again++
		}
	}
	for _, seqs := range j.messages {
		if len(seqs) > 1 {
			e.Twice++
		}
	}
	for _, epochs := range j.came {
		if len(epochs) > 1 {
			e.Rivals++
		}
		if !slices.IsSorted(epochs) {
			e.Late++
		}
	}
}
