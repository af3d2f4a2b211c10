package stats

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkLLR calculates the ratio of 256 tallies of 10 to 20,000 pairs, as a match does after each pair.
func BenchmarkLLR(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	var tallies []Pentanomial
	for range 256 {
		n := 10 + random.IntN(20_000)
		tallies = append(tallies, Pentanomial{LL: n / (5 + random.IntN(9)), LD: n / (9 + random.IntN(9)), WL: n / 2,
			WD: n / (9 + random.IntN(9)), WW: n / (5 + random.IntN(9))})
	}
	for _, s := range []SPRT{
		{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryWald},
		{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: ModelNormalized, Boundary: BoundaryWald},
		{Elo0: -10, Elo1: 100, Alpha: 0.05, Beta: 0.05, Model: ModelNormalized, Boundary: BoundaryWald},
	} {
		b.Run(string(s.Model), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := s.LLR(tallies[i%len(tallies)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
