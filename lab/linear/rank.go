package linear

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"
	"gogi/stats/regress"
)

// A Correlation is a correlation coefficient, with the test whether it differs from 0.
type Correlation struct {
	Method string  `json:"method"` // pearson or spearman.
	N      int     `json:"n"`
	R      float64 `json:"r"` // in [-1, 1]
	// R√((N-2)/(1-R²)). It is 0 if R is ±1 except for rounding errors, because the formula then divides by 0.
	T float64 `json:"-"`
	// two-sided p value by Student's t with N-2 degrees of freedom. It is 1 if N is 2. It is 0 below 1e-308, and if no
	// point is off the line except for rounding errors.
	P float64 `json:"p"`
}

// Pearson returns the product-moment correlation. Its p value assumes normal numbers. It returns an error for lists
// of different lengths, fewer than two pairs, numbers that are not finite, and a list that does not vary.
func Pearson(x, y []float64) (Correlation, error) {
	return correlation("pearson", x, y)
}

// Spearman returns the correlation of ranks. Equal numbers get the mean of their ranks. The p value by
// Student's t is a good approximation for more than about ten pairs. Spearman returns the same errors as
// [Pearson].
func Spearman(x, y []float64) (Correlation, error) {
	if err := regress.CheckPaired(x, y, 2); err != nil {
		return Correlation{}, err
	}
	return correlation("spearman", ranks(x), ranks(y))
}

func correlation(method string, x, y []float64) (Correlation, error) {
	if err := regress.CheckPaired(x, y, 2); err != nil {
		return Correlation{}, err
	}
	xc, xx := regress.Centered(x)
	yc, yy := regress.Centered(y)
	if xx == 0 || yy == 0 {
		return Correlation{}, errors.New("a list that does not vary correlates with nothing")
	}
	c := Correlation{Method: method, N: len(x)}
	c.R = max(-1, min(1, dot(xc, yc)/math.Sqrt(xx)/math.Sqrt(yy)))
	if math.Abs(c.R) > 1-1e-15 {
		c.R = math.Copysign(1, c.R) // except for rounding
	}
	rest := 0.0 // 1-R², from the residuals, because the difference loses the digits of a small one
	for i := range xc {
		e := yc[i]/math.Sqrt(yy) - c.R*xc[i]/math.Sqrt(xx)
		rest += e * e
	}
	switch {
	case c.N == 2:
		c.P = 1
	case math.Sqrt(rest) > roundOff*(1+largest(x)/math.Sqrt(xx)+largest(y)/math.Sqrt(yy)):
		c.T = c.R * math.Sqrt(float64(c.N-2)/rest)
		c.P = studentTwoSided(c.T, c.N-2)
	}
	return c, nil
}

// largest returns the largest absolute value of a list.
func largest(v []float64) float64 { return max(slices.Max(v), -slices.Min(v)) }

// ranks returns the rank of each number in ascending order, from 1. Equal numbers get the mean of their
// ranks.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	r := make([]float64, len(v))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && v[order[to]] == v[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			r[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return r
}

// A RankSumTest is the result of a rank-sum test of two samples.
type RankSumTest struct {
	// Test has the method "rank_sum_exact" or "rank_sum_normal", the size N of both samples together, and the
	// p value.
	Test binomial.Test
	W    float64 // sum of a's ranks among all numbers.
	U    float64 // number of pairs of a number of a and one of b in which a's is larger; ties count half. R calls it W.
	Ties bool    // some numbers are equal
	// PNormal is the p value by the normal approximation with continuity and tie correction, as in R for
	// samples with ties.
	PNormal float64
}

// exactUpTo is the largest product of the sample sizes for which the exact distribution is used. Two samples
// of 50 take 40 million steps.
const exactUpTo = 2500

// RankSum tests whether the numbers in a tend to be larger than the numbers in b (binomial.Greater), or to be smaller
// (binomial.Less). With binomial.TwoSided it tests both directions. The method is from Wilcoxon (1945) and from Mann
// and Whitney (1947). If the product of the sample sizes is at most 2,500, the p value is exact, also with ties.
// RankSum then considers all divisions of the numbers into two samples of these sizes. The p value is the share of
// the divisions whose rank sum is at least as extreme as the observed one. Two-sided, it is twice the smaller tail.
// For a larger product RankSum uses the normal approximation with continuity and tie correction.
//
// RankSum returns an error for an empty sample, for numbers that are not finite, for an unknown alternative, and if
// all numbers are equal.
func RankSum(a, b []float64, alt binomial.Alternative) (RankSumTest, error) {
	if len(a) == 0 || len(b) == 0 {
		return RankSumTest{}, errors.New("a sample is empty")
	}
	if err := errors.Join(alt.Check(), regress.CheckFinite("a", a), regress.CheckFinite("b", b)); err != nil {
		return RankSumTest{}, err
	}
	all := ranks(slices.Concat(a, b))
	r := RankSumTest{Test: binomial.Test{Alternative: alt, N: len(all)}}
	for _, rank := range all[:len(a)] {
		r.W += rank
	}
	n, m := float64(len(a)), float64(len(b))
	r.U = r.W - n*(n+1)/2
	ties := tieCorrection(all)
	if r.Ties = ties > 0; ties == cube(n+m) {
		return r, errors.New("all numbers are the same: there is nothing to rank")
	}
	variance := n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1)))
	r.PNormal = pick(alt, normalTails(r.U-n*m/2, math.Sqrt(variance)))
	r.Test.Method, r.Test.P = "rank_sum_normal", r.PNormal
	if len(a)*len(b) <= exactUpTo {
		r.Test.Method, r.Test.P = "rank_sum_exact", pick(alt, exactTails(all, len(a), r.W))
	}
	return r, nil
}

// A tails holds the probabilities P(W <= w) and P(W >= w).
type tails struct{ less, greater float64 }

func pick(alt binomial.Alternative, t tails) float64 {
	switch alt {
	case binomial.Less:
		return min(1, t.less)
	case binomial.Greater:
		return min(1, t.greater)
	case binomial.TwoSided:
	}
	return min(1, 2*min(t.less, t.greater))
}

func cube(t float64) float64 { return t*t*t - t }

// tieCorrection returns the sum of t³-t over all groups of t equal ranks.
func tieCorrection(ranks []float64) float64 {
	counts := map[float64]float64{}
	for _, r := range ranks {
		counts[r]++
	}
	sum := 0.0
	for _, t := range counts {
		sum += cube(t)
	}
	return sum
}

func normalTails(excess, sd float64) tails {
	upper := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	return tails{upper(-(excess + 0.5) / sd), upper((excess - 0.5) / sd)}
}

// exactTails returns the probabilities that the sum of n selected ranks is at most w and at least w, if all
// selections of n ranks are equally likely. It doubles the ranks, so that they are integers. It uses
// probabilities, because counts of selections would overflow.
func exactTails(ranks []float64, n int, w float64) tails {
	// ways[k][s] is the probability that k of the ranks so far are selected and have the doubled sum s, if
	// all selections of n ranks are equally likely. The next rank is then selected with probability
	// (n-k)/(ranks left).
	largest := lists.Sum(topRanks(ranks, n), func(r float64) int { return int(2 * r) })
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, largest+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		left, step := float64(len(ranks)-i), int(2*r)
		for k := min(i, n); k >= 0; k-- {
			take := float64(n-k) / left
			for s, p := range ways[k] {
				if p == 0 {
					continue
				}
				if take > 0 && s+step <= largest {
					ways[k+1][s+step] += p * take
				}
				ways[k][s] = p * (1 - take)
			}
		}
	}
	var t tails
	for s, p := range ways[n] {
		if s <= int(2*w) {
			t.less += p
		}
		if s >= int(2*w) {
			t.greater += p
		}
	}
	return t
}

func topRanks(ranks []float64, n int) []float64 {
	sorted := slices.Clone(ranks)
	slices.Sort(sorted)
	return sorted[len(sorted)-n:]
}
