package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/counts"

	"gonum.org/v1/gonum/mathext"
)

// Group is some games (or pairs) of a series, as those of one opening family or
// colour, by A's share of the points in each: multiples of a thousandth.
type Group struct {
	Name   string
	Scores []float64
}

// GroupEffect is how a group differs from the rest of its series.
type GroupEffect struct {
	Name     string          `json:"name"`
	N        int             `json:"n"`
	Score    float64         `json:"score"`
	Elo      float64         `json:"elo"`      // of the score; infinite where that is 0 or 1
	Interval counts.Interval `json:"interval"` // of the score; [counts.EloInterval] for Elo
	Effect   float64         `json:"effect"`   // score less that of the rest
	Method   string          `json:"method"`   // permutation_exact, permutation_normal
	P        float64         `json:"p"`        // two-sided: were the group drawn from the series at random
	Adjusted float64         `json:"adjusted"` // by Holm, for all groups
}

// GroupEffects looks for groups that differ from the rest of the series, which is
// all groups together. The test asks how often so many units, drawn from all of
// the series at random, would have a total as far from the mean: exactly, by
// convolution over the scores, or with the normal distribution of the same
// variance where that would take too long. Games of a pair are dependent, so
// pairs are the better units where groups do not divide them. These are looks
// after the fact: the adjusted p values allow for the number of groups, not for
// the choice of the grouping. It fails for fewer than two groups, an empty one,
// scores outside [0, 1] or finer than a thousandth, and a level outside (0, 1).
func GroupEffects(groups []Group, level float64) ([]GroupEffect, error) {
	if len(groups) < 2 {
		return nil, errors.New("it takes two groups to differ")
	}
	var all scores
	parts := make([]scores, len(groups))
	for i, g := range groups {
		s, err := g.counted()
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", g.Name, err)
		}
		parts[i], all = s, all.plus(s)
	}
	effects, raw := make([]GroupEffect, len(groups)), make([]float64, len(groups))
	for i, s := range parts {
		m := s.means(milli)
		interval, err := m.interval(unitGame+gaffke, level)
		if err != nil {
			return nil, err
		}
		n, score := s.units(), float64(s.sum())/milli/float64(s.units())
		rest := float64(all.sum()-s.sum()) / milli / float64(all.units()-n)
		p, method := all.drawn(s)
		effects[i] = GroupEffect{groups[i].Name, n, score, counts.Elo(score), interval, score - rest, method, p, 0}
		raw[i] = p
	}
	adjusted, err := counts.Holm.Adjust(raw)
	for i := range adjusted {
		effects[i].Adjusted = adjusted[i]
	}
	return effects, err
}

func (g Group) counted() (scores, error) {
	if len(g.Scores) == 0 {
		return nil, errors.New("no games")
	}
	var s scores
	for _, x := range g.Scores {
		whole := math.Round(x * milli)
		if !(x >= 0 && x <= 1) || math.Abs(x*milli-whole) > 1e-6 {
			return nil, fmt.Errorf("%v is no score in thousandths from 0 to 1", x)
		}
		s = append(s, scoreCount{int(whole), 1})
	}
	return s.plus(nil), nil
}

// drawn is the probability that as many units as s has, drawn from all, differ
// from the mean of all by as much.
func (all scores) drawn(s scores) (p float64, method string) {
	unit, base := 0, all[0].points
	for _, c := range all {
		unit = gcd(c.points-base, unit)
	}
	if unit == 0 {
		return 1, "permutation_exact"
	}
	size := s.units()
	most := (all[len(all)-1].points - base) / unit * size
	work := 0
	for _, c := range all {
		work += (size + 1) * (most + 1) * (min(c.count, size) + 1)
	}
	mean := float64(all.sum()) / float64(all.units())
	if far := math.Abs(float64(s.sum()) - mean*float64(size)); work > maxFlipWork {
		return all.normalDraw(size, far, unit), "permutation_normal"
	}
	seen := (s.sum() - base*size) / unit
	ge, le := 0.0, 0.0
	for total, p := range all.draws(size, most, base, unit) {
		if total >= seen {
			ge += p
		}
		if total <= seen {
			le += p
		}
	}
	return counts.BothTails(ge, le), "permutation_exact"
}

// draws is the distribution of the total of size units drawn without putting
// back, in units above base: score by score, the number of units that have it is
// hypergeometric in what is left to draw.
func (all scores) draws(size, most, base, unit int) []float64 {
	now := make([][]float64, size+1) // by units drawn, by total
	now[0] = []float64{1}
	left := all.units()
	for _, c := range all {
		next := make([][]float64, size+1)
		value := (c.points - base) / unit
		for taken, totals := range now {
			if totals == nil {
				continue
			}
			for k := 0; k <= min(c.count, size-taken); k++ {
				p := hypergeometric(k, c.count, size-taken, left)
				if p == 0 {
					continue
				}
				to := next[taken+k]
				if to == nil {
					to = make([]float64, most+1)
					next[taken+k] = to
				}
				for total, q := range totals {
					if q != 0 {
						to[total+k*value] += p * q
					}
				}
			}
		}
		now, left = next, left-c.count
	}
	return now[size]
}

// hypergeometric is the probability of k of marked units among size drawn of n.
func hypergeometric(k, marked, size, n int) float64 {
	if k > marked || size-k > n-marked || k > size || k < 0 {
		return 0
	}
	return math.Exp(logChoose(marked, k) + logChoose(n-marked, size-k) - logChoose(n, size))
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// normalDraw is the same by a normal distribution of the total, with half a unit
// of continuity.
func (all scores) normalDraw(size int, far float64, unit int) float64 {
	n, mean, squares := float64(all.units()), float64(all.sum())/float64(all.units()), 0.0
	for _, c := range all {
		squares += float64(c.count) * (float64(c.points) - mean) * (float64(c.points) - mean)
	}
	m := float64(size)
	variance := m * (n - m) / (n * (n - 1)) * squares
	return min(1, math.Erfc((far-float64(unit)/2)/math.Sqrt(2*variance)))
}

// chiSquareAbove is the probability that a chi-square of so many degrees of
// freedom is at least x.
func chiSquareAbove(x float64, freedom int) float64 {
	return mathext.GammaIncRegComp(float64(freedom)/2, max(0, x)/2)
}
