package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// ScoreFlip tests two-sided whether independent units, such as openings, contribute nothing to a sum on
// average. The p value is the probability that random signs of the contributions give a sum as far from 0. It
// uses the normal distribution of the same variance.
//
// It can test whether a group of games differs from the rest, even if a unit has games in both. The
// contribution of a unit is then Σ (score − mean) (g − share) over its games; g is 1 for a game of the group
// and 0 for others, and share is the group's share of all games (Hemerik, Goeman and Finos 2020, "Robust
// testing in generalized linear models by sign flipping score contributions"). Dependence between the games
// of a unit does not matter. The method is score_flip_normal; N counts the contributions that are not 0.
func ScoreFlip(contributions []float64) binomial.Test {
	t := binomial.Test{Method: "score_flip_normal", Alternative: binomial.TwoSided, P: 1}
	sum, squares := 0.0, 0.0
	for _, z := range contributions {
		if z != 0 {
			t.N++
		}
		sum += z
		squares += z * z
	}
	if squares > 0 {
		t.P = math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
	}
	return t
}

// Interval returns Gaffke's interval for the mean of the scores, as [Series.Interval] does. Its method is
// game_gaffke. It returns an error for an empty group, for scores outside [0, 1] or finer than a thousandth,
// and for a level outside (0, 1).
func (g Group) Interval(level float64) (binomial.Interval, error) {
	s, err := g.counted()
	if err != nil {
		return binomial.Interval{}, fmt.Errorf("group %s: %w", g.Name, err)
	}
	return s.means(milli).interval(unitGame+gaffke, level)
}

// A Group is a set of games (or pairs) of a series, such as those of one opening family or colour. The scores
// are A's share of the points of each, in multiples of 0.001.
type Group struct {
	Name   string
	Scores []float64
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
