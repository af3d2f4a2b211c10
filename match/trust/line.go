package trust

// Line passes the pairs of a run to Residuals in the order of the plan. A pair that arrives early waits for
// the pairs before it. The zero value is ready to use and ignores no worker.
type Line struct {
	Residuals

	// Without has the workers whose pairs are ignored, as if these pairs had not been played. Wrong results
	// of such a worker must not influence the comparison of the others.
	Without map[string]bool

	next    int // number of the next pair for Residuals
	waiting map[int]*Pair
}

// Put adds a stored pair. id is the pair's number. A second Put of the same pair changes nothing. compare must be
// false for a pair that is not between the run's first two players; Put does not compare such a pair. closed is
// true if the pair completed a block of pairs, so that the evidence has changed.
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

// TwoSided reports whether both unusually small and unusually large values of this kind are evidence against a
// worker. If only two workers are compared, such a kind does not show which of them is at fault.
func (k Kind) TwoSided() bool { return k == Score }
