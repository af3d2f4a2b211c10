package report

import (
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// TestHashes compares the number of distinct hashes with a map, for hashes that repeat, at any time of asking. There
// are more of them than are sorted at once.
func TestHashes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h hashes
		known := map[uint64]bool{}
		different := rapid.Uint64Range(1, 5*recentHashes).Draw(t, "different")
		asked := rapid.IntRange(1, 3*recentHashes).Draw(t, "asked after")
		next := rapid.Uint64().Draw(t, "first")
		for n := range 4 * recentHashes {
			next = next*6364136223846793005 + 1442695040888963407 // Knuth's linear congruential generator
			h.add(next >> 32 % different)
			known[next>>32%different] = true
			if n%asked == 0 && h.distinct() != len(known) {
				t.Fatalf("%d distinct hashes after %d, not %d", h.distinct(), n+1, len(known))
			}
		}
		if got := h.distinct(); got != len(known) {
			t.Fatalf("%d distinct hashes, not %d", got, len(known))
		}
	})
}

// TestOneHash: many equal hashes take no memory.
func TestOneHash(t *testing.T) {
	t.Parallel()
	var h hashes
	for range 100 * recentHashes {
		h.add(7)
	}
	testutil.Check(t, h.distinct() == 1 && len(h.sorted)+cap(h.recent) < 3*recentHashes, "%d distinct, room for %d",
		h.distinct(), cap(h.recent))
}
