package ledger

import (
	"cmp"
	"slices"
)

// Test is a run that wants slots.
type Test struct {
	Run      string // the plan's digest
	Owner    string
	Priority int     // a higher one goes first, always
	Share    float64 // of the slots, against others of its priority; above 0
	Cost     float64 // of a pair, in slot-seconds; above 0
	// Spent says that its owner has had what he may have: it gets what nobody else wants.
	Spent bool
}

// Worker is who asks for pairs.
type Worker struct {
	Open []string              // runs whose engines it has open
	Can  func(run string) bool // may it play this run? nil: any
}

// Share is how many pairs of a run a worker gets.
type Share struct {
	Run   string
	Pairs int
}

// Schedule says which run a free slot goes to: of the highest priority the one that has
// had the least for its share, counted in slot-seconds (a deficit round robin without
// rounds, so that it is exact at every grant). What one cannot use the others get.
type Schedule struct {
	// OwnerMax is the part of the slots that one owner's runs may hold while others
	// wait; 0 or 1: all.
	OwnerMax float64
	// Slots are those of all workers.
	Slots int

	tests []*entry // in the order in which they came
	clock map[int]float64
}

// entry is a test with what it has had: slot-seconds over its share.
type entry struct {
	Test
	had  float64
	held int
	dry  bool // has nothing to grant, as of this Pick
}

const (
	// patience is how many pairs a run may be short of before a worker opens its engines
	// beside, or in the place of, those that it has open. Much more would not keep shares
	// within 2% over a thousand grants.
	patience = 4
	// arrears are how many pairs a run catches up at most, that could not use its share.
	arrears = 5 * patience
)

// Set begins or changes a test. One that is new, or gets another priority or share, has
// had as much as the others.
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

// Remove ends a test.
func (s *Schedule) Remove(run string) {
	s.tests = slices.DeleteFunc(s.tests, func(e *entry) bool { return e.Run == run })
}

// Held says how many pairs of a run are held at the moment.
func (s *Schedule) Held(run string, pairs int) {
	if i := s.index(run); i >= 0 {
		s.tests[i].held = pairs
	}
}

func (s *Schedule) index(run string) int {
	return slices.IndexFunc(s.tests, func(e *entry) bool { return e.Run == run })
}

// Pick hands out up to n pairs to a worker. grant is asked for pairs of a run, says how
// many there were, and is not asked again where it had fewer.
func (s *Schedule) Pick(w Worker, n int, grant func(run string, n int) int) []Share {
	for _, e := range s.tests {
		e.dry = w.Can != nil && !w.Can(e.Run)
	}
	var out []Share
	for n > 0 {
		e, alone := s.choose(w)
		if e == nil {
			break
		}
		want := 1
		if alone {
			want = n
		}
		got := min(want, max(0, grant(e.Run, want)))
		e.dry = got < want
		n -= got
		s.charge(e, got)
		out = add(out, e.Run, got)
	}
	return out
}

func add(shares []Share, run string, pairs int) []Share {
	i := slices.IndexFunc(shares, func(s Share) bool { return s.Run == run })
	switch {
	case pairs == 0:
	case i < 0:
		return append(shares, Share{run, pairs})
	default:
		shares[i].Pairs += pairs
	}
	return shares
}

// charge counts pairs that were granted.
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

// owed is what a test has had, but for what it could not use long ago.
func (s *Schedule) owed(e *entry) float64 {
	return max(e.had, s.clock[e.Priority]-arrears*e.Cost/e.Share)
}

// choose is whom the next pair goes to; alone, nobody else wants any.
func (s *Schedule) choose(w Worker) (chosen *entry, alone bool) {
	var wanting []*entry
	for _, e := range s.tests {
		if !e.dry {
			wanting = append(wanting, e)
		}
	}
	alone = len(wanting) == 1
	for _, better := range []func([]*entry) []*entry{unspent, s.modest} {
		if some := better(wanting); len(some) > 0 {
			wanting = some
		}
	}
	if len(wanting) == 0 {
		return nil, false
	}
	top := slices.MaxFunc(wanting, func(a, b *entry) int { return cmp.Compare(a.Priority, b.Priority) }).Priority
	wanting = slices.DeleteFunc(wanting, func(e *entry) bool { return e.Priority != top })
	byHad := func(a, b *entry) int { return cmp.Compare(s.owed(a), s.owed(b)) }
	open := slices.DeleteFunc(slices.Clone(wanting), func(e *entry) bool { return !slices.Contains(w.Open, e.Run) })
	if len(open) > 0 {
		kept := slices.MinFunc(open, byHad)
		short := func(e *entry) bool { return (s.owed(kept)-s.owed(e))*e.Share > patience*e.Cost }
		if wanting = slices.DeleteFunc(wanting, func(e *entry) bool { return !short(e) }); len(wanting) == 0 {
			return kept, alone
		}
	}
	return slices.MinFunc(wanting, byHad), alone
}

// unspent are those whose owners have not had all that they may have.
func unspent(wanting []*entry) []*entry {
	return slices.DeleteFunc(slices.Clone(wanting), func(e *entry) bool { return e.Spent })
}

// modest are those whose owners do not hold too much of the farm.
func (s *Schedule) modest(wanting []*entry) []*entry {
	held, total := map[string]int{}, 0
	for _, e := range s.tests {
		held[e.Owner] += e.held
		total += e.held
	}
	all := max(s.Slots, total) // what is held ahead of being played counts alike for all
	return slices.DeleteFunc(slices.Clone(wanting), func(e *entry) bool {
		return s.OwnerMax > 0 && float64(held[e.Owner]+1) > s.OwnerMax*float64(all)
	})
}
