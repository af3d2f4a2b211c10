package binomial

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is a closed interval for an unknown probability or score in [0, 1], or for an Elo difference
// ([EloInterval]).
type Interval struct {
	Method string   `json:"method"` // such as clopper_pearson or blaker
	Level  float64  `json:"level"`  // nominal level, such as 0.95
	Lo     float64  `json:"lo"`
	Hi     float64  `json:"hi"`
	Draws  DrawRule `json:"draws,omitempty"` // the draw rule of a [Counted]
}

// NewInterval returns the interval [lo, hi] with the name of its method and its confidence level. It has no
// draw rule.
func NewInterval(method string, level, lo, hi float64) Interval {
	return Interval{Method: method, Level: level, Lo: lo, Hi: hi}
}

// ClopperPearson returns the interval of [MethodClopperPearson] for the win rate after k wins in n games.
func ClopperPearson(k, n int, level float64) (Interval, error) {
	return MethodClopperPearson.Interval(k, n, level)
}

// lowerExact returns the rate p at which k or more wins in n games have the probability tail.
func lowerExact(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return BetaQuantile(float64(k), float64(n-k+1), tail)
}

// BetaQuantile returns the x below which a beta distribution with the parameters a and b has the probability p. For
// rare tails of unequal parameters the library's inverse is wrong, such as 0.962 for 0.999 at a = 31613, b = 10 and p =
// 5e-7. BetaQuantile checks it, and bisects if it does not have the probability.
func BetaQuantile(a, b, p float64) float64 {
	x := mathext.InvRegIncBeta(a, b, p)
	if math.Abs(mathext.RegIncBeta(a, b, x)-p) <= 1e-7*p {
		return x
	}
	return Root(0, 1, func(x float64) float64 { return mathext.RegIncBeta(a, b, x) - p })
}

// blakerLower returns the lower end of Blaker's interval: the smallest p whose acceptability exceeds alpha. Below k/n
// the acceptability is P(X >= k) + P(X <= j). Here j is the largest number whose lower tail is at most the upper tail
// P(X >= k). As p grows, j moves up at each p at which the two tails are equal. There the acceptability jumps to twice
// the tail. Between two such jumps it first falls, then rises. It therefore first exceeds alpha at the first jump
// beyond the Clopper–Pearson bound, or in the section just before this jump.
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

// quantile returns the smallest j for which P(X <= j) exceeds tail.
func quantile(b Binomial, tail float64) int {
	return sort.Search(b.n, func(j int) bool { return b.AtMost(j) > tail })
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

func wilsonLower(k, n int, z float64) float64 {
	if k == 0 {
		return 0
	}
	x, m := float64(k), float64(n)
	return (x + z*z/2 - z*math.Sqrt(x*(m-x)/m+z*z/4)) / (m + z*z)
}

// wilsonContinuityLower returns the lower end of [MethodWilsonContinuity], which is 0 for k = 0. For k > 0 it is above
// 0, because (2k+z²-1)² minus the square of the spread is (2k-1)²(1+z²/n).
func wilsonContinuityLower(k, n int, z float64) float64 {
	if k == 0 {
		return 0
	}
	x, m := float64(k), float64(n)
	q := 1 - x/m
	spread := z * math.Sqrt(z*z-2-1/m+4*x/m*(m*q+1))
	return (2*x + z*z - 1 - spread) / (2 * (m + z*z))
}

func jeffreysLower(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return BetaQuantile(float64(k)+0.5, float64(n-k)+0.5, tail)
}

func wald(k, n int, level float64) Interval {
	q := float64(k) / float64(n)
	half := ZWithin(level) * math.Sqrt(q*(1-q)/float64(n))
	return NewInterval("wald", level, max(0, q-half), min(1, q+half))
}

// ZWithin returns the number z for which a standard normal variable is between -z and z with the probability
// level.
func ZWithin(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// TWithin returns the number t for which a variable of Student's distribution is between -t and t with the probability
// level. freedom is its number of degrees of freedom, from 1. If it is infinite, the distribution is normal.
func TWithin(level, freedom float64) float64 {
	if math.IsInf(freedom, 1) {
		return ZWithin(level)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}

// ZAbove returns the number z for which a standard normal variable is at least z with the probability tail.
func ZAbove(tail float64) float64 { return -mathext.NormalQuantile(tail) }
