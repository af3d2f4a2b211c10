package stats

import (
	"errors"
	"iter"
	"math"

	"gogi/stats/binomial"
)

// A MatchForecast has the probabilities that player A wins, draws or loses a future match. They are
// calculated from the results of earlier games.
type MatchForecast struct {
	// predictive probabilities, averaged over all rates that are consistent with the record
	binomial.Chances
	Interval binomial.Interval // interval of the probability to win at the true rates.
}

// Forecast returns A's chances in a future match of n games, calculated from the earlier games in w. The
// chances are the predictive probabilities under the Jeffreys prior for the rates of wins, draws and losses.
// The interval is for the probability to win. It results from the [binomial.ClopperPearson] interval of the
// win rate in decisive games, at the draw rate of the earlier games. Forecast returns an error without a
// decisive game, for n < 1, and for a level outside (0, 1).
func (w WDL) Forecast(n int, level float64) (MatchForecast, error) {
	if err := w.check(); err != nil {
		return MatchForecast{}, err
	}
	k, decisive := w.Decisive()
	if decisive == 0 {
		return MatchForecast{}, ErrNoDecisive
	}
	i, err := binomial.ClopperPearson(k, decisive, level)
	if err != nil {
		return MatchForecast{}, err
	}
	draw := float64(w.Draws) / float64(w.Games())
	at := func(rate float64) float64 {
		c, failed := binomial.MatchChances(n, rate*(1-draw), draw)
		err = errors.Join(err, failed)
		return c.Win
	}
	i.Lo, i.Hi = at(i.Lo), at(i.Hi)
	if err != nil {
		return MatchForecast{}, err
	}
	return MatchForecast{w.predict(n), i}, nil
}

// jeffreys is the parameter of the Jeffreys prior for each of the three rates.
const jeffreys = 0.5

// predict returns the predictive chances. It sums over the possible numbers of drawn games. The prior of the
// rates is a Dirichlet distribution. The number of draws is therefore beta-binomial, and so is the number of
// wins among the decisive games.
func (w WDL) predict(n int) binomial.Chances {
	wins, draws, losses := float64(w.Wins)+jeffreys, float64(w.Draws)+jeffreys, float64(w.Losses)+jeffreys
	var c binomial.Chances
	for drawn, p := range betaBinomial(n, draws, wins+losses) {
		if p < 1e-18 {
			continue
		}
		decisive := n - drawn
		for won, q := range betaBinomial(decisive, wins, losses) {
			switch {
			case 2*won > decisive:
				c.Win += p * q
			case 2*won == decisive:
				c.Draw += p * q
			default:
				c.Loss += p * q
			}
		}
	}
	return c
}

// betaBinomial returns the numbers of successes in n trials, in ascending order, with their probabilities. The success
// rate has a beta distribution with the parameters a and b.
func betaBinomial(n int, a, b float64) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		log := logBeta(a, b+float64(n)) - logBeta(a, b) // probability of no success; the probability itself may underflow
		for k := 0; k <= n && yield(k, math.Exp(log)); k++ {
			i := float64(k)
			log += math.Log((float64(n) - i) * (a + i) / ((i + 1) * (b + float64(n) - i - 1)))
		}
	}
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}
