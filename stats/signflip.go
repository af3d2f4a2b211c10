package stats

import (
	"cmp"
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// maxFlipWork is the largest number of multiplications in a sign-flip test. They take about a second.
const maxFlipWork = 1 << 28

// SignFlip returns the exact test of the null hypothesis that the two players are interchangeable. Under this
// hypothesis, exchanging the players in a colour-swapped pair changes no probability. It only changes the
// sign of the pair's deviation from an even score. For given sizes of the deviations, their signs are
// therefore fair coins. The p value is the share of sign patterns whose total is at least as extreme as the
// observed total. The two-sided p value is twice the smaller share. The test is valid for every draw rate,
// every advantage of the opening, and every number of points for a draw. If there are no pairs, or only even
// pairs, the p value is 1.
//
// The test is exact by convolution (method pair_sign_flip) for thousands of pairs. If a draw is half a point,
// it is exact for millions of pairs. If the convolution would take too long, the test uses the normal
// distribution with continuity correction (method pair_sign_flip_normal).
//
// SignFlip returns an error if a pair has only one game, because then the colour may cause the difference.
func (t Tally) SignFlip(alt binomial.Alternative) (binomial.Test, error) {
	if err := alt.Check(); err != nil {
		return binomial.Test{}, err
	}
	if t.Singles > 0 {
		if t.Penta.Pairs() > 0 {
			return binomial.Test{}, ErrMixed
		}
		return binomial.Test{}, ErrUnswapped
	}
	return signFlip("pair_sign_flip", t.paired, alt), nil
}

// signFlip returns the sign-flip test of scores. A score with milli points is even.
func signFlip(method string, s scores, alt binomial.Alternative) binomial.Test {
	all, heads, tails := s.coins(), 0, 0
	for _, c := range all {
		heads += c.size * c.heads
		tails += c.size * (c.n - c.heads)
	}
	atLeast, err := exactFlips(all)
	if err != nil {
		method += "_normal"
		atLeast = normalFlips(all, heads+tails)
	}
	test := binomial.Test{Method: method, Alternative: alt, N: s.units()}
	switch alt { // tossing all coins is symmetric, so tails have the tail probabilities of heads
	case binomial.Greater:
		test.P = atLeast(heads)
	case binomial.Less:
		test.P = atLeast(tails)
	case binomial.TwoSided:
		test.P = binomial.BothTails(atLeast(heads), atLeast(tails))
	}
	return test
}

// A coins is a group of pairs whose deviations from an even score have the same size.
type coins struct {
	size  int // size of the deviation, in any unit.
	n     int // number of pairs
	heads int // number of these pairs that A won
}

// coins groups the pairs by the size of their deviation, the group with the fewest pairs first. It divides
// the sizes by their greatest common divisor.
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

// exactFlips returns the function atLeast. atLeast(weight) returns the exact probability that the heads have at least
// this total weight. exactFlips returns an error if the calculation would take too long.
func exactFlips(all []coins) (atLeast func(weight int) float64, err error) {
	if len(all) == 0 {
		return func(int) float64 { return 1 }, nil
	}
	last := all[len(all)-1]
	rest, err := tossed(all[:len(all)-1])
	if err != nil {
		return nil, err
	}
	upper := binomial.NewBinomial(last.n, 0.5).UpperTails()
	return func(weight int) float64 {
		sum := 0.0
		for w, p := range rest {
			// The heads of the last coins that bring w up to weight.
			need := max(0, (weight-w+last.size-1)/last.size)
			if need <= last.n {
				sum += p * upper[need]
			}
		}
		return min(1, sum)
	}, nil
}

// normalFlips is like exactFlips, but uses the normal distribution of the heads' weight minus the tails' weight. This
// difference moves in steps of 2, because the greatest common divisor of the sizes is 1. total is the total weight of
// heads and tails.
func normalFlips(all []coins, total int) (atLeast func(weight int) float64) {
	variance := lists.Sum(all, func(c coins) float64 { return float64(c.size * c.size * c.n) })
	return func(weight int) float64 { return normalBelow((1 - float64(2*weight-total)) / math.Sqrt(variance)) }
}

// tossed returns the distribution of the total weight of the heads.
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

// affordable reports whether tossed takes little enough time.
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
