package binomial

import (
	"errors"
	"math"
	"sort"
)

// lfics returns the interval of [MethodLFICS]. If two ends are equally probable, as at k = n/2, it drops the
// one that the original drops (see [Binomial.roundsDown]), so exchanging the engines may change it. It is
// undefined for n < 5, k = 0 and k = n.
func lfics(k, n int, level float64) (Interval, error) {
	if n < 5 || k == 0 || k == n {
		return Interval{}, errors.New("the fluctuation interval is undefined for fewer than 5 games and where one side won all")
	}
	lo, hi := narrow(NewBinomial(n, float64(k)/float64(n)), 1-level)
	return NewInterval("lfics", level, float64(lo)/float64(n), float64(hi)/float64(n)), nil
}

// narrow drops the less probable end of [0, n] as long as the dropped probability stays below alpha. It
// starts at a late stage, because n may be large.
func narrow(b Binomial, alpha float64) (lo, hi int) {
	lo, hi = b.narrowed(alpha)
	dropped := b.AtMost(lo-1) + b.AtLeast(hi+1)
	for {
		left, right := b.At(lo), b.At(hi)
		lower := left < right
		if math.Abs(left-right) <= rounding*right {
			lower = b.roundsDown(lo, hi)
		}
		dropped += min(left, right)
		switch {
		case dropped >= alpha:
			return lo, hi
		case lower:
			lo++
		default:
			hi--
		}
	}
}

// rounding is the largest relative difference between probabilities that count as equal.
const rounding = 1e-12

// narrowed returns the last stage of the narrowing in which the lower end is about to be dropped, with a
// dropped probability below alpha. If the lower end is never dropped, it returns the last stage of all.
func (b Binomial) narrowed(alpha float64) (lo, hi int) {
	mode := min(b.n, int(float64(b.n+1)*b.p))
	// rival returns the upper end when lo is about to be dropped.
	rival := func(lo int) int {
		p := b.At(lo) * (1 - rounding)
		return mode + sort.Search(b.n-mode, func(i int) bool { return b.At(mode+i+1) < p })
	}
	dropped := func(lo int) float64 { return b.AtMost(lo-1) + b.AtLeast(rival(lo)+1) }
	if dropped(0) >= alpha {
		return 0, sort.Search(b.n, func(hi int) bool { return b.AtLeast(hi+1) < alpha })
	}
	lo = sort.Search(mode, func(i int) bool { return dropped(i+1) >= alpha })
	return lo, rival(lo)
}

// roundsDown decides a tie as the original does. The original sums logarithms, and drops the upper end unless
// the sum for the lower end is smaller. That is rounding error, but it is the only rule that gives all
// published intervals: [.41, .60] for 50 of 100 (lower end dropped) and [.469, .530] for 500 of 1000 (upper
// end). Neither "always the upper end" nor alternating does.
func (b Binomial) roundsDown(lo, hi int) bool { return b.logSum(lo) < b.logSum(hi) }

// logSum returns log10 P(X = k) with the original's operations in their order. (The conversions prevent
// compilers from fusing multiplication and addition.)
func (b Binomial) logSum(k int) float64 {
	m := min(k, b.n-k)
	sum := 0.0
	for i := 1; i <= m; i++ {
		sum += log10(float64(b.n-m+i) / float64(i))
	}
	sum += float64(float64(k) * log10(b.p))
	return sum + float64(float64(b.n-k)*log10(b.q))
}

// log10 rounds as C's log10 does (fdlibm's e_log10), unlike math.Log10.
func log10(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if exponent > 0 {
		fraction, exponent = 2*fraction, exponent-1
	}
	e := float64(exponent)
	z := float64(e*3.69423907715893078616e-13) + float64(math.Log10E*math.Log(fraction))
	return z + float64(e*3.01029995663611771306e-01)
}

// StandardError returns the standard error of the win rate k/n with the nearly unbiased divisor n - 3/2 of
// the Laboratory for Fundamental Information on Computer Shogi. It returns an error for n < 2, and for k = 0
// and k = n, where the estimate would be zero.
func StandardError(k, n int) (float64, error) {
	if err := CheckCounts(k, n); err != nil {
		return 0, err
	}
	if n < 2 || k == 0 || k == n {
		return 0, errors.New("one side won all games: they do not show how much the win rate varies")
	}
	q := float64(k) / float64(n)
	return math.Sqrt(q * (1 - q) / (float64(n) - 1.5)), nil
}
