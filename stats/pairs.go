package stats

import (
	"cmp"
	"slices"

	"gogi/internal/lists"
)

// milli is the number of integer steps in one point. With integer points a sum does not depend on its order, and equal
// scores are exactly equal.
const milli = 1000

// A scores counts pairs, or games, by their points in thousandths, in ascending order. No function changes it in place,
// so several tallies may share it.
type scores []scoreCount

type scoreCount struct{ points, count int }

// with returns the scores with one pair more. It changes no copy, because the copies of a [Tally] are independent.
func (s scores) with(points int) scores {
	at, found := slices.BinarySearchFunc(s, points, func(c scoreCount, p int) int { return cmp.Compare(c.points, p) })
	more := make(scores, 0, len(s)+1)
	more = append(append(more, s[:at]...), scoreCount{points, 1})
	if found {
		more[at].count += s[at].count
		at++
	}
	return append(more, s[at:]...)
}

func (s scores) plus(o scores) scores {
	all := slices.Concat(s, o)
	slices.SortFunc(all, func(a, b scoreCount) int { return cmp.Compare(a.points, b.points) })
	merged := all[:0]
	for _, c := range all {
		if last := len(merged) - 1; last >= 0 && merged[last].points == c.points {
			merged[last].count += c.count
		} else {
			merged = append(merged, c)
		}
	}
	return merged
}

// mirror returns the scores from the opponent's point of view: the stake minus the points.
func (s scores) mirror(stake int) scores {
	var m scores
	for _, c := range slices.Backward(s) {
		m = append(m, scoreCount{stake - c.points, c.count})
	}
	return m
}

func (s scores) sum() int {
	return lists.Sum(s, func(c scoreCount) int { return c.points * c.count })
}

func (s scores) units() int {
	return lists.Sum(s, func(c scoreCount) int { return c.count })
}

// A Sample has the mean and the variance of A's score over independent observations. These are openings,
// colour-swapped pairs (whose two games depend on each other), or single games if colours were not swapped.
type Sample struct {
	Unit     string  // "opening", "pair" or "game"
	N        int     // number of units
	Mean     float64 // points per game, in [0, 1]
	Variance float64 // variance of a unit's points per game, with divisor N
}

// The kinds of independent observations in a series.
const (
	unitPair = "pair"
	unitGame = "game"
)

// Sample returns A's score with its variance over pairs, or over games if colours were not swapped. It returns an error
// without games. It also returns an error for a mixture of pairs and single games, because their variances differ.
func (t Tally) Sample() (Sample, error) {
	unit, s, stake, err := t.units()
	if err != nil {
		return Sample{}, err
	}
	return s.sample(unit, stake), nil
}

func (s scores) sample(unit string, stake float64) Sample {
	return s.means(stake).about(unit, float64(s.sum())/float64(s.units())/stake)
}
