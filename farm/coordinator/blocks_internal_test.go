package coordinator

import (
	"testing"

	"gogi/farm"
)

// TestBlocksAreDrawn: about one in a hundred, by what only the coordinator knows: neither
// the block nor the lease tells.
func TestBlocksAreDrawn(t *testing.T) {
	one, other := &Coordinator{config: Config{Secret: farm.Secret{1}}}, &Coordinator{config: Config{Secret: farm.Secret{2}}}
	drawn, both := 0, 0
	const n = 20_000
	for i := range n {
		it := &item{Item: farm.Item{Lease: farm.Held{Run: "r", Pair: i / 4, Epoch: farm.Epoch(i % 4)}}}
		a, b := one.drawn(it), other.drawn(it)
		if a != one.drawn(it) {
			t.Fatal("a block that comes again is drawn anew")
		}
		if a {
			drawn++
			if b {
				both++
			}
		}
	}
	// 200 are expected, with a standard deviation of 14; of both, 2.
	if drawn < 130 || drawn > 270 || both > 15 {
		t.Errorf("%d of %d are drawn, %d of them by another secret, too", drawn, n, both)
	}
}
