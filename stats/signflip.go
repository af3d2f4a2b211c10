package stats

import (
	"cmp"
	"math"
	"slices"

	"gogi/stats/binomial"
)

// maxFlipWork bounds the multiplications of a sign-flip test: about a second.
const maxFlipWork = 1 << 28

// SignFlip is the exact test of the null hypothesis that the two engines are
// interchangeable. Then exchanging them in a colour-swapped pair, which turns
// its deviation from an even score into the negative, changes no probability;
// so, given the sizes of the deviations, their signs are fair coins, and the p
// value is the share of sign patterns with a total as extreme as the one seen
// (two-sided: twice the smaller share). Neither draws, nor the opening's
// advantage, nor what a draw is worth matter to its validity. Without pairs, or
// with even ones alone, it is 1.
//
// It is exact by convolution (method pair_sign_flip) for thousands of pairs, and
// millions of them where draws are worth a half. Where very many with many
// different draw values would take too long, the sum of the coins is taken for
// normal, with continuity correction (method pair_sign_flip_normal).
//
// It fails when a pair has one leg, as there the colour may be what differs.
func (t Tally) SignFlip(alt binomial.Alternative) (binomial.Test, error) {
	tests, err := t.signFlips(alt)
	if err != nil {
		return binomial.Test{}, err
	}
	return tests[0], nil
}

func (t Tally) signFlips(alts ...binomial.Alternative) ([]binomial.Test, error) {
	for _, alt := range alts {
		if err := alt.Check(); err != nil {
			return nil, err
		}
	}
	if t.Singles > 0 {
		if t.Penta.Pairs() > 0 {
			return nil, errMixed()
		}
		return nil, ErrUnswapped
	}
	return signFlips("pair_sign_flip", t.paired, alts...), nil
}

// signFlip tests units by their points, of which milli is even.
func signFlip(method string, s scores, alt binomial.Alternative) binomial.Test {
	return signFlips(method, s, alt)[0]
}

// signFlips is signFlip for several alternatives, which share what takes long.
func signFlips(method string, s scores, alts ...binomial.Alternative) []binomial.Test {
	all := s.coins()
	p, err := flipTest(all)
	if err != nil {
		method += "_normal"
		p = func(alt binomial.Alternative) float64 { return normalFlipTest(all, alt) }
	}
	tests := make([]binomial.Test, len(alts))
	for i, alt := range alts {
		tests[i] = binomial.Test{Method: method, Alternative: alt, N: s.units(), P: p(alt)}
	}
	return tests
}

// coins are the pairs whose deviation from an even score has one size.
type coins struct {
	size  int // of the deviation, in any unit
	n     int // how many pairs
	heads int // how many of them A won
}

// coins groups pairs by the size of their deviation, in the largest unit of
// which all are multiples, few pairs first.
func (s scores) coins() []coins {
	var all []coins
	unit := 0
	for _, c := range s {
		size, heads := c.points-milli, c.count
		if size == 0 {
			continue
		}
		if size < 0 {
			size, heads = -size, 0
		}
		unit = gcd(size, unit)
		i := slices.IndexFunc(all, func(o coins) bool { return o.size == size })
		if i < 0 {
			i, all = len(all), append(all, coins{size: size})
		}
		all[i].n += c.count
		all[i].heads += heads
	}
	for i := range all {
		all[i].size /= unit
	}
	slices.SortFunc(all, func(a, b coins) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.size, b.size)) })
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// flipTest is the p value by alternative: it weighs the total size of the heads. Tossing all coins is symmetric,
// so the lower tail is the upper tail of what the tails weigh.
func flipTest(all []coins) (p func(binomial.Alternative) float64, err error) {
	if len(all) == 0 {
		return func(binomial.Alternative) float64 { return 1 }, nil
	}
	last := all[len(all)-1]
	rest, err := tossed(all[:len(all)-1])
	if err != nil {
		return nil, err
	}
	heads, tails := 0, 0
	for _, c := range all {
		heads += c.size * c.heads
		tails += c.size * (c.n - c.heads)
	}
	upper := binomial.NewBinomial(last.n, 0.5).UpperTails()
	ge := func(weight int) float64 {
		sum := 0.0
		for w, p := range rest {
			// The heads of the last coins that bring w up to weight.
			need := max(0, (weight-w+last.size-1)/last.size)
			if need <= last.n {
				sum += p * upper[need]
			}
		}
		return min(1, sum)
	}
	return func(alt binomial.Alternative) float64 {
		switch alt {
		case binomial.Greater:
			return ge(heads)
		case binomial.Less:
			return ge(tails)
		case binomial.TwoSided:
		}
		return binomial.BothTails(ge(heads), ge(tails))
	}, nil
}

// normalFlipTest takes the size of the heads less that of the tails for normal. It
// moves in steps of twice the greatest common divisor of the sizes, which is 1.
func normalFlipTest(all []coins, alt binomial.Alternative) float64 {
	sum, variance := 0.0, 0.0
	for _, c := range all {
		sum += float64(c.size * (2*c.heads - c.n))
		variance += float64(c.size * c.size * c.n)
	}
	ge := func(x float64) float64 { return normalBelow((1 - x) / math.Sqrt(variance)) }
	switch alt {
	case binomial.Greater:
		return ge(sum)
	case binomial.Less:
		return ge(-sum)
	case binomial.TwoSided:
	}
	return binomial.BothTails(ge(sum), ge(-sum))
}

// tossed is the distribution of the total size of the heads, by that size.
func tossed(all []coins) ([]float64, error) {
	if !affordable(all) {
		return nil, ErrTooMany
	}
	dist := []float64{1}
	for _, c := range all {
		b := binomial.NewBinomial(c.n, 0.5)
		next := make([]float64, len(dist)+c.n*c.size)
		for x := 0; x <= c.n; x++ {
			p := b.At(x)
			for w, q := range dist {
				next[w+x*c.size] += p * q
			}
		}
		dist = next
	}
	return dist, nil
}

// affordable reports whether no step of tossed is too long, before the first is taken.
func affordable(all []coins) bool {
	weights := 1
	for _, c := range all {
		if weights*(c.n+1) > maxFlipWork || c.n*c.size > maxFlipWork {
			return false
		}
		weights += c.n * c.size
	}
	return true
}
