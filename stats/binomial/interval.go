package binomial

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a closed interval for an unknown number: a probability or a score
// in [0, 1] unless it comes from [EloInterval].
type Interval struct {
	Method string   `json:"method"` // how it was made: clopper_pearson, blaker, …
	Level  float64  `json:"level"`  // nominal, such as 0.95
	Lo     float64  `json:"lo"`
	Hi     float64  `json:"hi"`
	Draws  DrawRule `json:"draws,omitempty"` // the convention, where k of n came from [Counted]
}

// NewInterval is [lo, hi] by this method, without a draw convention.
func NewInterval(method string, level, lo, hi float64) Interval {
	return Interval{Method: method, Level: level, Lo: lo, Hi: hi}
}

// ClopperPearson is the exact interval for a win probability after k wins of n
// games: its coverage is at least the level whatever the truth is (Clopper and
// Pearson 1934). It fails for impossible counts, n = 0, and a level outside
// (0, 1), as all intervals for k of n here do.
func ClopperPearson(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	tail := (1 - level) / 2
	return NewInterval("clopper_pearson", level, lowerExact(k, n, tail), upperExact(k, n, tail)), nil
}

// lowerExact is the p at which k or more wins of n have probability tail.
func lowerExact(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return mathext.InvRegIncBeta(float64(k), float64(n-k+1), tail)
}

// upperExact is the p at which k or fewer wins of n have probability tail.
func upperExact(k, n int, tail float64) float64 {
	if k == n {
		return 1
	}
	return 1 - lowerExact(n-k, n, tail)
}

// Blaker is the exact interval of Blaker (2000, "Confidence curves and improved
// exact confidence intervals for discrete distributions"). It keeps the level
// as [ClopperPearson] does and lies inside that interval, a few percent
// narrower.
func Blaker(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	return NewInterval("blaker", level, blakerLower(k, n, 1-level), 1-blakerLower(n-k, n, 1-level)), nil
}

// blakerLower is the smallest p whose acceptability exceeds alpha. Below k/n
// that is P(X >= k) + P(X <= j), where j is the largest number whose lower tail
// is no heavier than the upper one. As p grows, j steps up where the two tails
// meet; there the acceptability is twice the tail, and on the piece between two
// such jumps it first falls, then rises. So it exceeds alpha first either at
// the first jump beyond the Clopper–Pearson bound, or on the piece just before.
func blakerLower(k, n int, alpha float64) float64 {
	if k == 0 {
		return 0
	}
	bound := lowerExact(k, n, alpha/2)
	j := quantile(NewBinomial(n, bound), alpha/2)
	jump := Root(bound, 1, func(p float64) float64 {
		b := NewBinomial(n, p)
		return b.AtLeast(k) - b.AtMost(j)
	})
	before := func(p float64) float64 {
		b := NewBinomial(n, p)
		return b.AtLeast(k) + b.AtMost(j-1) - alpha
	}
	if before(jump) <= 0 {
		return jump
	}
	return Root(bound, jump, before)
}

// quantile is the smallest j with P(X <= j) > tail.
func quantile(b Binomial, tail float64) int {
	lo, hi := 0, b.n
	for lo < hi {
		mid := lo + (hi-lo)/2
		if b.AtMost(mid) > tail {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// MidP is the mid-P interval: [ClopperPearson] with only half of the observed
// count's probability in each tail. Its coverage is near the level on average
// and may fall below it.
func MidP(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	tail := (1 - level) / 2
	return NewInterval("mid_p", level, midPLower(k, n, tail), 1-midPLower(n-k, n, tail)), nil
}

func midPLower(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return Root(lowerExact(k, n, tail), 1, func(p float64) float64 {
		b := NewBinomial(n, p)
		return b.AtLeast(k+1) + b.At(k)/2 - tail
	})
}

// Wilson is the score interval of Wilson (1927). It is approximate: its
// coverage is near the level on average and may fall well below it for
// probabilities near 0 and 1.
func Wilson(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	z := ZWithin(level)
	return NewInterval("wilson", level, wilsonLower(k, n, z), 1-wilsonLower(n-k, n, z)), nil
}

func wilsonLower(k, n int, z float64) float64 {
	if k == 0 {
		return 0
	}
	x, m := float64(k), float64(n)
	return (x + z*z/2 - z*math.Sqrt(x*(m-x)/m+z*z/4)) / (m + z*z)
}

// WilsonContinuity is [Wilson] with continuity correction (Newcombe 1998,
// method 4). It is approximate, mostly conservative, and at k = 0 and k = n ends
// at 0 and 1.
func WilsonContinuity(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	z := ZWithin(level)
	return NewInterval("wilson_continuity", level, wilsonContinuityLower(k, n, z), 1-wilsonContinuityLower(n-k, n, z)), nil
}

// wilsonContinuityLower needs no cut at 0: for k > 0 the difference is above it, since
// (2k+z²-1)² less the square of the spread is (2k-1)²(1+z²/n).
func wilsonContinuityLower(k, n int, z float64) float64 {
	if k == 0 {
		return 0
	}
	x, m := float64(k), float64(n)
	q := 1 - x/m
	spread := z * math.Sqrt(z*z-2-1/m+4*x/m*(m*q+1))
	return (2*x + z*z - 1 - spread) / (2 * (m + z*z))
}

// Jeffreys is the central interval of the posterior Beta(k+½, n-k+½), its ends
// fixed at 0 for k = 0 and at 1 for k = n. As a confidence interval it is
// approximate.
func Jeffreys(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	tail := (1 - level) / 2
	return NewInterval("jeffreys", level, jeffreysLower(k, n, tail), 1-jeffreysLower(n-k, n, tail)), nil
}

func jeffreysLower(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return mathext.InvRegIncBeta(float64(k)+0.5, float64(n-k)+0.5, tail)
}

// Wald is the textbook interval k/n ± z standard errors, cut off at 0 and 1. It
// is here to be compared with: its coverage breaks down for small n and near 0
// and 1, and at k = 0 and k = n it is a single point.
func Wald(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	q := float64(k) / float64(n)
	half := ZWithin(level) * math.Sqrt(q*(1-q)/float64(n))
	return clipped("wald", level, q, half), nil
}

// clipped is centre ± half within [0, 1], where every probability and score is.
func clipped(method string, level, centre, half float64) Interval {
	return NewInterval(method, level, max(0, centre-half), min(1, centre+half))
}

// ZWithin is the z with P(|Z| <= z) = level for a standard normal Z.
func ZWithin(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// ZAbove is the z with P(Z >= z) = tail for a standard normal Z.
func ZAbove(tail float64) float64 { return -mathext.NormalQuantile(tail) }
