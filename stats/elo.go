package stats

import (
	"math"

	"gogi/stats/binomial"
)

// normalizedPerSigma is the normalised Elo of a score one standard deviation of a game above ½. With it, Elo
// and normalised Elo agree for small differences without draws.
const normalizedPerSigma = 800 / math.Ln10

// NormalizedElo returns the normalised Elo of an expected score, as fishtest defines it: 800/ln 10
// (score-½)/sigma. sigma is the standard deviation of a game's score. For colour-swapped pairs it is √2 times
// the standard deviation of a pair's score per game. On this scale the number of games that detects a
// difference does not depend on the draw rate. The result is infinite for sigma = 0, but 0 for an even score.
func NormalizedElo(score, sigma float64) float64 {
	if score == 0.5 {
		return 0
	}
	return normalizedPerSigma * (score - 0.5) / sigma
}

// normalizedScore returns the expected score of a normalised Elo, the inverse of [NormalizedElo]. It is
// outside of [0, 1] if no score has that normalised Elo.
func normalizedScore(elo, sigma float64) float64 { return 0.5 + elo/normalizedPerSigma*sigma }

// An Estimate is a rating difference from A's point of view.
type Estimate struct {
	Elo      float64           `json:"elo"`
	Error    float64           `json:"error"`    // standard error, to first order
	Interval binomial.Interval `json:"interval"` // approximate
}
