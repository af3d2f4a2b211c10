package stats

import (
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// TestHashes compares a set with a map. The hashes repeat and have few different bits, at either end of the number.
func TestHashes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s hashes
		known := map[uint64]bool{}
		different := rapid.Uint64Range(1, 4*large).Draw(t, "different")
		shift := rapid.IntRange(0, 63).Draw(t, "shift")
		next := rapid.Uint64().Draw(t, "first")
		for range 3 * large {
			next = next*6364136223846793005 + 1442695040888963407 // Knuth's linear congruential generator
			hash := next >> 32 % different << shift
			if added := s.add(hash); added == known[hash] {
				t.Fatalf("%x: added %t", hash, added)
			}
			known[hash] = true
			if s.len != len(known) {
				t.Fatalf("%d hashes, not %d", s.len, len(known))
			}
		}
	})
}

// TestMemoryOfHashes: a set has at most 14 bytes for each hash, and equal hashes take no memory.
func TestMemoryOfHashes(t *testing.T) {
	t.Parallel()
	var s hashes
	for n := range uint64(100_000) {
		s.add(n)
		s.add(7)
		if n%1000 > 0 {
			continue
		}
		slots := lists.Sum(s.parts, func(t hashTable) int { return len(t.slots) })
		testutil.Require(t, n < 1000 || 8*slots <= 14*s.len, "%d slots for %d hashes", slots, s.len)
	}
}
