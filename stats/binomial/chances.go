package binomial

import (
	"fmt"
	"math"
)

// Chances are those of a match of a fixed number of games, by points.
type Chances struct {
	Win  float64 `json:"win"` // A has more than half of the points
	Draw float64 `json:"draw"`
	Loss float64 `json:"loss"`
}

// MatchChances are those of A in a match of n independent games, each won with
// probability win and drawn with probability draw, draws at half a point: exact,
// summed over the number of draws. It fails for n < 1 and impossible
// probabilities.
func MatchChances(n int, win, draw float64) (Chances, error) {
	loss := 1 - win - draw
	if n < 1 {
		return Chances{}, fmt.Errorf("a match of %d games is none", n)
	}
	if !(win >= 0 && draw >= 0 && loss >= -1e-12) {
		return Chances{}, fmt.Errorf("a game is not won with probability %v and drawn with %v", win, draw)
	}
	draws := NewBinomial(n, draw)
	share := 0.0
	if decisive := 1 - draw; decisive > 0 {
		share = min(1, win/decisive)
	}
	var c Chances
	for d := 0; d <= n; d++ {
		p := draws.At(d)
		if p == 0 {
			continue
		}
		wins := NewBinomial(n-d, share)
		more := p * wins.AtLeast((n-d)/2+1)
		less := p * wins.AtMost((n-d+1)/2-1)
		c.Win += more
		c.Loss += less
		c.Draw += p - more - less
	}
	c.Draw = max(0, c.Draw)
	return c, nil
}

// Coverage is how often the interval of this method for n games, each won with
// probability p, holds p: by summing over all numbers of wins. A number of wins
// for which the method has no interval counts as a miss. It fails for n < 1, a p
// outside [0, 1], a level outside (0, 1) and an unknown method.
func (m IntervalMethod) Coverage(n int, p, level float64) (float64, error) {
	if n < 1 || !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("%d games won with probability %v are impossible", n, p)
	}
	if _, err := m.Interval(1, 10, level); err != nil {
		return 0, err
	}
	b, covered := NewBinomial(n, p), 0.0
	for k := 0; k <= n; k++ {
		q := b.At(k)
		if q < 1e-18 {
			continue
		}
		if i, err := m.Interval(k, n, level); err == nil && i.Lo-coverageSlack <= p && p <= i.Hi+coverageSlack {
			covered += q
		}
	}
	return math.Min(1, covered), nil
}

// coverageSlack forgives an end its rounding error.
const coverageSlack = 1e-12
