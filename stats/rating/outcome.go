package rating

import (
	"math"

	"gogi/stats/rating/crosstable"
)

// An outcome is a model of the three results of one game. Its methods have two arguments. x is the logarithm of Black's
// strength divided by White's, including the first-move effect. d is the draw parameter (Davidson's log ν). The
// log-likelihoods of all three results are concave in (x, d).
type outcome struct{ draws Draws }

// A slopes has the derivatives of the log-likelihood of one cell ([crosstable.Cell]) by x and d, the arguments of
// outcome.logLik. The fields x and d are the first derivatives. The fields xx, xd and dd are the negative second
// derivatives.
type slopes struct{ x, d, xx, xd, dd float64 }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logLogistic returns the logarithm of logistic(x). It does not underflow.
func logLogistic(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if e < 1e-3 {
		return min(x, 0) - math.Log1p(e)
	}
	return min(x, 0) - math.Log(1+e) // several times as fast as Log1p
}

// logLik returns the log-likelihood of the games of a cell, without binomial constants. outcome explains x and d.
func (o outcome) logLik(c *crosstable.Cell, x, d float64) float64 {
	if o.draws == Davidson {
		top := max(math.Abs(x)/2, d)
		// The largest exponential is 1. Without it the logarithm keeps its digits for results that are almost certain.
		win, loss, draw := x/2-top, -x/2-top, d-top
		rest := math.Exp(win) + math.Exp(loss)
		if draw < 0 {
			rest = math.Exp(min(win, loss)) + math.Exp(draw)
		}
		return c.Wins*win + c.Losses*loss + times(c.Draws, draw) - c.Games()*math.Log1p(rest)
	}
	// log p(win) and log p(loss) differ by x, so one logarithm is enough for both. The smaller term of the two is exact.
	if x < 0 {
		return c.Games()*logLogistic(-x) + c.Points()*x
	}
	return c.Games()*logLogistic(x) - (c.Games()-c.Points())*x
}

// times returns a·b. It returns 0 for 0 times infinity.
func times(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a * b
}

func (o outcome) slopes(c *crosstable.Cell, x, d float64) slopes {
	n := c.Games()
	if o.draws == Davidson {
		w, dr, l := o.probabilities(x, d)
		return slopes{
			x:  (c.Wins - c.Losses - n*(w-l)) / 2,
			d:  c.Draws - n*dr,
			xx: n / 4 * (4*w*l + dr*(w+l)), // w + l - (w-l)² would lose all digits near certain results
			xd: -n / 2 * (w - l) * dr,
			dd: n * dr * (w + l),
		}
	}
	p, q := logistic(x), logistic(-x) // 1 - p would be 0 for a result that is almost certain
	return slopes{x: c.Points()*q - (n-c.Points())*p, xx: n * p * q}
}

// probabilities returns the probabilities of Black's win, a draw, and a loss.
func (o outcome) probabilities(x, d float64) (win, draw, loss float64) {
	if o.draws == Davidson {
		top := max(math.Abs(x)/2, d)
		w, l, e := math.Exp(x/2-top), math.Exp(-x/2-top), math.Exp(d-top)
		all := w + l + e
		return w / all, e / all, l / all
	}
	return logistic(x), 0, logistic(-x)
}

// noDraws returns the value of the draw parameter at which no game is drawn.
func (o outcome) noDraws() float64 {
	if o.draws == Davidson {
		return math.Inf(-1)
	}
	return 0
}
