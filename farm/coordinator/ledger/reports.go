package ledger

import (
	"slices"
	"time"
)

// A Standing says how much the report of a worker counts that a pair crashes its players.
type Standing struct {
	// Owner is the owner of the worker. Reports of all workers of an owner count once, unless the worker decides.
	Owner string
	// Decides means that the farm trusts the worker, or that the worker belongs to the owner of the run. Only after the
	// report of such a worker the ledger gives up a pair.
	Decides bool
}

// These are the limits for an owner whose workers do not decide. An owner that reports false crashes then costs a run
// at most this number of pairs that are played alone.
const (
	// openReports is the number of its reports without a decision at which the workers get no more pairs.
	openReports = 4
	// falseReports is the number of pairs that others played without trouble at which the workers get no more
	// pairs, if it is also more than a quarter of the pairs that they played. An engine that crashes now and then
	// makes honest workers report such pairs, too.
	falseReports = 4
)

// reporter has what the reports of one owner led to. Its workers do not decide.
type reporter struct {
	open    int   // pairs that wait for a decision
	refuted []int // pairs that another owner played without trouble
	played  int   // stored pairs
	// late is the time until which the workers get no pairs, because one of them has kept a pair for which the run waited.
	// It is zero if none has.
	late time.Time
}

// distrusted reports whether the reports of an owner were false so often that its workers get no more pairs of the run.
func (r *reporter) distrusted() bool {
	return len(r.refuted) >= falseReports && 4*len(r.refuted) > r.played
}

// standing returns the Standing of a worker. Without a function in the configuration each worker decides.
func standing(l *Ledger, worker string) Standing {
	if l.config.Standing == nil {
		return Standing{worker, true}
	}
	return l.config.Standing(worker)
}

// party is one voice about a pair: a worker that decides, or the owner of workers that do not.
type party struct {
	name    string
	decides bool
}

func partyOf(l *Ledger, worker string) party {
	s := standing(l, worker)
	if s.Decides {
		return party{worker, true}
	}
	return party{s.Owner, false}
}

// reporterOf returns the record of a party that does not decide, nil for one that does.
func reporterOf(l *Ledger, p party) *reporter {
	if p.decides {
		return nil
	}
	r := l.reporters[p.name]
	if r == nil {
		r = &reporter{}
		l.reporters[p.name] = r
	}
	return r
}

// barred reports whether a worker gets no pairs of the run because of the reports of its owner, or because a worker of
// the owner has kept a pair for which the run waited.
func barred(l *Ledger, now time.Time, worker string) bool {
	by := partyOf(l, worker)
	r := l.reporters[by.name]
	return !by.decides && r != nil && (r.open >= openReports || r.distrusted() || now.Before(r.late))
}

// decided records that a pair is stored, given up or forgiven, so that the reports about it wait no longer. by is the
// worker that played the pair, "" if it was not played.
func decided(l *Ledger, now time.Time, pair int, by string) {
	t := l.troubled[pair]
	if t == nil {
		return
	}
	for _, p := range t.reports {
		r := reporterOf(l, p)
		if r == nil {
			continue
		}
		r.open--
		if by != "" && standing(l, by).Owner != p.name {
			if r.refuted = append(r.refuted, pair); r.distrusted() {
				endLeases(l, now, p)
			}
		}
	}
	t.reports = nil
}

// endLeases ends the leases of unfinished pairs that the workers of a party hold.
func endLeases(l *Ledger, now time.Time, p party) {
	for name, h := range l.holders {
		if partyOf(l, name) != p {
			continue
		}
		for x := h.first; x != nil; {
			after := x.after
			if !x.finished {
				l.free(now, x)
			}
			x = after
		}
	}
}

// Distrusted returns the owners whose workers get no more pairs of the run, because others played the pairs that they
// had reported as crashing. The result is sorted. It has the pairs of each owner.
func (l *Ledger) Distrusted() (owners []string, pairs map[string][]int) {
	pairs = map[string][]int{}
	for name, r := range l.reporters {
		if r.distrusted() {
			owners = append(owners, name)
			pairs[name] = slices.Sorted(slices.Values(r.refuted))
		}
	}
	slices.Sort(owners)
	return owners, pairs
}

// A Suspicion is a pair about which only workers that do not decide have reported a crash.
type Suspicion struct {
	Pair    int
	Workers []string // the workers that reported the crash or disappeared, in that order
}

// Suspicions returns the pairs that wait to be played alone and that crashed only workers that do not decide. The
// result is sorted by pair.
func (l *Ledger) Suspicions() (list []Suspicion) {
	for _, g := range l.alone.waiting {
		t := l.troubled[g.pair]
		if t != nil && t.tries == 0 && len(t.reports) > 0 {
			list = append(list, Suspicion{g.pair, t.machines})
		}
	}
	slices.SortFunc(list, func(a, b Suspicion) int { return a.Pair - b.Pair })
	return list
}

// Reporters returns the workers that crashed on a pair, in the order of their reports.
func (l *Ledger) Reporters(pair int) []string {
	if t := l.troubled[pair]; t != nil {
		return slices.Clone(t.machines)
	}
	return nil
}
