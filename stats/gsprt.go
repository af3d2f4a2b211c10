package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"
)

// emptyCell is the count of an outcome that has not occurred, as in fishtest. With a count of 0 the likelihood might
// not exist.
const emptyCell = 1e-3

// A distribution is the observed distribution of the scores of independent observations: pairs, games or openings. All
// its probabilities are positive.
type distribution struct {
	values, probs []float64
	n             float64 // number of units, plus the counts of emptyCell.
	seen          int     // number of units without emptyCell
	games         float64 // number of games per unit, or per pair if units are openings
	reused        bool    // units are openings, and some were played more than once
}

func newDistribution(o Outcomes) distribution {
	cells := o.cells()
	d := distribution{games: float64(len(cells)-1) / 2}
	for i, count := range cells {
		d.seen += count
		d.add(float64(i)/float64(len(cells)-1), count)
	}
	return d.normalised()
}

func (d *distribution) add(value float64, count int) {
	x := float64(count)
	if count == 0 {
		x = emptyCell
	}
	d.n += x
	d.values = append(d.values, value)
	d.probs = append(d.probs, x)
}

// normalised returns a copy of the distribution in which the counts are divided by their sum.
func (d distribution) normalised() distribution {
	for i := range d.probs {
		d.probs[i] /= d.n
	}
	return d
}

// distribution returns the distribution of the openings' mean scores. It also has the other scores that a single pair
// can have, with the small count emptyCell.
func (s *Series) distribution() distribution {
	if !s.reused() {
		return newDistribution(s.tally.Outcomes())
	}
	d := distribution{games: float64(s.legs), reused: true, seen: len(s.openings)}
	lattice := slices.Clone(s.means)
	for cell := range 2*s.legs + 1 {
		value := float64(cell) / float64(2*s.legs)
		at, found := slices.BinarySearchFunc(lattice, value, func(c meanCount, v float64) int {
			return cmp.Compare(c.value, v)
		})
		if !found {
			lattice = slices.Insert(lattice, at, meanCount{value: value})
		}
	}
	for _, c := range lattice {
		d.add(c.value, c.count)
	}
	return d.normalised()
}

// moments returns the mean and the variance of a distribution with these values and probabilities.
func moments(values, probs []float64) (mean, variance float64) {
	for i, v := range values {
		mean += probs[i] * v
	}
	for i, v := range values {
		variance += probs[i] * (v - mean) * (v - mean)
	}
	return mean, variance
}

// perGame returns the standard deviation of a game's score, calculated as if the games of a pair or opening were
// independent.
func (d distribution) perGame() float64 {
	_, variance := moments(d.values, d.probs)
	return math.Sqrt(d.games * variance)
}

// A hypotheses holds the two values of a statistic between which a test decides. The statistic is the expected score.
// With tValue it is the expected score minus ½, divided by the standard deviation of one observation's score.
type hypotheses struct {
	tValue bool
	h0, h1 float64
}

// hypotheses returns the hypotheses of the test for the distribution d of the outcomes o. They are t values if Elo is
// normalised and d counts pairs, and scores otherwise. The means of openings vary less than pairs, so if d counts
// openings, normalised Elo is converted to a score with the standard deviation of the pairs.
func (s SPRT) hypotheses(d distribution, o Outcomes) hypotheses {
	if s.Model == ModelNormalized && !d.reused {
		perUnit := math.Sqrt(d.games)
		return hypotheses{true, s.Elo0 / normalizedPerSigma * perUnit, s.Elo1 / normalizedPerSigma * perUnit}
	}
	s0, s1 := s.scores(o)
	return hypotheses{false, s0, s1}
}

// scores returns the expected scores under the two hypotheses.
func (s SPRT) scores(o Outcomes) (s0, s1 float64) {
	var sigma, draw float64
	switch s.Model { // calculate only what the model needs: a simulation calls this millions of times
	case ModelNormalized:
		sigma = newDistribution(o).perGame()
	case ModelBayesElo:
		draw = drawElo(o.games())
	case ModelLogistic:
	}
	return s.Model.score(s.Elo0, sigma, draw), s.Model.score(s.Elo1, sigma, draw)
}

// score returns the expected score of a rating difference on the model's scale. sigma is the standard
// deviation per game, and draw is BayesElo's draw parameter.
func (m EloModel) score(elo, sigma, draw float64) float64 {
	switch m {
	case ModelNormalized:
		return normalizedScore(elo, sigma)
	case ModelBayesElo:
		return bayesScore(elo, draw)
	case ModelLogistic:
	}
	return binomial.Expected(elo)
}

// drawElo returns the value of BayesElo's draw parameter that fits the counts.
func drawElo(w WDL) float64 {
	probs := newDistribution(w).probs
	loss, win := probs[0], probs[2]
	return 200 * math.Log10((1-loss)/loss*(1-win)/win)
}

func bayesScore(elo, draw float64) float64 {
	win, loss := binomial.Expected(elo-draw), binomial.Expected(-elo-draw)
	return win + (1-win-loss)/2
}

// fits returns the most likely distributions under the two hypotheses. ok is false if one of them does not
// exist, because its score is not between the lowest and the highest one. For t values they always exist.
func (d distribution) fits(h hypotheses) (p0, p1 []float64, ok bool) {
	fit := d.withMean
	if h.tValue {
		fit = d.withT
	}
	p0, ok0 := fit(h.h0)
	p1, ok1 := fit(h.h1)
	return p0, p1, ok0 && ok1
}

// llr returns the log likelihood ratio of h1 against h0. It takes the log likelihood of the observations
// under the most likely distribution of h1. From this it subtracts the log likelihood under the most likely
// distribution of h0. It returns an error if a hypothesis is a score outside (0, 1): the normalised Elo of openings
// that were played more than once can mean one.
func (d distribution) llr(h hypotheses) (float64, error) {
	p0, p1, ok := d.fits(h)
	if !ok {
		return 0,
			fmt.Errorf("the hypotheses mean the scores %.3f and %.3f for the results so far, and one is not between 0 and 1; choose hypotheses nearer to 0", h.h0, h.h1)
	}
	sum := 0.0
	for i, p := range d.probs {
		sum += p * math.Log(p1[i]/p0[i])
	}
	return d.n * sum, nil
}

// withMean returns the most likely distribution with the expected score s. It returns false if there is none.
func (d distribution) withMean(s float64) ([]float64, bool) {
	a := make([]float64, len(d.values))
	for i, v := range d.values {
		a[i] = v - s
	}
	return d.balanced(a)
}

// balanced returns the most likely distribution under which a, a function of the score, has the mean 0. The
// distribution exists only if a has positive and negative values.
func (d distribution) balanced(a []float64) ([]float64, bool) {
	probs := make([]float64, len(a))
	_, ok := d.balance(a, probs)
	return probs, ok
}

// balance writes the probabilities of balanced to probs. It divides each probability of d by 1 + x a, and returns the x
// for which the sum is 1. ok is false if there is no such x. balance overwrites a.
func (d distribution) balance(a, probs []float64) (x float64, ok bool) {
	least, most, mean := a[0], a[0], 0.0
	for i, v := range a {
		least, most = min(least, v), max(most, v)
		mean += d.probs[i] * v
	}
	if !(least < 0 && most > 0) {
		return 0, false
	}
	end := least
	if mean < 0 {
		end = most
	}
	for i := range a {
		a[i] /= end
	}
	divisor := d.divisor(a)
	for i, share := range a {
		probs[i] = d.probs[i] / divided(share, divisor)
	}
	return (divisor - 1) / end, true
}

// divided returns the number by which balance divides the probability of an outcome. share is the value of this outcome
// divided by the extreme value, and divisor is the number of the outcome with the extreme value. This form keeps its
// relative precision if the divisor is almost 0.
func divided(share, divisor float64) float64 { return 1 - share + divisor*share }

// divisor returns the number by which balance divides the probability of the outcomes with the share 1, the largest
// one. It is between the probability of these outcomes and 1. At the right number the sum of p share/divided is 0. The
// product of this sum and the divisor is almost a straight line, also for a divisor near 0, where an outcome that has
// not occurred becomes likely. So Newton's method needs a few rounds. If a step leaves the bracket, and after 20
// rounds, divisor halves the bracket on a logarithmic scale.
func (d distribution) divisor(shares []float64) float64 {
	const quick, rounds = 20, 200
	lo, hi := 1.0, 1.0
	for i, share := range shares {
		if share == 1 {
			lo = min(lo, d.probs[i])
		}
	}
	for w, round := 1.0, 0; ; round++ {
		sum, slope := 0.0, 0.0
		for i, share := range shares {
			each := share / divided(share, w)
			sum += d.probs[i] * each
			slope += d.probs[i] * each * each
		}
		if sum > 0 { // the sum falls with w
			lo = w
		} else {
			hi = w
		}
		next := w - w*sum/(sum-w*slope)
		if !(next >= lo && next <= hi) || round >= quick {
			next = math.Sqrt(lo * hi)
		}
		if math.Abs(next-w) <= 1e-11*w || round == rounds {
			return next
		}
		w = next
	}
}

// decide compares the ratio with the bounds and returns the state of the test. units is the number of observations.
func (s SPRT) decide(llr, information float64, units int) Judgement {
	j := Judgement{Decision: Continue, LLR: llr, Information: information, Units: units, Openings: units}
	j.Lower, j.Upper = s.BoundsAt(information)
	switch {
	case llr <= j.Lower:
		j.Decision = Fail
	case llr >= j.Upper:
		j.Decision = Pass
	}
	return j
}

// information returns n(s₁-s₀)²/V. V is the variance of the n scores after adding one score of 0 and one of 1. Without
// the added scores, a few equal scores would have almost no variance. Their information would then be large enough to
// end a test.
func (s SPRT) information(d distribution, o Outcomes) float64 {
	if d.seen == 0 {
		return 0
	}
	mean, variance := moments(d.values, d.probs)
	return s.hypotheses(d, o).information(float64(d.seen), mean, variance)
}

// information does the same for n scores with this mean and variance.
func (h hypotheses) information(n, mean, variance float64) float64 {
	centre := (n*mean + 1) / (n + 2)
	v := (n*(variance+(mean-centre)*(mean-centre)) + centre*centre + (1-centre)*(1-centre)) / (n + 2)
	width := h.h1 - h.h0
	if h.tValue {
		width *= math.Sqrt(variance)
	}
	return n * width * width / v
}
