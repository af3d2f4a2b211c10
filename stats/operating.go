package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// An Operating is the expected behaviour of a sequential test at one true strength: its pass probability and
// its number of games.
type Operating struct {
	Method string  `json:"method"` // brownian
	Pass   float64 `json:"pass"`
	Fail   float64 `json:"fail"`
	Games  float64 `json:"games"` // expected number of games
}

// A Conditions holds the quantities other than the strength that influence the length of a test, such as the
// draw rate.
type Conditions struct {
	DrawRate float64 `json:"draw_rate"` // in [0, 1)
	// RMSBias is the root mean square of the advantage that openings give to one colour, in Elo. Because both
	// colours play each opening, a larger RMSBias reduces the variance of pairs.
	RMSBias float64 `json:"rms_bias"`
	// Correlation is the correlation of A's scores in the two games of a pair, in (-1, 1]. It is below 0 if
	// openings favour a colour, and above 0 if openings favour a player.
	Correlation float64 `json:"correlation"`
}

// variance returns the variance of a game's score in a colour-swapped pair.
func (c Conditions) variance() (float64, error) {
	if !(c.DrawRate >= 0 && c.DrawRate < 1) {
		return 0, fmt.Errorf("draw rate %v is not in [0, 1)", c.DrawRate)
	}
	if !(c.Correlation > -1 && c.Correlation <= 1) {
		return 0, fmt.Errorf("a correlation of %v between the games of a pair is not in (-1, 1]", c.Correlation)
	}
	bias := binomial.Expected(c.RMSBias) - 0.5
	v := (1-c.DrawRate)/4*(1+c.Correlation) - bias*bias
	if !(v > 0) {
		return 0, fmt.Errorf("openings with a bias of %v Elo leave no room for a draw rate of %v", c.RMSBias, c.DrawRate)
	}
	return v, nil
}

// Expect returns the probability that the test passes, and the expected number of games (not pairs), if the
// true difference is elo (logistic). Like the calculator of fishtest, it models the log likelihood ratio as a
// Brownian motion without a maximum length. Real tests move in steps and take a few percent more games;
// [SPRT.Forecast] includes this. Expect returns an error for an impossible design, for impossible conditions,
// for bounds that are not constant, and for an infinite elo.
func (s SPRT) Expect(elo float64, c Conditions) (Operating, error) {
	variance, err := c.variance()
	if err = errors.Join(s.Check(), err, binomial.CheckFinite(elo)); err != nil {
		return Operating{}, err
	}
	if s.Boundary == BoundaryBounded {
		return Operating{}, errors.New("the expected length of a bounded test has no formula")
	}
	loss := (1 - c.DrawRate) / 2 // the probability of a loss between equal players
	sigma, draw := math.Sqrt(variance), 400*math.Log10((1-loss)/loss)
	s0, s1 := s.Model.score(s.Elo0, sigma, draw), s.Model.score(s.Elo1, sigma, draw)
	if !(s0 < s1) {
		return Operating{}, errors.New("the hypotheses promise scores that cannot be told apart")
	}
	pass, time := s.passage((2*binomial.Expected(elo) - s0 - s1) / (s1 - s0))
	return Operating{Method: "brownian", Pass: pass, Fail: 1 - pass, Games: time * variance / ((s1 - s0) * (s1 - s0))}, nil
}

// passage returns the probability that a Brownian motion with drift h/2 and variance 1 reaches the upper bound before
// the lower one. It also returns the expected time until the motion reaches a bound.
func (s SPRT) passage(h float64) (pass, time float64) {
	lower, upper := s.Bounds()
	if math.Abs(h*(upper-lower)) < 1e-6 {
		return -lower / (upper - lower), -lower * upper
	}
	if h > 0 {
		pass = math.Expm1(h*lower) / math.Expm1(h*(lower-upper))
	} else {
		pass = math.Exp(h*upper) * math.Expm1(-h*lower) / math.Expm1(h*(upper-lower))
	}
	return pass, 2 / h * (upper*pass + lower*(1-pass))
}
