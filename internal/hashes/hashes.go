// Package hashes has a [Set] of 64-bit hashes. Use it in place of a map for the hashes of all games of a run, because
// it takes less memory and the garbage collector does not read it.
package hashes

import "math/bits"

// A Set is a set of hashes. It takes 11 to 14 bytes for each hash. The zero value is empty. A Set must not be copied
// after its first use.
type Set struct {
	parts []table // by the first bits of the mixed hash
	shift int     // the other bits
	len   int
	zero  bool // the set has the hash 0
}

const (
	// mix is an odd number, so that the products of different hashes with it are different. It is the golden ratio, as in
	// Knuth's multiplicative hashing.
	mix = 0x9e3779b97f4a7c15
	// large is the number of hashes from which a set has many parts. Each part grows alone, so that a large set needs
	// little memory while it grows.
	large    = 1 << 14
	partBits = 8
)

// A table is a hash table with linear probing. Its order is that of the mixed hashes.
type table struct {
	slots []uint64 // mixed hashes; 0: an empty slot
	used  int      // number of other slots
}

// Add adds a hash. It reports whether the set did not have it.
func (s *Set) Add(hash uint64) (added bool) {
	if s.parts == nil {
		s.parts, s.shift = make([]table, 1), 64
	}
	mixed := hash * mix
	if mixed == 0 {
		added, s.zero = !s.zero, true
	} else {
		added = s.parts[mixed>>s.shift].add(mixed, 64-s.shift)
	}
	if added {
		if s.len++; s.len == large {
			s.split()
		}
	}
	return added
}

// Len returns the number of hashes in the set.
func (s *Set) Len() int { return s.len }

// split divides the set into many parts.
func (s *Set) split() {
	old := s.parts[0]
	s.parts, s.shift = make([]table, 1<<partBits), 64-partBits
	for _, mixed := range old.slots {
		if mixed != 0 {
			s.parts[mixed>>s.shift].add(mixed, partBits)
		}
	}
}

// add adds a mixed hash. All hashes of the table have the same first bits; their number is same.
func (t *table) add(mixed uint64, same int) (added bool) {
	if 4*t.used >= 3*len(t.slots) {
		old := t.slots
		t.slots = make([]uint64, max(16, len(old)+len(old)/4))
		for _, other := range old {
			if other != 0 {
				*t.find(other, same) = other
			}
		}
	}
	slot := t.find(mixed, same)
	if added = *slot == 0; added {
		*slot = mixed
		t.used++
	}
	return added
}

// find returns the slot that has a mixed hash, or the empty slot for it.
func (t *table) find(mixed uint64, same int) *uint64 {
	at, _ := bits.Mul64(mixed<<same, uint64(len(t.slots)))
	for t.slots[at] != 0 && t.slots[at] != mixed {
		if at++; at == uint64(len(t.slots)) {
			at = 0
		}
	}
	return &t.slots[at]
}
