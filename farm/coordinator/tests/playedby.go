package tests

import "iter"

// A PlayedBy has the workers of the stored pairs of a run with an SPRT. It takes four bytes for each pair up to the
// last one. The zero value has no pair.
type PlayedBy struct {
	numbers []uint32          // the number of the worker of each pair; 0 for a pair that is not stored
	names   []string          // the workers; that of number n is at n-1
	byName  map[string]uint32 // the numbers of names
}

// Set records the worker of a stored pair.
func (p *PlayedBy) Set(pair int, worker string) {
	if n := pair + 1 - len(p.numbers); n > 0 {
		p.numbers = append(p.numbers, make([]uint32, n)...)
	}
	number, known := p.byName[worker]
	if !known && worker != "" {
		if p.byName == nil {
			p.byName = map[string]uint32{}
		}
		p.names = append(p.names, worker)
		number = uint32(len(p.names)) // a farm has fewer workers
		p.byName[worker] = number
	}
	p.numbers[pair] = number
}

// Between returns the pairs from one number up to another, exclusive, with their workers. The worker is "" if the pair
// is not stored, or if no worker has played it. The pairs after the last stored one are missing.
func (p *PlayedBy) Between(from, to int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for pair := max(0, from); pair < min(to, len(p.numbers)); pair++ {
			worker := ""
			if n := p.numbers[pair]; n > 0 {
				worker = p.names[n-1]
			}
			if !yield(pair, worker) {
				return
			}
		}
	}
}

// Workers returns the workers of all pairs. The caller must not change the slice.
func (p *PlayedBy) Workers() []string { return p.names }
