package stats

import (
	"math"

	"gogi/stats/binomial"
)

// normalizedPerSigma is the normalised Elo of a score one standard deviation of
// a game above ½: with it Elo and normalised Elo agree for small differences
// without draws.
const normalizedPerSigma = 800 / math.Ln10

// NormalizedElo is the normalised Elo, as fishtest defines it, of an expected
// score whose standard deviation per game is sigma: 800/ln 10 (score-½)/sigma.
// For colour-swapped pairs sigma is √2 times the standard deviation of a pair's
// score per game. It is the scale on which a difference takes equally many games
// to find whatever the draw rate is. It is infinite for sigma = 0, and 0 there
// for an even score.
func NormalizedElo(score, sigma float64) float64 {
	if score == 0.5 {
		return 0
	}
	return normalizedPerSigma * (score - 0.5) / sigma
}

// NormalizedScore is the expected score of a normalised Elo, the inverse of
// [NormalizedElo]. It leaves [0, 1] where no score has that normalised Elo.
func NormalizedScore(elo, sigma float64) float64 { return 0.5 + elo/normalizedPerSigma*sigma }

// Estimate is a rating difference from A's side.
type Estimate struct {
	Elo      float64           `json:"elo"`
	Error    float64           `json:"error"`    // its standard error, to first order
	Interval binomial.Interval `json:"interval"` // approximate
}

// Elo is the Elo difference of the score, with the image of [Sample.Interval].
// It fails as that does, and for a score of 0 or 1.
func (s Sample) Elo(level float64) (Estimate, error) {
	i, err := s.Interval(level)
	if err != nil {
		return Estimate{}, err
	}
	e, err := binomial.EloError(s.Mean, math.Sqrt(s.Variance/float64(s.N)))
	return Estimate{binomial.Elo(s.Mean), e, binomial.EloInterval(i)}, err
}

// NormalizedElo is the normalised Elo of the score. Its error, as in fishtest's
// statistics of a test, allows for the standard deviation being estimated, too,
// by the third and fourth moments. Method: pair_normalized or game_normalized.
// It fails as [Sample.Interval] does.
func (s Sample) NormalizedElo(level float64) (Estimate, error) {
	if _, err := s.Interval(level); err != nil {
		return Estimate{}, err
	}
	t := (s.Mean - 0.5) / math.Sqrt(s.Variance)
	variance := max(0, 1-t*s.Skewness+t*t*(s.Kurtosis+2)/4)
	perUnit := normalizedPerSigma
	if s.Unit == unitPair {
		perUnit /= math.Sqrt2
	}
	elo, e := perUnit*t, perUnit*math.Sqrt(variance/float64(s.N))
	half := binomial.ZWithin(level) * e
	return Estimate{elo, e, binomial.NewInterval(s.Unit+"_normalized", level, elo-half, elo+half)}, nil
}
