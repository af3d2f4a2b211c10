package trust

// Line passes the pairs of a run to Residuals in the order of the plan. A pair that arrives early waits for
// the pairs before it. The zero value is ready to use and ignores no worker.
type Line struct {
	Residuals

	// Without are workers whose pairs are ignored, as if they had not been played. Results that are known
	// to be wrong must not be the standard for the others.
	Without map[string]bool

	next    int // the pair whose turn it is
	waiting map[int]*Pair
}

// Put takes a stored pair, by its number; a second Put of a pair changes nothing. compare is false for a pair that is
// not of the run's first two players; it only fills its place. closed means that the evidence has changed.
func (l *Line) Put(id int, p Pair, compare bool) (closed bool, err error) {
	if _, there := l.waiting[id]; there || id < l.next {
		return false, nil
	}
	if l.waiting == nil {
		l.waiting = map[int]*Pair{}
	}
	l.waiting[id] = nil
	if compare && !l.Without[p.Worker] {
		l.waiting[id] = &p
	}
	for {
		next, there := l.waiting[l.next]
		if !there {
			return closed, nil
		}
		delete(l.waiting, l.next)
		l.next++
		if next == nil {
			continue
		}
		if err := l.Add(*next); err != nil {
			return closed, err
		}
		closed = closed || len(l.block) == 0
	}
}

// Compared returns the number of workers whose pairs were compared with pairs of other workers.
func (l *Line) Compared() int { return len(l.found) }

// TwoSided reports whether a value above and a value below the usual one are both evidence against a worker.
// With two workers that differ, both are then equally suspect.
func (k Kind) TwoSided() bool { return k == Score }
