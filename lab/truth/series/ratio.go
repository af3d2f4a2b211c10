package series

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// askRatio draws counts of pairs, and asks gogi stats sprt for the normalized ratio between the condition's Elo, as
// normalised Elo, and the normalised Elo of the counts themselves. The likelihood of the first hypothesis is that of
// its most likely distribution, so every distribution with this normalised Elo gives a bound of the ratio.
func askRatio(ctx context.Context, b *bench) error {
	counts := b.tally(rand.New(rand.NewPCG(b.seed, 2)))
	var answer struct {
		SPRTs []struct {
			LLR *float64 `json:"llr"`
		} `json:"sprts"`
	}
	p := pentanomial{LL: counts[0], LD: counts[1], WL: counts[2], WD: counts[3], WW: counts[4]}
	if _, err := b.ask(ctx, &answer, []int{0}, "stats", "sprt", "--model", "normalized", "--boundary", "wald", "--json",
		fmt.Sprintf("--elo0=%.12g", b.Elo), fmt.Sprintf("--elo1=%.12g", normalizedOf(shares(counts))), p.flag()); err != nil {
		return err
	}
	has := len(answer.SPRTs) == 1 && answer.SPRTs[0].LLR != nil
	b.certain("stats sprt: the normalized ratio has a value", has)
	if has {
		llr, bound := *answer.SPRTs[0].LLR, mostRatio(counts, b.Elo)
		b.certain("stats sprt: the normalized ratio is at most that of every distribution", llr >= -1e-6 &&
			llr <= bound+1e-6*(1+bound))
	}
	return nil
}

// mostElo is the largest difference that the flags of gogi take.
const mostElo = 1000

// tally returns counts of about the condition's number of pairs. Each result occurs, and the normalised Elo is above
// the condition's.
func (b *bench) tally(r *rand.Rand) [5]int {
	for {
		var weights [5]float64
		sum := 0.0
		for i := range weights {
			weights[i] = math.Pow(r.Float64(), 6) // a few are much larger than the others
			sum += weights[i]
		}
		var counts [5]int
		for i, w := range weights {
			counts[i] = 1 + int(float64(b.Pairs)*w/sum)
		}
		if elo := normalizedOf(shares(counts)); elo > b.Elo && elo < mostElo {
			return counts
		}
	}
}

func shares(counts [5]int) (p [5]float64) {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	for i, n := range counts {
		p[i] = float64(n) / float64(sum)
	}
	return p
}

// normalizedOf returns the normalised Elo of a distribution of pairs.
func normalizedOf(p [5]float64) float64 {
	var mean, square float64
	for i, q := range p {
		v := float64(i) / 4
		mean += q * v
		square += q * v * v
	}
	return (mean - 0.5) / math.Sqrt(2*(square-mean*mean)) * 800 / math.Ln10
}

// mostRatio returns the least log likelihood ratio of the counts against some distributions with the normalised Elo
// want, which is below that of the counts. They are mixtures of the counts with two results that lower it.
func mostRatio(counts [5]int, want float64) float64 {
	p := shares(counts)
	least := math.Inf(1)
	for i := range 5 {
		for j := range 5 {
			for part := range 21 {
				mixture := func(share float64) (q [5]float64) {
					for k := range q {
						q[k] = (1 - share) * p[k]
					}
					q[i] += share * float64(part) / 20
					q[j] += share * (1 - float64(part)/20)
					return q
				}
				const most = 1 - 1e-9
				if normalizedOf(mixture(most)) > want {
					continue
				}
				lo, hi := 0.0, most
				for range 60 {
					if middle := (lo + hi) / 2; normalizedOf(mixture(middle)) > want {
						lo = middle
					} else {
						hi = middle
					}
				}
				ratio := 0.0
				for k, q := range mixture(hi) {
					ratio += float64(counts[k]) * math.Log(p[k]/q)
				}
				least = min(least, ratio)
			}
		}
	}
	return least
}
