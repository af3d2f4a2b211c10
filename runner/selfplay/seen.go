package selfplay

import "slices"

// seen is a set of keys with a fixed size. It never reports a new key as present. If a bucket is full, it drops its
// oldest key. A later duplicate of that key counts as new.
type seen struct {
	table     []uint64 // buckets of bucketKeys, newest first; 0 is free
	buckets   uint64
	forgotten int // number of dropped keys
}

// bucketKeys is the number of keys in a cache line.
const bucketKeys = 8

// newSeen returns a set for about mib·2^17 keys. A bucket may drop keys before the table is full.
func newSeen(mib int) *seen {
	buckets := uint64(mib) << 20 / (8 * bucketKeys)
	return &seen{table: make([]uint64, buckets*bucketKeys), buckets: buckets}
}

// add adds a key and reports whether the set did not contain it.
func (s *seen) add(key uint64) bool {
	if key == 0 {
		key = 1 // 0 means free
	}
	at := spread(key) % s.buckets * bucketKeys
	bucket := s.table[at : at+bucketKeys]
	if slices.Contains(bucket, key) {
		return false
	}
	if bucket[bucketKeys-1] != 0 {
		s.forgotten++
	}
	copy(bucket[1:], bucket)
	bucket[0] = key
	return true
}

// spread maps a key to a number whose bits all depend on all bits of the key, so that the buckets get equally many
// keys. It is the finalizer of MurmurHash3.
func spread(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
