package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// ScoreFlip tests whether the contributions of independent units, such as openings, have the mean 0. The test
// is two-sided. The p value is the probability that the sum of the contributions with random signs is at
// least as far from 0 as the observed sum. It is calculated with the normal distribution that has the same
// variance.
//
// The test can show whether a group of games differs from the other games, even if a unit has games in both.
// The contribution of a unit is then the sum of (score − mean) (g − share) over its games. g is 1 for a game
// of the group and 0 for other games, and share is the group's share of all games (Hemerik, Goeman and Finos
// 2020, "Robust testing in generalized linear models by sign flipping score contributions"). The games of a
// unit may depend on each other. The method is named score_flip_normal. N is the number of contributions that
// are not 0.
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

// Interval returns Gaffke's interval for the mean of the group's scores, see [Series.Interval]. The method is
// named game_gaffke. Interval returns an error for an empty group, for scores that are outside [0, 1] or not
// multiples of 0.001, and for a level outside (0, 1).
func (g Group) Interval(level float64) (binomial.Interval, error) {
	s, err := g.counted()
	if err != nil {
		return binomial.Interval{}, fmt.Errorf("group %s: %w", g.Name, err)
	}
	return s.means(milli).interval(unitGame+gaffke, level)
}

// A Group is a set of games (or pairs) of a series, such as the games of one opening family or colour. Each
// score is A's share of the points in a game, in multiples of 0.001.
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
