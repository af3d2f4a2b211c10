package stats

import "math/bits"

// A hashes is a set of 64-bit hashes. It takes 11 to 14 bytes for each hash; a map takes more and twice the time. The
// zero value is empty. A hashes must not be copied after its first use.
type hashes struct {
	parts []hashTable // by the first bits of the mixed hash
	shift int         // the other bits
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

// A hashTable is a hash table with linear probing. Its order is that of the mixed hashes.
type hashTable struct {
	slots []uint64 // mixed hashes; 0: an empty slot
	used  int      // number of other slots
}

// add adds a hash. It reports whether the set did not have it.
func (h *hashes) add(hash uint64) (added bool) {
	if h.parts == nil {
		h.parts, h.shift = make([]hashTable, 1), 64
	}
	mixed := hash * mix
	if mixed == 0 {
		added, h.zero = !h.zero, true
	} else {
		added = h.parts[mixed>>h.shift].add(mixed, 64-h.shift)
	}
	if added {
		if h.len++; h.len == large {
			h.split()
		}
	}
	return added
}

// split divides the set into many parts.
func (h *hashes) split() {
	old := h.parts[0]
	h.parts, h.shift = make([]hashTable, 1<<partBits), 64-partBits
	for _, mixed := range old.slots {
		if mixed != 0 {
			h.parts[mixed>>h.shift].add(mixed, partBits)
		}
	}
}

// add adds a mixed hash. All hashes of the table have the same first bits; their number is same.
func (t *hashTable) add(mixed uint64, same int) (added bool) {
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
func (t *hashTable) find(mixed uint64, same int) *uint64 {
	at, _ := bits.Mul64(mixed<<same, uint64(len(t.slots)))
	for t.slots[at] != 0 && t.slots[at] != mixed {
		if at++; at == uint64(len(t.slots)) {
			at = 0
		}
	}
	return &t.slots[at]
}
