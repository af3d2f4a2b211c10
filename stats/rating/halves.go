package rating

import (
	"math"

	"gogi/stats/rating/crosstable"
)

// halves reports whether games were drawn and the model counts a draw as half a win. The model then has no probability
// of a draw. For simulations and predictions the probability is that of Davidson's model with the same expected score,
// and with one parameter ν for all games, so that as many draws are expected as happened.
func (f *fitted) halves() bool { return f.draws == HalfWin && f.table.Draws() > 0 }

// widestNu is the logarithm of the largest ν. Beyond it the draws of any number of games do not change.
const widestNu = 60

// withDraws returns the probabilities of Black's win, a draw and a loss with the draw parameter nu, if the expected
// score of Black is p[0] and that of White is p[2].
func withDraws(p [3]float64, nu float64) [3]float64 {
	strong, weak := p[0], p[2]
	if strong < weak {
		q := withDraws([3]float64{p[2], 0, p[0]}, nu)
		return [3]float64{q[2], q[1], q[0]}
	}
	if weak <= 0 {
		return p
	}
	// The square root r of the odds of a win against a loss solves (r + ν/2)/(r + 1/r + ν) = strong.
	lead := nu * (strong - weak) / 2
	r := (lead + math.Sqrt(lead*lead+4*strong*weak)) / (2 * weak)
	all := r + 1/r + nu
	return [3]float64{r / all, nu / all, 1 / (r * all)}
}

// drawParameter returns the ν with which the expected number of draws is the observed one. p has the expected scores of
// Black and White of each cell. If there are more draws than such scores allow, it returns the largest ν.
func drawParameter(p [][3]float64, cells []crosstable.Cell) float64 {
	games, draws := 0.0, 0.0
	for n := range cells {
		games += cells[n].Games()
		draws += cells[n].Draws
	}
	if draws <= 0 {
		return 0
	}
	// excess is almost linear in log ν, so a few steps are enough. It rises with log ν.
	excess := func(log float64) float64 {
		nu, drawn, decided := math.Exp(log), 0.0, 0.0
		for n := range cells {
			q := withDraws(p[n], nu)
			drawn += cells[n].Games() * q[1]
			decided += cells[n].Games() * (q[0] + q[2])
		}
		return math.Log(drawn/decided) - math.Log(draws/(games-draws))
	}
	if draws >= games || !(excess(widestNu) > 0) {
		return math.Exp(widestNu)
	}
	return math.Exp(risingRoot(excess, math.Log(2*draws/(games-draws)), widestNu))
}

// risingRoot returns the root of a rising function that is almost linear with slope 1 around start. The function is
// positive at top. It uses secants, and halves the range if a secant leaves it.
func risingRoot(f func(float64) float64, start, top float64) float64 {
	low, high := math.Inf(-1), top
	last, at := start, f(start)
	x := last - at
	for range 200 {
		if at > 0 {
			high = min(high, last)
		} else {
			low = max(low, last)
		}
		switch {
		case math.IsInf(low, -1):
			x = min(x, high-1e-3)
		case !(x > low && x < high):
			x = (low + high) / 2
		}
		next := f(x)
		slope := (next - at) / (x - last)
		last, at = x, next
		if math.Abs(at) < 1e-11 || high-low < 1e-14*max(1, math.Abs(last)) {
			break
		}
		x -= at / slope
	}
	return last
}

// DrawnBetweenEquals returns the probability of a draw between two players of equal strength without a first-move
// effect. It is 0 if no game was drawn. ok is false if there were as many draws as the ratings allow, because the games
// then do not determine the probability.
func (f *Fit) DrawnBetweenEquals() (share float64, ok bool) {
	nu := f.Draw
	if f.halves() {
		nu = drawParameter(f.inner.expected(f.at.X), f.table.Cells)
	}
	return nu / (2 + nu), nu < math.Exp(widestNu)
}
