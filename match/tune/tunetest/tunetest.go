// Package tunetest simulates engines whose strength is a known function of their parameters,
// for tests of tuning. [New] makes a [Truth], and [Pair] draws the outcome of a pair.
package tunetest

import (
	"math"
	"math/rand/v2"
)

// Truth is the strength of a simulated engine as a function of its d parameters. Each parameter x_i is from −2 to
// 2 and starts at 0. The strength in Elo is E(x) = −Q·log(1 + q/Q) with q = yᵀMy and y_i = s_i(x_i − x*_i)(1 ±
// asym). x* has the best values (Best), s the scales, asym the asymmetries, and M the couplings of neighbouring
// parameters.
type Truth struct {
	Q       float64
	Best    []float64
	scale   []float64
	asym    []float64 // signed: steeper on one side
	couple  [][]float64
	Useless []bool
}

// Kind has the properties of a Truth that make the engine hard to tune.
type Kind struct {
	Q, Asym, Coupling float64
	// Misjudged decides how wrong the user's guesses of the scales are. It is the standard deviation of the logarithm
	// of guess/true scale.
	Misjudged float64
}

// The tests simulate engines of these kinds.
var (
	Plain = Kind{Q: 80, Asym: 0.25, Coupling: 0.5}
	Hard  = Kind{Q: 25, Asym: 0.6, Coupling: 0.85, Misjudged: 0.9}
)

// New returns a random Truth. d is the number of its parameters, and useless the number of those without effect. gain
// is the strength of the best values in Elo, compared with the start values.
func New(random *rand.Rand, kind Kind, d int, useless int, gain float64) *Truth {
	t := &Truth{
		Q: kind.Q, Best: make([]float64, d), scale: make([]float64, d), asym: make([]float64, d),
		couple: make([][]float64, d), Useless: make([]bool, d),
	}
	for _, i := range random.Perm(d)[:useless] {
		t.Useless[i] = true
	}
	for i := range d {
		t.couple[i] = make([]float64, d)
		t.couple[i][i] = 1
		sign := float64(random.IntN(2)*2 - 1)
		t.Best[i] = sign * (0.15 + 0.55*random.Float64())
		t.asym[i] = kind.Asym * (2*random.Float64() - 1)
		if !t.Useless[i] {
			t.scale[i] = math.Exp(random.NormFloat64() / 2) // curvatures: log-normal, σ 1
		}
		if i > 0 {
			rho := kind.Coupling * (2*random.Float64() - 1)
			t.couple[i][i-1], t.couple[i-1][i] = rho/2, rho/2
		}
	}
	// One factor brings the start to −gain: q(0)·f² = Q(e^(gain/Q) − 1).
	q := t.form(make([]float64, d))
	f := math.Sqrt(t.Q * math.Expm1(gain/t.Q) / q)
	for i := range t.scale {
		t.scale[i] *= f
	}
	return t
}

func (t *Truth) form(x []float64) float64 {
	y := make([]float64, len(x))
	for i := range x {
		d := x[i] - t.Best[i]
		y[i] = t.scale[i] * d
		if d > 0 {
			y[i] *= 1 + t.asym[i]
		} else {
			y[i] *= 1 - t.asym[i]
		}
	}
	q := 0.0
	for i := range y {
		q += y[i] * y[i]
		if i > 0 {
			q += 2 * t.couple[i][i-1] * y[i] * y[i-1]
		}
	}
	return max(q, 0)
}

// Elo returns the strength at the parameter values x, compared with the best values. It is at most 0.
func (t *Truth) Elo(x []float64) float64 { return -t.Q * math.Log1p(t.form(x)/t.Q) }

// pairs are the probabilities of W − L = −2 … 2 between equal players. The variance is 1.52 (0.38 of points), as in
// pairs of one engine against itself.
var pairs = [5]float64{0.14, 0.20, 0.32, 0.20, 0.14}

// Pair returns a random W − L of a pair between points whose strengths differ by elo. It changes the probabilities of
// pairs by exponential tilting until their mean is the mean of the logistic curve.
func Pair(random *rand.Rand, elo float64) float64 {
	want := 4 * (1/(1+math.Pow(10, -elo/400)) - 0.5)
	tilt := want / 1.52
	for range 4 { // Newton
		sum, first, second := 0.0, 0.0, 0.0
		for i, p := range pairs {
			x := float64(i - 2)
			w := p * math.Exp(tilt*x)
			sum, first, second = sum+w, first+w*x, second+w*x*x
		}
		mean := first / sum
		tilt += (want - mean) / (second/sum - mean*mean)
	}
	sum, weights := 0.0, [5]float64{}
	for i, p := range pairs {
		weights[i] = p * math.Exp(tilt*float64(i-2))
		sum += weights[i]
	}
	u := random.Float64() * sum
	for i, w := range weights {
		if u -= w; u < 0 {
			return float64(i - 2)
		}
	}
	return 2
}
