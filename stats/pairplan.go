package stats

import (
	"fmt"
	"math"
	"sort"

	"gogi/stats/binomial"
)

// A PairDesign is the plan of a match with a fixed number of colour-swapped pairs. Each pair has its own
// opening. After the games the sign-flip test ([Tally.SignFlip]) decides whether the players are equally
// strong.
type PairDesign struct {
	Alpha       float64              `json:"alpha"`
	Power       float64              `json:"power"` // probability to detect the difference.
	Alternative binomial.Alternative `json:"alternative"`
	Conditions
}

// A PairLength is the number of pairs that a design needs, with the power that the test then has.
type PairLength struct {
	Pairs  int     `json:"pairs"`
	Games  int     `json:"-"`             // number of games, two per pair
	Power  float64 `json:"reached_power"` // power with this number of pairs.
	Method string  `json:"power_method"`  // exact or normal
}

func (d PairDesign) check() error { return binomial.CheckPower(d.Alpha, d.Power, d.Alternative) }

func (d PairDesign) tail() float64 { return d.Alternative.Tail(d.Alpha) }

// maxExactPairs is the largest number of pairs for which the power is calculated by an exact sum. For more
// pairs the error of the normal approximation is at most 0.3 %.
const maxExactPairs = 400

// Length returns the number of pairs with which the design detects a difference of elo with its power. elo is
// below 0 for [binomial.Less] and above 0 for [binomial.Greater]. For [binomial.TwoSided] its sign does not
// matter, and a significant result for the weaker side does not count as detection. For few pairs Length uses
// the exact power. The exact power does not always grow with the number of pairs. Length then searches near
// the number of the normal approximation, and returns the first number that reaches the power.
//
// Length returns an error for impossible designs and conditions. It returns an error if elo is 0 or has the
// wrong sign, and if the test needs more than ten million pairs.
func (d PairDesign) Length(elo float64) (PairLength, error) {
	if err := d.check(); err != nil {
		return PairLength{}, err
	}
	elo, err := d.Alternative.Size(elo)
	if err != nil {
		return PairLength{}, err
	}
	rates, err := d.PairRates(elo)
	if err != nil {
		return PairLength{}, err
	}
	lo, hi := 0, 1
	for ; rates.normalPower(hi, d.tail()) < d.Power; lo, hi = hi, 2*hi {
		if hi > binomial.MaxPlanned {
			return PairLength{}, fmt.Errorf("a difference of %v Elo takes more than ten million pairs", elo)
		}
	}
	hi = lo + 1 + sort.Search(hi-lo-1, func(i int) bool { return rates.normalPower(lo+1+i, d.tail()) >= d.Power })
	if hi > maxExactPairs {
		return PairLength{hi, 2 * hi, rates.normalPower(hi, d.tail()), "normal"}, nil
	}
	return rates.exactLength(hi, d.tail(), d.Power), nil
}

// exactLength returns the first number of pairs near n for which the exact power is at least power. tail is the error
// probability of the test. It compares probabilities to miss the difference, because a power near 1 has no room for the
// terms that the sum neglects.
func (r PairRates) exactLength(n int, tail, power float64) PairLength {
	most := 1 - power
	missed := func(n int) float64 { return r.exactMiss(n, tail, most/1e7) }
	has := missed(n)
	for has <= most && n > 1 {
		before := missed(n - 1)
		if before > most {
			break
		}
		n, has = n-1, before
	}
	for has > most {
		n++
		has = missed(n)
	}
	return PairLength{n, 2 * n, 1 - has, "exact"}
}

// Detectable returns the smallest difference in Elo that this number of pairs detects with the design's
// power, by the normal approximation. It is below 0 for [binomial.Less]. Detectable returns an error for
// impossible designs and conditions, and if no difference can be detected.
func (d PairDesign) Detectable(pairs int) (float64, error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	if pairs < 1 {
		return 0, fmt.Errorf("%d pairs show nothing", pairs)
	}
	if _, err := d.PairRates(0); err != nil {
		return 0, err
	}
	most := 0.0 // the largest difference that the conditions allow
	for step := maxElo / 2.; step > 1e-9; step /= 2 {
		if _, err := d.PairRates(most + step); err == nil {
			most += step
		}
	}
	missing := func(elo float64) float64 {
		rates, err := d.PairRates(elo)
		if err != nil {
			return 0
		}
		return rates.normalPower(pairs, d.tail()) - d.Power
	}
	if missing(most) < 0 {
		return 0, fmt.Errorf("%d pairs do not find any difference that these conditions leave room for with the power", pairs)
	}
	elo := binomial.Root(0, most, missing)
	if d.Alternative == binomial.Less {
		elo = -elo
	}
	return elo, nil
}

// normalPower returns the probability that the sign-flip test of n pairs finds A stronger. tail is the error
// probability of the test. The test compares the sum S of the deviations, in half points, with z√Q. Q is the sum of the
// squared deviations. Both S and Q vary; √Q is calculated to first order around its mean. S moves in steps of 2 if some
// deviations are odd, and otherwise in steps of 4, so normalPower subtracts half a step.
func (r PairRates) normalPower(n int, tail float64) float64 {
	var m [5]float64 // moments of the deviation
	odd := r[1]+r[3] > 0
	for i, p := range r {
		d, power := float64(i-2), 1.0
		for k := range m {
			m[k] += p * power
			power *= d
		}
	}
	step := 2.0
	if odd {
		step = 1
	}
	z, count := binomial.ZAbove(tail), float64(n)
	squares := m[4] - m[2]*m[2]
	limit := z * math.Sqrt(count*m[2]) * (1 - squares/(8*count*m[2]*m[2]))
	variance := count * (m[2] - m[1]*m[1] + z*z*squares/(4*count*m[2]) - z*(m[3]-m[1]*m[2])/math.Sqrt(count*m[2]))
	if !(variance > 0) {
		return 0
	}
	return normalBelow((count*m[1] - limit - step) / math.Sqrt(variance))
}

// exactMiss returns the probability that the sign-flip test of n pairs does not find A stronger, without the
// approximation of normalPower. For given numbers of pairs that deviate by one and by two half points, A's wins of each
// kind have a binomial distribution. tail is the error probability of the test. exactMiss counts rare numbers of pairs
// as missed, with a probability of at most neglect in sum.
func (r PairRates) exactMiss(n int, tail, neglect float64) float64 {
	share := func(part, of float64) float64 {
		if !(of > 0) {
			return 0
		}
		return min(1, part/of)
	}
	ones, twos := r[1]+r[3], r[0]+r[4]
	p1, p2 := share(r[3], ones), share(r[4], twos)
	few := binomial.NewBinomial(n, min(1, ones))
	rare := neglect / float64((n+1)*(n+2)/2)
	miss := 0.0
	for n1 := 0; n1 <= n; n1++ {
		many := few.At(n1)
		if many <= rare {
			miss += many
			continue
		}
		fair1, true1 := headsOf(n1, p1)
		rest := binomial.NewBinomial(n-n1, share(twos, 1-ones))
		for n2 := 0; n2 <= n-n1; n2++ {
			q := many * rest.At(n2)
			if q > rare {
				q *= r.misses(n2, p2, fair1, true1, tail)
			}
			miss += q
		}
	}
	return miss
}

// headsOf returns the distributions of the number of heads of n coins: for fair coins, and for biased coins
// that show heads with probability p.
func headsOf(n int, p float64) (fair, biased []float64) {
	even, odd := binomial.NewBinomial(n, 0.5), binomial.NewBinomial(n, p)
	for k := 0; k <= n; k++ {
		fair, biased = append(fair, even.At(k)), append(biased, odd.At(k))
	}
	return fair, biased
}

// misses returns the probability that biased coins do not reach the critical total weight of heads. A coin is a pair
// that A won or lost. Coins of weight 1 are pairs that deviate by one half point, and coins of weight 2 are pairs that
// deviate by two. fair and biased are the distributions of the number of heads of the coins of weight 1, for fair and
// for biased coins. n2 is the number of coins of weight 2, and p2 the probability of their heads if they are biased.
// The critical weight is the smallest that fair coins reach with a probability of at most tail.
func (r PairRates) misses(n2 int, p2 float64, fair, biased []float64, tail float64) float64 {
	upper, lower := binomial.NewBinomial(n2, 0.5).UpperTails(), binomial.NewBinomial(n2, 1-p2).UpperTails()
	reach := func(weight int) float64 { // by fair coins
		sum := 0.0
		for k, p := range fair {
			if need := heads(weight - k); need <= n2 {
				sum += p * upper[need]
			}
		}
		return sum
	}
	weights := len(fair) + 2*n2 // one more than the largest weight
	critical := 1 + sort.Search(weights-1, func(i int) bool {
		return binomial.Test{P: reach(i + 1)}.Significant(tail)
	})
	sum := 0.0
	for k, p := range biased {
		switch need := heads(critical - k); {
		case need > n2:
			sum += p
		case need > 0:
			sum += p * lower[n2-need+1] // as many tails as leave fewer than need heads
		}
	}
	return sum
}

// heads returns the number of heads of weight 2 that reach a total weight.
func heads(weight int) int { return max(0, (weight+1)/2) }
