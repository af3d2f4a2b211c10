package stats

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// TestExactPairLength: for few pairs, the plan has the smallest number of pairs with the required power. This number
// may be above or below that of the normal approximation. The test calculates the power by its definition, over all
// results of the pairs and all signs of each.
func TestExactPairLength(t *testing.T) {
	back, on := 0, 0
	for _, power := range []float64{0.5, 0.6, 0.7} {
		for _, c := range []struct{ alpha, elo float64 }{{0.1, 240}, {0.1, 300}, {0.1, 350}, {0.01, 300}, {0.01, 400}} {
			elo := c.elo
			d := PairDesign{c.alpha, power, binomial.Greater, Conditions{DrawRate: 0.1}}
			l := testutil.Must(d.Length(elo))(t)
			rates := ratesOf(t, d.Conditions, elo)
			if l.Pairs > 12 {
				continue // too many results to enumerate
			}
			at, before := enumeratedPower(rates, l.Pairs, d.Alpha), enumeratedPower(rates, l.Pairs-1, d.Alpha)
			if diff := at - l.Power; l.Method != "exact" || diff > 1e-6 || diff < -1e-6 {
				t.Errorf("power %v, %v Elo: %+v, by enumeration %v", power, elo, l, at)
			}
			testutil.Check(t, at >= power && before < power,
				"power %v, %v Elo: %d pairs have %v, one less has %v", power, elo, l.Pairs, at, before)
			if rates.normalPower(l.Pairs, d.Alpha) < power {
				back++ // the normal approximation needs more pairs
			}
			if rates.normalPower(l.Pairs-1, d.Alpha) >= power {
				on++ // the normal approximation needs fewer pairs
			}
		}
	}
	testutil.Check(t, back != 0 && on != 0, "the normal approximation lay above %d times, below %d times: nothing shown",
		back, on)
}

// enumeratedPower returns the probability that the sign-flip test of n pairs rejects.
func enumeratedPower(rates PairRates, n int, alpha float64) float64 {
	power := 0.0
	var outcomes func(cell, left int, probability float64, count [5]int)
	outcomes = func(cell, left int, probability float64, count [5]int) {
		if cell == 4 {
			count[4] = left
			for range left {
				probability *= rates[4]
			}
			if flipShare(count) <= alpha*(1+1e-12) {
				power += probability
			}
			return
		}
		for k := 0; k <= left; k++ {
			count[cell] = k
			outcomes(cell+1, left-k, probability, count)
			probability *= rates[cell] * float64(left-k) / float64(k+1)
		}
	}
	// The factors of the cells are multinomial: left!/(k!(left-k)!) for each.
	outcomes(0, n, 1, [5]int{})
	return power
}

// flipShare returns the share of all signs of the deviations with a sum of at least the observed one. A pair without a
// deviation has no sign.
func flipShare(count [5]int) float64 {
	seen := 2*(count[4]-count[0]) + count[3] - count[1]
	ways := map[int]float64{0: 1} // weight by sum
	for size, n := range map[int]int{1: count[1] + count[3], 2: count[0] + count[4]} {
		for range n {
			next := map[int]float64{}
			for sum, w := range ways {
				next[sum+size] += w / 2
				next[sum-size] += w / 2
			}
			ways = next
		}
	}
	share := 0.0
	for sum, w := range ways {
		if sum >= seen {
			share += w
		}
	}
	return share
}
