package stats

import (
	"errors"
	"math"
	"slices"

	"gogi/stats/binomial"
)

// ScoreFlip tests whether independent observations, such as openings, have contributions with the mean 0. The
// test is two-sided. The p value is the probability that the sum of the contributions with random signs is at
// least as far from 0 as the observed sum. ScoreFlip calculates it from the normal distribution with the same
// variance as the random sum. The method is named score_flip_normal. N is the number of contributions that
// are not 0.
//
// The test can show whether a group of games differs from the other games, even if an opening has games in
// both. The contribution of an opening is then the sum of (score − mean) (g − share) over its games. g is 1
// for a game of the group and 0 for other games. share is the group's share of all games. The games of an
// opening may depend on each other. The method is from Hemerik, Goeman and Finos (2020, "Robust testing in
// generalized linear models by sign flipping score contributions").
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

// GamesInterval returns Gaffke's interval ([Series.Interval]) for the mean of independent scores of games or
// pairs. The method is named game_gaffke. GamesInterval returns an error without scores, for scores outside
// [0, 1], and for a level outside (0, 1).
func GamesInterval(scores []float64, level float64) (binomial.Interval, error) {
	if len(scores) == 0 || !(slices.Min(scores) >= 0 && slices.Max(scores) <= 1) {
		return binomial.Interval{}, errors.New("no games, or scores outside 0 to 1")
	}
	return meansOf(scores).interval(unitGame+gaffke, level)
}
