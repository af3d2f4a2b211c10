package rating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
)

// league returns the games of n players that all met in both colours. For a thousand players and ten games, these are
// 999,000 counts, or about 10^7 games.
func league(n, games int) []crosstable.Count {
	random := rand.New(rand.NewPCG(3, 4))
	strength := make([]float64, n)
	for i := range strength {
		strength[i] = random.NormFloat64()
	}
	var counts []crosstable.Count
	for a := range n {
		for b := range n {
			if a == b {
				continue
			}
			p := 1 / (1 + math.Exp(strength[b]-strength[a]-0.1))
			c := crosstable.Count{Black: fmt.Sprint("engine ", a), White: fmt.Sprint("engine ", b)}
			for range games {
				if random.Float64() < p {
					c.BlackWins++
				} else {
					c.WhiteWins++
				}
			}
			counts = append(counts, c)
		}
	}
	return counts
}

// BenchmarkRate rates a thousand players from 10^7 games.
func BenchmarkRate(b *testing.B) {
	both := league(1000, 10)
	var once []crosstable.Count // one row of twenty games for each pair of players
	for _, c := range both {
		if c.Black < c.White {
			c.BlackWins, c.WhiteWins = 2*c.BlackWins, 2*c.WhiteWins
			once = append(once, c)
		}
	}
	b.Run("newton/pairs", func(b *testing.B) { benchmarkRate(b, once, Model{}) })
	for _, m := range []Model{{FirstMove: NoFirstMove}, {FirstMove: Multiplicative}} {
		b.Run("newton/"+string(m.FirstMove), func(b *testing.B) { benchmarkRate(b, both, m) })
	}
}

func benchmarkRate(b *testing.B, counts []crosstable.Count, m Model) {
	b.Helper()
	for b.Loop() {
		f := testutil.Must(Rate(counts, m))(b)
		b.ReportMetric(float64(f.Iterations), "iterations")
	}
}
