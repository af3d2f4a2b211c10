package selfplay

// seen remembers as many keys as its memory holds. It never takes a key for one that was
// not added; in a bucket that is full the oldest one is forgotten, and a later duplicate
// of that is not recognised.
type seen struct {
	table     []uint64 // buckets of bucketKeys, newest first; 0: free
	buckets   uint64
	forgotten int
}

// bucketKeys fill a line of a CPU's cache.
const bucketKeys = 8

// newSeen holds about mib·2^17 keys: those of a bucket that many fall into are forgotten
// before the table is full.
func newSeen(mib int) *seen {
	buckets := uint64(mib) << 20 / (8 * bucketKeys)
	return &seen{table: make([]uint64, buckets*bucketKeys), buckets: buckets}
}

// add adds a key and reports whether it is new as far as is remembered.
func (s *seen) add(key uint64) bool {
	if key == 0 {
		key = 1 // 0 is free
	}
	at := spread(key) % s.buckets * bucketKeys
	bucket := s.table[at : at+bucketKeys]
	for _, k := range bucket {
		if k == key {
			return false
		}
	}
	if bucket[bucketKeys-1] != 0 {
		s.forgotten++
	}
	copy(bucket[1:], bucket)
	bucket[0] = key
	return true
}

// spread makes any keys fall evenly into buckets: the finalizer of MurmurHash3.
func spread(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
