package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A matrix is a symmetric matrix.
type matrix = *mat.SymDense

// A Covariance is the covariance matrix of the estimates of a fit: the log strengths of the players in
// natural units, and the terms for the first move and for draws.
type Covariance struct {
	Names  []string // players in the order of [Fit].Players, then "first_move" and "draw" if estimated
	Matrix [][]float64
}

// Covariance returns the covariance matrix of the estimates. For independent games it is the inverse of the
// observed information. If games depend on each other ([crosstable.Count.Cluster]), it is a sandwich
// estimate. This estimate groups the games by cluster or by opening, and uses the way with the larger
// variances. The strengths are scaled to the geometric mean 1. With a Gaussian prior the common level of the
// strengths has a variance, too. The matrix includes this variance, but differences between players do not
// depend on it.
//
// The term "first_move" is the logarithm of the factor. The term "draw" is log ν of the model [Davidson]. Covariance
// returns an error if the information is singular.
func (f *Fit) Covariance() (Covariance, error) {
	inverse, err := f.inverse()
	if err != nil {
		return Covariance{}, err
	}
	order := slices.Clone(f.rank)
	c := Covariance{}
	for _, p := range f.Players {
		c.Names = append(c.Names, p.Name)
	}
	for i, name := range f.termNames() {
		order = append(order, len(f.Players)+i)
		c.Names = append(c.Names, name)
	}
	c.Matrix = make([][]float64, len(order))
	for a, i := range order {
		c.Matrix[a] = make([]float64, len(order))
		for b, j := range order {
			c.Matrix[a][b] = inverse.At(i, j)
		}
	}
	return c, nil
}

func (f *Fit) inverse() (matrix, error) {
	if f.errs != nil {
		return f.errs.covariance(), nil
	}
	return f.independent()
}

// TermErrors returns the standard errors of the terms "first_move" and "draw", by name, if the fit estimated
// them. The numbers equal those of [Fit.Covariance].
func (f *Fit) TermErrors() (map[string]float64, error) {
	errs, names := map[string]float64{}, f.termNames()
	if len(names) == 0 {
		return errs, nil
	}
	inverse, err := f.inverse()
	if err != nil {
		return nil, err
	}
	for k, name := range names {
		i := len(f.Players) + k
		errs[name] = math.Sqrt(inverse.At(i, i))
	}
	return errs, nil
}

var errSingular = errors.New("the games do not determine every parameter: the information is singular")

// termNames returns the names of the coordinates that come after the players.
func (f *Fit) termNames() []string {
	var names []string
	if f.Model.FirstMove != NoFirstMove {
		names = append(names, "first_move")
	}
	if len(f.at.X) > len(f.Players)+len(names) {
		names = append(names, "draw")
	}
	return names
}

// inverseOf returns the inverse of an information matrix. If shiftFree is true, a common shift of the first n
// coordinates does not change the likelihood. The result is then the inverse for coordinates that sum to 0.
func inverseOf(information matrix, n int, shiftFree bool) (matrix, error) {
	info := mat.NewSymDense(information.SymmetricDim(), nil)
	info.CopySym(information)
	fill := 0.0
	if shiftFree {
		for i := range n {
			fill += info.At(i, i) / float64(n)
		}
		for i := range n {
			for j := range i + 1 {
				info.SetSym(i, j, info.At(i, j)+fill/float64(n))
			}
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(info) {
		return nil, errSingular
	}
	inverse := new(mat.SymDense)
	if err := factor.InverseTo(inverse); err != nil {
		return nil, fmt.Errorf("the games hardly determine some parameter: %w", err)
	}
	if shiftFree {
		// The added matrix has the eigenvalue fill for the shift, so its contribution to the inverse is
		// known.
		for i := range n {
			for j := range i + 1 {
				inverse.SetSym(i, j, inverse.At(i, j)-1/fill/float64(n))
			}
		}
	}
	return inverse, nil
}

// A Comparison compares two players of a fit, with a test and intervals of their difference.
type Comparison struct {
	A, B         string
	Elo          float64 // by Pairwise A's rating minus B's rating, by PairwiseElo the Elo of A's expected score against B
	SE           float64 // standard error of Elo
	Z            float64
	P            float64           // two-sided p value by the normal approximation, or by Student's t with Model.Sessions
	PHolm        float64           // P adjusted for all compared pairs (Holm 1979)
	Interval     binomial.Interval // interval for this pair alone ("wald")
	Simultaneous binomial.Interval // interval for all pairs together ("wald_bonferroni")
}

// Pairwise compares the ratings of every pair of players, in the order of [Fit].Players. A is the player with the
// higher rating. Pairwise returns an error for a level outside (0, 1), and the errors of [Fit.Covariance].
func (f *Fit) Pairwise(level float64) ([]Comparison, error) {
	return f.pairwise(level, func(i, j int) (float64, []float64) {
		slope := make([]float64, len(f.at.X))
		slope[i], slope[j] = 1, -1
		return f.at.X[i] - f.at.X[j], slope
	})
}

// PairwiseElo compares every pair of players as Pairwise does, by the Elo of A's expected score over both colours. On
// [ScaleElo] this is the difference of the ratings. On the other scales it is not, and its standard error is to first
// order.
func (f *Fit) PairwiseElo(level float64) ([]Comparison, error) {
	l, ok := f.inner.(*ladder)
	if !ok || f.Scale() == ScaleElo {
		return f.Pairwise(level)
	}
	return f.pairwise(level, func(i, j int) (float64, []float64) {
		logit := func(x []float64) float64 { return l.overColours(x, i, j) }
		return logit(f.at.X), slopeOf(logit, f.at.X)
	})
}

// pairwise compares every pair of players. difference returns how much player i exceeds player j in natural units, and
// the gradient of this number.
func (f *Fit) pairwise(level float64, difference func(i, j int) (value float64, slope []float64)) ([]Comparison,
	error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	inverse, err := f.independent()
	if err != nil {
		return nil, err
	}
	n := len(f.Players)
	pairs := float64(n * (n - 1) / 2)
	var list []Comparison
	var p []float64
	for a := range n {
		for b := a + 1; b < n; b++ {
			value, slope := difference(f.rank[a], f.rank[b])
			se, freedom := f.differenceError(inverse, slope)
			x := compare(f.Players[a], f.Players[b], binomial.EloPerNat*value, binomial.EloPerNat*se, freedom)
			one, all := binomial.TWithin(level, freedom), binomial.TWithin(1-(1-level)/pairs, freedom)
			x.Interval = binomial.Interval{Method: "wald", Level: level, Lo: x.Elo - one*x.SE, Hi: x.Elo + one*x.SE}
			x.Simultaneous = binomial.Interval{Method: "wald_bonferroni", Level: level, Lo: x.Elo - all*x.SE,
				Hi: x.Elo + all*x.SE}
			list, p = append(list, x), append(p, x.P)
		}
	}
	adjusted, err := binomial.Holm.Adjust(p)
	for i := range adjusted {
		list[i].PHolm = adjusted[i]
	}
	return list, err
}

// overColours returns the log odds of the expected score of player i against player j, over both colours.
func (l *ladder) overColours(x []float64, i, j int) float64 {
	first, d := l.terms(x)
	win, draw, loss := l.outcome.probabilities(x[i]-x[j]+first, d)
	won, drawn, lost := l.outcome.probabilities(x[i]-x[j]-first, d)
	return math.Log((win + won + (draw+drawn)/2) / (loss + lost + (draw+drawn)/2))
}

// differenceError returns the standard error of slope·x for the ratings x, and its degrees of freedom. inverse is the
// covariance of x if the games are independent.
func (f *Fit) differenceError(inverse matrix, slope []float64) (se, freedom float64) {
	if f.errs == nil {
		return sparseError(inverse, slope), math.Inf(1)
	}
	return math.Sqrt(f.errs.variance(slope)), f.errs.freedom
}

// sparseError returns the standard error of slope·x. covariance is the covariance of x, and few numbers of slope differ
// from 0.
func sparseError(covariance matrix, slope []float64) float64 {
	sum := 0.0
	for i, s := range slope {
		if s == 0 {
			continue
		}
		for j, v := range slope {
			if v != 0 {
				sum += s * v * covariance.At(i, j)
			}
		}
	}
	return math.Sqrt(max(0, sum))
}

func compare(a, b crosstable.Player, elo, se, freedom float64) Comparison {
	c := Comparison{A: a.Name, B: b.Name, Elo: elo, SE: se}
	if se > 0 {
		c.Z = c.Elo / se
	}
	if c.P = normalTwoSided(c.Z); !math.IsInf(freedom, 1) {
		c.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(math.Abs(c.Z))
	}
	return c
}

// normalTwoSided returns the two-sided p value of a standard normal z.
func normalTwoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
