package stats

import (
	"errors"
	"math"
)

// LFICS is the narrowing interval of the calculator of the Laboratory for
// Fundamental Information on Computer Shogi, kept for comparison with published
// results. It is a fluctuation interval, the smallest set of win rates that
// holds at least the level of Binomial(n, k/n), and no confidence interval: its
// coverage is not guaranteed. On a tie it drops the upper end, so exchanging
// the engines may change it; the original, where ties (k = n/2) are left to
// rounding, may differ by one win there. It is undefined for n < 5, k = 0 and
// k = n. Its work grows with n.
func LFICS(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	if n < 5 || k == 0 || k == n {
		return Interval{}, errors.New("the fluctuation interval is undefined for fewer than 5 games and where one side won all")
	}
	lo, hi := narrow(newBinomial(n, float64(k)/float64(n)), 1-level)
	return Interval{"lfics", level, float64(lo) / float64(n), float64(hi) / float64(n)}, nil
}

// narrow drops the less probable end of [0, n] for as long as what is dropped
// stays below alpha.
func narrow(b binomial, alpha float64) (lo, hi int) {
	hi = b.n
	left, right, dropped := b.prob(lo), b.prob(hi), 0.0
	for {
		// Equal probabilities may differ by a rounding error.
		if left < right*(1-1e-12) {
			dropped += left
			if dropped >= alpha {
				return lo, hi
			}
			lo++
			left = b.prob(lo)
			continue
		}
		dropped += right
		if dropped >= alpha {
			return lo, hi
		}
		hi--
		right = b.prob(hi)
	}
}

// StandardError is the standard error of the win rate k/n with the
// nearly unbiased divisor n - 3/2, as the Laboratory for Fundamental
// Information on Computer Shogi gives it. It fails for n < 2 and where the
// estimate is zero, at k = 0 and k = n, which would claim a certainty that no
// game gave.
func StandardError(k, n int) (float64, error) {
	if err := checkCounts(k, n); err != nil {
		return 0, err
	}
	if n < 2 || k == 0 || k == n {
		return 0, errors.New("one side won all games: they do not show how much the win rate varies")
	}
	q := float64(k) / float64(n)
	return math.Sqrt(q * (1 - q) / (float64(n) - 1.5)), nil
}
