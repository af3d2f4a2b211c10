package stats

import (
	"cmp"
	"slices"

	"gogi/internal/lists"
)

// milli is the number of integer steps in one point. With integer points a sum does not depend on its order, and equal
// scores are exactly equal.
const milli = 1000

// A scores counts pairs, or games, by their points in thousandths, in ascending order.
type scores []scoreCount

type scoreCount struct{ points, count int }

// take adds change to the count of a number of points.
func (s *scores) take(points, change int) {
	at, found := slices.BinarySearchFunc(*s, points, func(c scoreCount, p int) int { return cmp.Compare(c.points, p) })
	if !found {
		*s = slices.Insert(*s, at, scoreCount{points: points})
	}
	(*s)[at].count += change
	if (*s)[at].count == 0 {
		*s = slices.Delete(*s, at, at+1)
	}
}

// plus returns the scores with those of o in any order, each of which counts sign times.
func (s scores) plus(o scores, sign int) scores {
	all := slices.Clone(s)
	for _, c := range o {
		all.take(c.points, sign*c.count)
	}
	return all
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
