package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// PairDesign is the test of a series of colour-swapped pairs whose length is
// fixed beforehand, each pair from an opening of its own: the sign-flip test
// ([Tally.SignFlip]), which gives the verdict afterwards.
type PairDesign struct {
	Alpha       float64              `json:"alpha"`
	Power       float64              `json:"power"` // the probability to find the difference
	Alternative binomial.Alternative `json:"alternative"`
	Conditions
}

// PairLength is how many pairs a design needs.
type PairLength struct {
	Method string  `json:"method"` // of Power: exact, normal
	Pairs  int     `json:"pairs"`
	Games  int     `json:"games"` // two a pair
	Power  float64 `json:"power"` // at Pairs
}

func (d PairDesign) check() error {
	if err := errors.Join(binomial.CheckOpen("alpha", d.Alpha), binomial.CheckOpen("power", d.Power), d.Alternative.Check()); err != nil {
		return err
	}
	if d.tail() >= d.Power {
		return fmt.Errorf("power %v is no more than the error rate %v: it takes no games", d.Power, d.tail())
	}
	return nil
}

func (d PairDesign) tail() float64 { return d.Alternative.Tail(d.Alpha) }

// maxExactPairs bounds the pairs for which the power is summed exactly; beyond,
// the normal approximation is within 0.3 % of it.
const maxExactPairs = 400

// Length is the number of pairs that shows a difference of elo with the power.
// For [binomial.Less] elo is below 0, for [binomial.Greater] above; for [binomial.TwoSided] its sign does
// not matter, and finding the wrong side stronger is no success. Where it takes
// few pairs, the power is exact, and a saw-tooth: the number is the first near
// the one by the normal approximation that has it. It fails for impossible
// designs and conditions, an elo on the wrong side or 0, and one that takes more
// than ten million pairs.
func (d PairDesign) Length(elo float64) (PairLength, error) {
	if err := errors.Join(d.check(), binomial.CheckFinite(elo)); err != nil {
		return PairLength{}, err
	}
	if d.Alternative == binomial.Less || d.Alternative == binomial.TwoSided && elo < 0 {
		elo = -elo
	}
	if !(elo > 0) {
		return PairLength{}, errors.New("there is no difference to find on that side")
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
	for lo+1 < hi {
		if mid := lo + (hi-lo)/2; rates.normalPower(mid, d.tail()) < d.Power {
			lo = mid
		} else {
			hi = mid
		}
	}
	if hi > maxExactPairs {
		return PairLength{"normal", hi, 2 * hi, rates.normalPower(hi, d.tail())}, nil
	}
	return rates.exactLength(hi, d.tail(), d.Power), nil
}

// exactLength goes from a length nearby to the first that has the power.
func (r PairRates) exactLength(n int, tail, power float64) PairLength {
	has := r.exactPower(n, tail)
	for has >= power && n > 1 {
		before := r.exactPower(n-1, tail)
		if before < power {
			break
		}
		n, has = n-1, before
	}
	for has < power {
		n++
		has = r.exactPower(n, tail)
	}
	return PairLength{"exact", n, 2 * n, has}
}

// Detectable is the smallest difference, in Elo, that so many pairs find with the
// power: below 0 for [binomial.Less]. By the normal approximation. It fails for impossible
// designs and conditions, and where no difference would be found.
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
	most := 0.0 // the largest difference that leaves room for the conditions
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

// normalPower is the probability that the sign-flip test of n pairs finds A the
// stronger with an error probability tail. The sum S of the deviations, in half
// points, is held against z√Q, Q being the sum of their squares, and both vary:
// √Q is taken to first order around its mean. S comes in steps of 2 where the
// deviations are odd, else 4, and half a step is taken off.
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

// exactPower is the same exactly: given how many pairs deviate by one half point
// and by two, the numbers that A won of either are binomial.
func (r PairRates) exactPower(n int, tail float64) float64 {
	share := func(part, of float64) float64 {
		if !(of > 0) {
			return 0
		}
		return min(1, part/of)
	}
	ones, twos := r[1]+r[3], r[0]+r[4]
	p1, p2 := share(r[3], ones), share(r[4], twos)
	few := binomial.NewBinomial(n, min(1, ones))
	power := 0.0
	for n1 := 0; n1 <= n; n1++ {
		many := few.At(n1)
		if many < 1e-9 {
			continue
		}
		fair1, true1 := headsOf(n1, p1)
		rest := binomial.NewBinomial(n-n1, share(twos, 1-ones))
		for n2 := 0; n2 <= n-n1; n2++ {
			if q := many * rest.At(n2); q > 1e-9 {
				power += q * r.rejects(n2, p2, fair1, true1, tail)
			}
		}
	}
	return power
}

// headsOf is the distribution of heads of n coins, fair ones and others.
func headsOf(n int, p float64) (fair, biased []float64) {
	even, odd := binomial.NewBinomial(n, 0.5), binomial.NewBinomial(n, p)
	for k := 0; k <= n; k++ {
		fair, biased = append(fair, even.At(k)), append(biased, odd.At(k))
	}
	return fair, biased
}

// rejects is the probability that heads, of weight 1 and n2 of weight 2, weigh so
// much that fair coins would with a probability of tail at most.
func (r PairRates) rejects(n2 int, p2 float64, fair, biased []float64, tail float64) float64 {
	upper, others := binomial.NewBinomial(n2, 0.5).UpperTails(), binomial.NewBinomial(n2, p2).UpperTails()
	weighs := func(weight int, ones, twos []float64) float64 {
		sum := 0.0
		for k, p := range ones {
			if need := max(0, (weight-k+1)/2); need <= n2 {
				sum += p * twos[need]
			}
		}
		return sum
	}
	lo, hi := 0, len(fair)+2*n2 // never rejected, and beyond all weights
	for lo+1 < hi {
		if mid := lo + (hi-lo)/2; (binomial.Test{P: weighs(mid, fair, upper)}).Significant(tail) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return weighs(hi, biased, others)
}
