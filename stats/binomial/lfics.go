package binomial

import (
	"errors"
	"math"
	"sort"
)

// lfics returns the interval of [MethodLFICS]. The method narrows a range of counts from its two ends (see narrow). If
// both ends are equally probable, as for k = n/2, lfics removes the same end as the original calculator (see
// [Binomial.roundsDown]). Exchanging the engines may therefore change the interval. The interval is undefined for n <
// 5, k = 0 and k = n, and lfics then returns an error.
func lfics(k, n int, level float64) (Interval, error) {
	if n < 5 || k == 0 || k == n {
		return Interval{},
			errors.New("the fluctuation interval is undefined for fewer than 5 games and where one side won all")
	}
	lo, hi := narrow(NewBinomial(n, float64(k)/float64(n)), 1-level)
	return NewInterval("lfics", level, float64(lo)/float64(n), float64(hi)/float64(n)), nil
}

// narrow narrows the range of counts [0, n]. It removes the less probable end again and again, as long as the
// probability of all removed counts stays below alpha. To save time for a large n, it starts from the range that
// narrowed returns, near the result.
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

// narrowed returns one of the ranges that narrow reaches if it starts at [0, n]. This range is near the final range,
// so that narrow can start from it and saves time. It is the last range from which narrow would next remove the lower
// end. If narrow removes no lower end, narrowed returns the final range.
func (b Binomial) narrowed(alpha float64) (lo, hi int) {
	mode := min(b.n, int(float64(b.n+1)*b.p))
	// rival returns the upper end of the range at the stage that drops the lower end lo.
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

// roundsDown decides which of two equally probable ends is removed, as the original calculator does. The original sums
// logarithms, and removes the upper end unless the sum for the lower end is smaller. The result depends on rounding
// errors. No other rule reproduces all published intervals: [.41, .60] for 50 of 100 (without the lower end) and [.469,
// .530] for 500 of 1000 (without the upper end). Always removing the upper end does not reproduce them, and alternating
// ends do not either.
func (b Binomial) roundsDown(lo, hi int) bool { return b.logSum(lo) < b.logSum(hi) }

// logSum returns log10 P(X = k), calculated with the same operations in the same order as the original
// calculator. (The conversions prevent compilers from fusing multiplication and addition.)
func (b Binomial) logSum(k int) float64 {
	m := min(k, b.n-k)
	sum := 0.0
	for i := 1; i <= m; i++ {
		sum += log10(float64(b.n-m+i) / float64(i))
	}
	sum += float64(float64(k) * log10(b.p))
	return sum + float64(float64(b.n-k)*log10(b.q))
}

// log10 returns the same rounded value as C's log10 (fdlibm's e_log10). The result of math.Log10 may differ.
func log10(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if exponent > 0 {
		fraction, exponent = 2*fraction, exponent-1
	}
	e := float64(exponent)
	z := float64(e*3.69423907715893078616e-13) + float64(math.Log10E*math.Log(fraction))
	return z + float64(e*3.01029995663611771306e-01)
}

// StandardError returns the standard error of the win rate k/n. It uses the nearly unbiased divisor n - 3/2
// of the Laboratory for Fundamental Information on Computer Shogi. It returns an error for n < 2. It also
// returns an error for k = 0 and k = n, because the estimate would be zero.
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
