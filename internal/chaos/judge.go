// Package chaos is a test of a farm of real processes that are killed and stopped at
// random, and a judge of what they did. The judge knows nothing of a coordinator's
// reasons: it reads the trace that all its processes have written, and the database, and
// says which promises were broken.
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
	Redeliver  int // messages that were delivered again: a coordinator died before it had acknowledged them
	Dropped    int // leases that a worker held and was told to throw away
	Refused    int
	Acked      int
	StoredTold int // pairs
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
	evidence Evidence
	wrong    []string
	grants   map[lease]string        // worker
	epochs   map[farm.Epoch]lease    // that were granted
	beats    map[lease]string        // worker and session
	told     map[string]map[int]bool // run → pairs that somebody was told to be stored
	boot     uint64
}

func (l *ledgerOf) broken(format string, v ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf(format, v...))
}

// Judge says which promises a history and what is stored of a run break; none: it
// returns what happened. Stored is the whole run: pairs by number. The promises, as
// docs/farm.md numbers them: I1 every pair is stored, I3 nothing is stored that was not
// granted to who played it, I4 what was told to be stored is, I6 no number of a grant is
// given out twice, I11 a lease is held by one session.
func Judge(h *History, run string, pairs int, stored map[int]match.Provenance) (Evidence, []string) {
	l := &ledgerOf{grants: map[lease]string{}, epochs: map[farm.Epoch]lease{}, beats: map[lease]string{}, told: map[string]map[int]bool{}}
	for i := range h.Steps {
		l.step(&h.Steps[i])
	}
	l.count(h)
	for id := range pairs {
		if _, ok := stored[id]; !ok {
			l.broken("I1: pair %d is not stored", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		p := stored[id]
		if id < 0 || id >= pairs {
			l.broken("I1: pair %d is stored, and the run has %d", id, pairs)
		}
		if who := l.grants[lease{run, id, farm.Epoch(p.Epoch)}]; who != p.Worker {
			l.broken("I3: pair %d is stored as played by %s under epoch %d, which was granted to %q", id, p.Worker, p.Epoch, who)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.told[run])) {
		if _, ok := stored[id]; !ok {
			l.broken("I4: a worker was told that pair %d is stored, and it is not", id)
		}
	}
	return l.evidence, l.wrong
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
			l.grant(s.Worker, leaseOf(h))
		}
	case "beat":
		for _, h := range s.Leases {
			l.beat(s, leaseOf(h))
		}
	case "stored":
		for _, h := range s.Leases {
			if l.told[h.Run] == nil {
				l.told[h.Run] = map[int]bool{}
			}
			l.told[h.Run][h.Pair] = true
		}
	}
}

func (l *ledgerOf) grant(worker string, g lease) {
	if before, ok := l.epochs[g.epoch]; ok {
		l.broken("I6: epoch %d was granted for pair %d and for pair %d", g.epoch, before.pair, g.pair)
	}
	l.epochs[g.epoch], l.grants[g] = g, worker
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
	grants := map[string]map[int]int{}
	for g := range l.grants {
		if grants[g.run] == nil {
			grants[g.run] = map[int]int{}
		}
		grants[g.run][g.pair]++
	}
	for _, byPair := range grants {
		for _, n := range byPair {
			e.Granted++
			if n > 1 {
				e.Again++
			}
		}
	}
	messages := map[lease]map[uint64]bool{}
	adopted := map[lease]bool{}
	boot := uint64(0)
	for i := range h.Steps {
		s := &h.Steps[i]
		switch s.What {
		case "boot":
			e.Boots++
			boot = s.Seq
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
			for _, item := range s.Leases {
				if messages[leaseOf(item)] == nil {
					messages[leaseOf(item)] = map[uint64]bool{}
				}
				messages[leaseOf(item)][s.Seq] = true
			}
		case "drop":
			e.Dropped += len(s.Leases)
		case "refused":
			e.Refused++
		case "acked":
			e.Acked++
		}
	}
	for _, seqs := range messages {
		if len(seqs) > 1 {
			e.Twice++
		}
	}
	rivals := map[string]map[int]int{}
	for item := range messages {
		if rivals[item.run] == nil {
			rivals[item.run] = map[int]int{}
		}
		if rivals[item.run][item.pair]++; rivals[item.run][item.pair] == 2 {
			e.Rivals++
		}
	}
	e.Adopted = len(adopted)
	for _, told := range l.told {
		e.StoredTold += len(told)
	}
}
