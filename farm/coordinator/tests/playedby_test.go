package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"gogi/internal/testutil"
)

// TestPlayedBy compares a PlayedBy with a list of names, for pairs that are set in any order, and some twice.
func TestPlayedBy(t *testing.T) {
	var p PlayedBy
	list := make([]string, 1000)
	random := rand.New(rand.NewPCG(1, 2))
	last := 0
	for range 600 {
		pair, worker := random.IntN(800), ""
		if n := random.IntN(7); n > 0 {
			worker = fmt.Sprint("w", n)
		}
		p.Set(pair, worker)
		list[pair], last = worker, max(last, pair)
	}
	for _, span := range [][2]int{{0, 1000}, {-5, 3}, {200, 300}, {790, 900}, {900, 950}, {30, 30}} {
		next := max(0, span[0])
		for pair, worker := range p.Between(span[0], span[1]) {
			testutil.Require(t, pair == next && worker == list[pair], "%v: pair %d of %q, expected pair %d of %q", span, pair,
				worker, next, list[pair])
			next++
		}
		testutil.Equal(t, next, max(min(span[1], last+1), max(0, span[0])), "the end of %v", span)
	}
	workers := slices.Sorted(slices.Values(p.Workers()))
	testutil.Slices(t, workers, []string{"w1", "w2", "w3", "w4", "w5", "w6"}, "workers")
	for pair := range p.Between(0, 1000) {
		if pair == 3 {
			break
		}
	}
}

// TestMemoryOfPlayedBy: it grows with the stored pairs, and takes less than half of a list of names.
func TestMemoryOfPlayedBy(t *testing.T) {
	var p PlayedBy
	for pair := range 100_000 {
		p.Set(pair, fmt.Sprint("w", pair%100))
	}
	size := int(unsafe.Sizeof(p.numbers[0])) * cap(p.numbers)
	testutil.Check(t, size < 100_000*int(unsafe.Sizeof(""))/2 && len(p.Workers()) == 100, "%d bytes, %d workers", size,
		len(p.Workers()))
}

// BenchmarkPlayedBy measures the memory of the workers of ten million pairs, set in order, and that of a list of names.
func BenchmarkPlayedBy(b *testing.B) {
	const pairs = 10_000_000
	b.Run("PlayedBy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var p PlayedBy
			for pair := range pairs {
				p.Set(pair, "worker")
			}
			b.ReportMetric(float64(4*cap(p.numbers))/pairs, "kept-B/pair")
		}
	})
	b.Run("names", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			list := make([]string, pairs)
			for pair := range list {
				list[pair] = "worker"
			}
			b.ReportMetric(16, "kept-B/pair")
		}
	})
}
