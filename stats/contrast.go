package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// ScoreFlip tests that independent units, such as openings, contribute nothing to a
// sum on average: two-sided, by how often random signs before the contributions give
// a sum as far from 0, with the normal distribution of the same variance.
//
// With the contributions Σ (score − mean) (1 inside the group, else 0; less the
// group's share) over a unit's games, it asks whether a group of games differs from
// the rest, where groups divide units (Hemerik, Goeman and Finos 2020, "Robust
// testing in generalized linear models by sign flipping score contributions"):
// whatever the games of a unit have in common stays together. Its method is
// score_flip_normal, N the contributions that are not 0.
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

// Interval is the interval for the mean of the scores, Gaffke's as in
// [Series.Interval], and fails for an empty group, scores outside [0, 1] or finer
// than a thousandth, and a level outside (0, 1). Its method is game_gaffke.
func (g Group) Interval(level float64) (binomial.Interval, error) {
	s, err := g.counted()
	if err != nil {
		return binomial.Interval{}, fmt.Errorf("group %s: %w", g.Name, err)
	}
	return s.means(milli).interval(unitGame+gaffke, level)
}

// Group is some games (or pairs) of a series, as those of one opening family or
// colour, by A's share of the points in each: multiples of a thousandth.
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
