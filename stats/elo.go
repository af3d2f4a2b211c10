package stats

import (
	"math"

	"gogi/stats/binomial"
)

// normalizedPerSigma is the normalised Elo of a score that is one standard deviation of a game above ½. With
// this factor, Elo and normalised Elo agree for small differences without draws.
const normalizedPerSigma = 800 / math.Ln10

// NormalizedElo returns the normalised Elo of an expected score, as fishtest defines it: 800/ln 10
// (score-½)/sigma. sigma is the standard deviation of a game's score. For colour-swapped pairs sigma is √2
// times the standard deviation of a pair's score per game. On this scale the number of games that detects a
// difference does not depend on the draw rate. For sigma = 0 the result is 0 if the score is ½, and otherwise
// infinite.
func NormalizedElo(score, sigma float64) float64 {
	if score == 0.5 {
		return 0
	}
	return normalizedPerSigma * (score - 0.5) / sigma
}

// normalizedScore returns the expected score of a normalised Elo. It is the inverse of [NormalizedElo]. The
// result is outside [0, 1] if no score has this normalised Elo.
func normalizedScore(elo, sigma float64) float64 { return 0.5 + elo/normalizedPerSigma*sigma }

// An Estimate is a rating difference from A's point of view, with its standard error and its interval.
type Estimate struct {
	Elo      float64           `json:"elo"`
	Error    float64           `json:"error"`    // standard error, to first order
	Interval binomial.Interval `json:"interval"` // approximate
}
