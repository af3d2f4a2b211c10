package stats

import (
	"errors"
	"math"
)

// emptyCell stands for a count of 0, as in fishtest, so that a likelihood
// exists before every outcome has been seen.
const emptyCell = 1e-3

// distribution is an empirical one of the score of a unit, all cells positive.
type distribution struct {
	values, probs []float64
	n             float64 // units, with what was put into empty cells
	seen          int     // units without that
	games         float64 // per unit
}

func newDistribution(o Outcomes) distribution {
	cells := o.cells()
	d := distribution{games: float64(len(cells)-1) / 2}
	for i, count := range cells {
		d.seen += count
		x := float64(count)
		if count == 0 {
			x = emptyCell
		}
		d.n += x
		d.values = append(d.values, float64(i)/float64(len(cells)-1))
		d.probs = append(d.probs, x)
	}
	for i := range d.probs {
		d.probs[i] /= d.n
	}
	return d
}

func (d distribution) moments(probs []float64) (mean, variance float64) {
	for i, v := range d.values {
		mean += probs[i] * v
	}
	for i, v := range d.values {
		variance += probs[i] * (v - mean) * (v - mean)
	}
	return mean, variance
}

// perGame is the standard deviation of a game's score, had the games of a unit
// been independent.
func (d distribution) perGame() float64 {
	_, variance := d.moments(d.probs)
	return math.Sqrt(d.games * variance)
}

// hypotheses are the two values of a statistic that a test tells apart: the
// expected score, or (with tValue) the expected score less ½ in standard
// deviations of a unit.
type hypotheses struct {
	tValue bool
	h0, h1 float64
}

func (s SPRT) hypotheses(o Outcomes) hypotheses {
	if s.Model == ModelNormalized {
		perUnit := math.Sqrt(newDistribution(o).games)
		return hypotheses{true, s.Elo0 / normalizedPerSigma * perUnit, s.Elo1 / normalizedPerSigma * perUnit}
	}
	s0, s1 := s.scores(o)
	return hypotheses{false, s0, s1}
}

// scores are the expected scores under the two hypotheses.
func (s SPRT) scores(o Outcomes) (s0, s1 float64) {
	sigma, draw := newDistribution(o).perGame(), drawElo(o.games())
	return s.Model.score(s.Elo0, sigma, draw), s.Model.score(s.Elo1, sigma, draw)
}

// score is the expected score of a rating difference on the model's scale, at a
// standard deviation per game and BayesElo's parameter of the draw rate.
func (m EloModel) score(elo, sigma, draw float64) float64 {
	switch m {
	case ModelNormalized:
		return NormalizedScore(elo, sigma)
	case ModelBayesElo:
		return bayesScore(elo, draw)
	case ModelLogistic:
	}
	return Expected(elo)
}

// drawElo is BayesElo's parameter of the draw rate at the counts seen.
func drawElo(w WDL) float64 {
	probs := newDistribution(w).probs
	loss, win := probs[0], probs[2]
	return 200 * math.Log10((1-loss)/loss*(1-win)/win)
}

// bayesScore is the expected score at a BayesElo difference.
func bayesScore(elo, draw float64) float64 {
	win, loss := Expected(elo-draw), Expected(-elo-draw)
	return win + (1-win-loss)/2
}

// llr is the log likelihood of what was seen under the likeliest distribution of
// h1, less that under the likeliest one of h0.
func (d distribution) llr(h hypotheses) (float64, error) {
	fit := d.withMean
	if h.tValue {
		fit = d.withT
	}
	p0, ok0 := fit(h.h0)
	p1, ok1 := fit(h.h1)
	if !ok0 || !ok1 {
		return 0, errors.New("the results so far admit no distribution with the rating of a hypothesis")
	}
	sum := 0.0
	for i, p := range d.probs {
		sum += p * math.Log(p1[i]/p0[i])
	}
	return d.n * sum, nil
}

// withMean is the likeliest distribution with the expected score s.
func (d distribution) withMean(s float64) ([]float64, bool) {
	a := make([]float64, len(d.values))
	for i, v := range d.values {
		a[i] = v - s
	}
	return d.balanced(a)
}

// withT is the likeliest distribution whose mean is t standard deviations above
// ½: the fixed point of the condition made linear around the last one (van den
// Bergh, Normalized Elo practical, section 4.1).
func (d distribution) withT(t float64) ([]float64, bool) {
	const rounds = 100
	probs := d.tilted(t)
	a := make([]float64, len(d.values))
	for range rounds {
		mean, variance := d.moments(probs)
		sigma := math.Sqrt(variance)
		for i, v := range d.values {
			z := (mean - v) / sigma
			a[i] = v - 0.5 - t*sigma*(1+z*z)/2
		}
		next, ok := d.balanced(a)
		if !ok {
			return nil, false
		}
		change := 0.0
		for i := range next {
			change = max(change, math.Abs(next[i]-probs[i]))
		}
		probs = next
		if change < 1e-12 {
			break
		}
	}
	mean, variance := d.moments(probs)
	return probs, math.Abs(t-(mean-0.5)/math.Sqrt(variance)) < 1e-5
}

// tilted has the t value, whatever was seen: probabilities in geometric
// progression. (fishtest begins with equal ones, from where it finds nothing
// beyond 230 normalised Elo.)
func (d distribution) tilted(t float64) []float64 {
	probs := make([]float64, len(d.values))
	excess := func(ratio float64) float64 {
		sum := 0.0
		for i := range probs {
			probs[i] = math.Exp(ratio * float64(i))
			sum += probs[i]
		}
		for i := range probs {
			probs[i] /= sum
		}
		mean, variance := d.moments(probs)
		return (mean-0.5)/math.Sqrt(variance) - t
	}
	excess(root(-50, 50, excess))
	return probs
}

// balanced is the likeliest distribution under which a has mean 0: each
// probability divided by 1 + x a, with the x for which that sums to 1. There is
// none unless a takes both signs.
func (d distribution) balanced(a []float64) ([]float64, bool) {
	least, most := a[0], a[0]
	for _, v := range a {
		least, most = min(least, v), max(most, v)
	}
	if !(least < 0 && most > 0) {
		return nil, false
	}
	x := root(-1/most, -1/least, func(x float64) float64 {
		sum := 0.0
		for i, v := range a {
			sum -= d.probs[i] * v / (1 + x*v)
		}
		return sum
	})
	probs := make([]float64, len(a))
	for i, v := range a {
		w := 1 + x*v
		if !(w > 0) {
			return nil, false
		}
		probs[i] = d.probs[i] / w
	}
	return probs, true
}

// overshoot estimates by how much the ratio will jump over a bound from by how
// much it jumped over its own records.
type overshoot struct{ down, up records }

func (o *overshoot) see(llr float64) {
	o.down.see(-llr)
	o.up.see(llr)
}

type records struct{ best, sum, squares float64 }

func (r *records) see(x float64) {
	if d := x - r.best; d > 0 {
		r.best = x
		r.sum += d
		r.squares += d * d
	}
}

// mean is the mean overshoot of a bound that is far away.
func (r records) mean() float64 {
	if r.sum == 0 {
		return 0
	}
	return r.squares / r.sum / 2
}

func (s SPRT) judge(llr float64, units int, o overshoot) Judgement {
	lower, upper := s.Bounds()
	j := Judgement{Decision: Continue, LLR: llr, Units: units}
	if s.Overshoot {
		j.Overshoot0, j.Overshoot1 = o.down.mean(), o.up.mean()
	}
	j.Lower, j.Upper = lower+j.Overshoot0, upper-j.Overshoot1
	switch {
	case llr <= j.Lower:
		j.Decision = Fail
	case llr >= j.Upper:
		j.Decision = Pass
	}
	return j
}
