// Package hashes has a [Set] of 64-bit hashes. Use it in place of a map for the hashes of all games of a run, because
// it takes less memory and the garbage collector does not read it.
package hashes

import "math/bits"

// A Set is a set of hashes. It takes 11 to 14 bytes for each hash, and twice as many while it grows. The zero value is
// empty. A Set must not be copied after its first use.
type Set struct {
	slots []uint64 // a hash table with linear probing; 0: an empty slot
	used  int      // number of slots with a hash
	zero  bool     // the set has the hash 0
}

// mix is an odd number, so that the products of different hashes with it are different. It is the golden ratio, as in
// Knuth's multiplicative hashing.
const mix = 0x9e3779b97f4a7c15

// Add adds a hash. It reports whether the set did not have it.
func (s *Set) Add(hash uint64) (added bool) {
	if hash == 0 {
		added, s.zero = !s.zero, true
		return added
	}
	if 4*s.used >= 3*len(s.slots) {
		s.grow()
	}
	slot := s.find(hash)
	added = *slot == 0
	if added {
		*slot = hash
		s.used++
	}
	return added
}

// Len returns the number of hashes in the set.
func (s *Set) Len() int {
	if s.zero {
		return s.used + 1
	}
	return s.used
}

// find returns the slot that has a hash, or the empty slot for it.
func (s *Set) find(hash uint64) *uint64 {
	at, _ := bits.Mul64(hash*mix, uint64(len(s.slots)))
	for s.slots[at] != 0 && s.slots[at] != hash {
		if at++; at == uint64(len(s.slots)) {
			at = 0
		}
	}
	return &s.slots[at]
}

func (s *Set) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, len(old)+len(old)/4))
	for _, hash := range old {
		if hash != 0 {
			*s.find(hash) = hash
		}
	}
}
