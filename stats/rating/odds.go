package rating

import (
	"math"
	"slices"

	"gogi/stats/rating/crosstable"
)

// An odds has the square roots of the strengths and of the first-move factor, and the draw parameter ν. For the models
// HalfWin and Davidson the probabilities of every game are products of these numbers, so gogi calculates one
// exponential per player and not per cell. With w = √(π_i f/π_j), Black wins with probability w/(w + 1/w + ν). If a
// draw is half a win, ν is 0.
type odds struct {
	root, inverse       []float64 // square root of each player's strength, and its inverse
	first, firstInverse float64
	nu                  float64
}

// widestOdds is the largest range of log strengths, in natural units, for which gogi uses type odds. The players of one
// league are within this range. Beyond it the information is almost singular, so gogi uses type outcome, which has
// smaller rounding errors.
const widestOdds = 24

// manyCells is the number of cells from which type odds is faster than type outcome.
const manyCells = 500

// odds returns the odds at x. ok is false for few cells and for strengths too far apart.
func (l *ladder) odds(x []float64) (o odds, ok bool) {
	if len(l.cells) < manyCells {
		return o, false
	}
	return l.oddsAt(x)
}

func (l *ladder) oddsAt(x []float64) (o odds, ok bool) {
	first, draw := l.terms(x)
	if l.outcome.draws == HalfWin {
		draw = math.Inf(-1)
	}
	low, high := slices.Min(x[:l.players]), slices.Max(x[:l.players])
	if !(high-low+math.Abs(first) < widestOdds) || !(draw < widestOdds) {
		return o, false
	}
	o = odds{root: make([]float64, l.players), inverse: make([]float64, l.players), nu: math.Exp(draw)}
	for i := range l.players {
		o.root[i] = math.Exp((x[i] - (low+high)/2) / 2)
		o.inverse[i] = 1 / o.root[i]
	}
	o.first = math.Exp(first / 2)
	o.firstInverse = 1 / o.first
	return o, true
}

// of returns w and 1/w of a cell, see odds.
func (o *odds) of(c *crosstable.Cell) (win, loss float64) {
	return o.root[c.Black] * o.inverse[c.White] * o.first, o.inverse[c.Black] * o.root[c.White] * o.firstInverse
}

// logLik returns the sum of outcome.logLik over the cells. Neighbouring cells with the same number of games share one
// logarithm.
func (o *odds) logLik(cells []crosstable.Cell, x []float64, first, draw float64) float64 {
	const enough = 1e150 // one more factor is below 1e11
	sum, drawn, games, product := 0.0, 0.0, 0.0, 1.0
	for n := range cells {
		c := &cells[n]
		win, loss := o.of(c)
		if g := c.Games(); g != games || product > enough {
			sum -= games * math.Log(product)
			games, product = g, 1
		}
		product *= win + loss + o.nu
		sum += (c.Wins - c.Losses) * (x[c.Black] - x[c.White] + first) / 2
		drawn += c.Draws
	}
	sum -= games * math.Log(product)
	if o.nu > 0 {
		sum += drawn * draw
	}
	return sum
}

// slopes sets s to the slopes that outcome.slopes returns. Only for HalfWin, d differs: it is the number of drawn games
// and not 0.
func (o *odds) slopes(c *crosstable.Cell, s *slopes) {
	win, loss := o.of(c)
	n, inverse := c.Games(), 1/(win+loss+o.nu)
	win, loss = win*inverse, loss*inverse
	lead, decided, draw := win-loss, win+loss, o.nu*inverse
	s.x = (c.Wins - c.Losses - n*lead) / 2
	s.d = c.Draws - n*draw
	s.xx = n / 4 * (4*win*loss + draw*decided) // the formula avoids the cancellation in decided - lead²
	s.xd = -n / 2 * lead * draw
	s.dd = n * draw * decided
}

// eachSlope calls see for every cell, with the cell's index and slopes.
func (l *ladder) eachSlope(x []float64, see func(n int, c *crosstable.Cell, s *slopes)) {
	first, draw := l.terms(x)
	o, fast := l.odds(x)
	var s slopes
	for n := range l.cells {
		c := &l.cells[n]
		if fast {
			o.slopes(c, &s)
		} else {
			s = l.outcome.slopes(c, x[c.Black]-x[c.White]+first, draw)
		}
		see(n, c, &s)
	}
}
