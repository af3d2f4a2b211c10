package ledger

import "gogi/farm"

// Spend uses up n epochs.
func (e *Epochs) Spend(n uint64) { e.next += farm.Epoch(n) }

// Size returns the number of entries in everything that grows with leases.
func (l *Ledger) Size() int {
	n := len(l.gaps) + len(l.held) + len(l.holders) + len(l.clock) + len(l.refused) + len(l.lost) + len(l.alone.waiting)
	for _, t := range l.troubled {
		n += 1 + len(t.lost) + len(t.reports) + len(t.machines)
	}
	for _, r := range l.reporters {
		n += 1 + len(r.refuted)
	}
	return n
}
