package stats

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gogi/stats/binomial"
)

// milli is the number of units in a point. Points are summed as integers, so
// that sums do not depend on the order and equal scores are equal.
const milli = 1000

// scores counts units (pairs, or games) by their points in thousandths,
// ascending. It is never changed in place, so tallies may share it.
type scores []scoreCount

type scoreCount struct{ points, count int }

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

// mirror gives each unit the rest of the points that were at stake.
func (s scores) mirror(stake int) scores {
	var m scores
	for _, c := range slices.Backward(s) {
		m = append(m, scoreCount{stake - c.points, c.count})
	}
	return m
}

func (s scores) sum() int {
	sum := 0
	for _, c := range s {
		sum += c.points * c.count
	}
	return sum
}

func (s scores) units() int {
	n := 0
	for _, c := range s {
		n += c.count
	}
	return n
}

// Sample is the score of a series by its independent units: colour-swapped
// pairs, whose two games share an opening and are not independent of each
// other, or single games where colours were not swapped.
type Sample struct {
	Unit     string  // "pair" or "game"
	N        int     // units
	Mean     float64 // points per game, in [0, 1]
	Variance float64 // of a unit's points per game, with divisor N
	Skewness float64 // and excess kurtosis of the same, 0 where Variance is
	Kurtosis float64
}

// The units of a series.
const (
	unitPair = "pair"
	unitGame = "game"
)

// Sample is A's score with its variance over units. It fails when there are no
// games, and for a mixture of pairs and single games, whose units do not have
// one variance.
func (t Tally) Sample() (Sample, error) {
	switch {
	case t.Pairs() == 0:
		return Sample{}, ErrNoGame
	case t.Singles == 0:
		return t.paired.sample(unitPair, 2*milli), nil
	case t.Penta.Pairs() == 0:
		return t.single.sample(unitGame, milli), nil
	}
	return Sample{}, errMixed()
}

func errMixed() error {
	return ErrMixed
}

func (s scores) sample(unit string, stake float64) Sample {
	n := float64(s.units())
	mean := float64(s.sum()) / n / stake
	if len(s) == 1 { // else the rounding error of the mean would be a variance
		return Sample{Unit: unit, N: s.units(), Mean: mean}
	}
	var moments [5]float64
	for _, c := range s {
		d, power := float64(c.points)/stake-mean, 1.0
		for i := range moments {
			moments[i] += float64(c.count) / n * power
			power *= d
		}
	}
	v := moments[2]
	return Sample{unit, s.units(), mean, v, moments[3] / (v * math.Sqrt(v)), moments[4]/(v*v) - 3}
}

// Interval is the approximate interval for the expected score, mean ± z√(V/N)
// cut off at 0 and 1 ("pair_normal" or "game_normal"). It fails where every
// unit scored the same, a single one included: such a sample does not show how
// much the score varies.
func (s Sample) Interval(level float64) (binomial.Interval, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	if s.N < 2 || !(s.Variance > 0) {
		return binomial.Interval{}, errors.New("every " + s.Unit + " scored the same: they do not show how much the score varies")
	}
	half := binomial.ZWithin(level) * math.Sqrt(s.Variance/float64(s.N))
	return binomial.NewInterval(s.Unit+"_normal", level, max(0, s.Mean-half), min(1, s.Mean+half)), nil
}
