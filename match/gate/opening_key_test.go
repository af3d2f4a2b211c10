package gate

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestEveryBitOfAnOpening: openings whose hashes differ in one bit are two openings.
func TestEveryBitOfAnOpening(t *testing.T) {
	names := map[string]bool{}
	for bit := range 64 {
		p := OfRows([]match.Row{{OpeningHash: 1 << bit}})
		testutil.Check(t, len(p.Opening) == 16 && !names[p.Opening], "bit %d: %q", bit, p.Opening)
		names[p.Opening] = true
	}
}
