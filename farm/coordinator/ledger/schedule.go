package ledger

import (
	"cmp"
	"slices"

	"gogi/internal/lists"
)

// A Test is a run that needs slots of workers.
type Test struct {
	Run      string // the plan's digest
	Owner    string
	Priority int     // a higher priority always comes first.
	Share    float64 // share of the slots among the tests of one priority, above 0.
	Cost     float64 // slot-seconds of a pair, above 0.
	Spent    bool    // its owner has used the quota, so it gets only slots that no other test uses.
}

// A Worker has the data of a requesting worker that a Schedule needs.
type Worker struct {
	Open []string              // runs whose engines the worker has open
	Can  func(run string) bool // reports whether the worker may play a run. nil allows any run.
}

// A Schedule chooses the run of a free slot. Among the runs of the highest priority it chooses the run that
// has used the fewest slot-seconds in relation to its share. So the used slots follow the shares after every
// grant. Slots that a run cannot use go to the other runs.
type Schedule struct {
	// OwnerMax is the part of the slots that the runs of one owner may hold while other owners wait. 0 and 1
	// mean all slots.
	OwnerMax float64
	// Slots is the number of slots of all workers.
	Slots int

	tests []*entry // in the order of Set
	clock map[int]float64
}

// An entry is a test with the slot-seconds that it has received.
type entry struct {
	Test
	had  float64 // slot-seconds of the granted pairs, divided by the share
	held int
	dry  bool // in the current call of Pick, this test has no pair to grant
}

const (
	// maxBehind is the number of pairs that a run may be behind its share before a worker opens the run's engines.
	// Until then the worker plays runs whose engines are open. With a much larger value the shares would not stay
	// within 2% over 1,000 grants.
	maxBehind = 4
	// arrears is the largest number of pairs that a run may catch up if it could not use its share.
	arrears = 5 * maxBehind
)

// Set adds a test or changes it. A new test, or a test with a new priority or share, is treated as if it had
// received as many slot-seconds as the other tests.
func (s *Schedule) Set(t Test) {
	if i := s.index(t.Run); i >= 0 {
		e := s.tests[i]
		if e.Priority != t.Priority || e.Share != t.Share {
			e.had = s.clock[t.Priority]
		}
		e.Test = t
		return
	}
	s.tests = append(s.tests, &entry{Test: t, had: s.clock[t.Priority]})
}

// Remove deletes a test.
func (s *Schedule) Remove(run string) {
	s.tests = slices.DeleteFunc(s.tests, func(e *entry) bool { return e.Run == run })
}

// Held sets the number of a run's pairs that the workers hold now.
func (s *Schedule) Held(run string, pairs int) {
	if i := s.index(run); i >= 0 {
		s.tests[i].held = pairs
	}
}

func (s *Schedule) index(run string) int {
	return slices.IndexFunc(s.tests, func(e *entry) bool { return e.Run == run })
}

// Pick distributes up to n pairs among the runs for the worker w. It calls grant with a run and the wanted
// number of pairs, and grant returns how many pairs it has granted. If that number is smaller, Pick does not
// call grant again for this run.
func (s *Schedule) Pick(w Worker, n int, grant func(run string, n int) int) {
	for _, e := range s.tests {
		e.dry = w.Can != nil && !w.Can(e.Run)
	}
	for n > 0 {
		e, alone := s.choose(w)
		if e == nil {
			return
		}
		want := 1
		if alone {
			want = n
		}
		got := min(want, max(0, grant(e.Run, want)))
		e.dry = got < want
		n -= got
		s.charge(e, got)
	}
}

// charge adds the cost of granted pairs to the slot-seconds that a test has received.
func (s *Schedule) charge(e *entry, pairs int) {
	if pairs == 0 {
		return
	}
	if s.clock == nil {
		s.clock = map[int]float64{}
	}
	e.had = s.owed(e)
	s.clock[e.Priority] = max(s.clock[e.Priority], e.had)
	e.had += float64(pairs) * e.Cost / e.Share
	e.held += pairs
}

// owed returns the slot-seconds that a test counts as having received, divided by its share. A test that could not
// use its share for a long time counts as at most arrears pairs behind the others.
func (s *Schedule) owed(e *entry) float64 {
	return max(e.had, s.clock[e.Priority]-arrears*e.Cost/e.Share)
}

// choose returns the test that gets the next pair of the worker w, or nil if no test has a pair to grant. alone
// reports whether this is the only test with pairs to grant.
func (s *Schedule) choose(w Worker) (chosen *entry, alone bool) {
	wanting := lists.Filter(s.tests, func(e *entry) bool { return !e.dry })
	if len(wanting) == 0 {
		return nil, false
	}
	alone = len(wanting) == 1
	for _, better := range []func(*entry) bool{func(e *entry) bool { return !e.Spent }, s.modest()} {
		if some := where(wanting, better); len(some) > 0 {
			wanting = some
		}
	}
	top := slices.MaxFunc(wanting, func(a, b *entry) int { return cmp.Compare(a.Priority, b.Priority) }).Priority
	wanting = where(wanting, func(e *entry) bool { return e.Priority == top })
	byHad := func(a, b *entry) int { return cmp.Compare(s.owed(a), s.owed(b)) }
	if open := where(wanting, func(e *entry) bool { return slices.Contains(w.Open, e.Run) }); len(open) > 0 {
		kept := slices.MinFunc(open, byHad)
		wanting = where(wanting, func(e *entry) bool { return (s.owed(kept)-s.owed(e))*e.Share > maxBehind*e.Cost })
		if len(wanting) == 0 {
			return kept, alone
		}
	}
	return slices.MinFunc(wanting, byHad), alone
}

func where(list []*entry, keep func(*entry) bool) (kept []*entry) {
	return lists.Filter(list, keep)
}

// modest returns a function that reports whether the owner of a test may hold one more pair within the limit
// OwnerMax.
func (s *Schedule) modest() func(*entry) bool {
	held, total := map[string]int{}, 0
	for _, e := range s.tests {
		held[e.Owner] += e.held
		total += e.held
	}
	all := max(s.Slots, total) // prefetched pairs count in the same way for all owners
	return func(e *entry) bool { return s.OwnerMax <= 0 || float64(held[e.Owner]+1) <= s.OwnerMax*float64(all) }
}
