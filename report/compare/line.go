package compare

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"gogi/stats"
	"gogi/stats/binomial"
)

// line is a straight line fitted to the Elo of successive versions.
type line struct {
	Slope    float64 // Elo per version
	Error    float64 // standard error of Slope
	Interval binomial.Interval
	P        float64 // two-sided p value of no slope
	// Misfit is the p value of the hypothesis that the versions are on a line. It comes from the chi-square
	// of their distances from the line. It is 1 for two versions.
	Misfit float64
}

// newLine fits the line by generalised least squares. The versions' Elo has the given covariance, because
// the matches share one base and the same openings. The intervals are normal, so they need many pairs. It
// returns an error for equal places, and for a covariance that is not positive definite.
func newLine(place, elo []float64, covariance [][]float64, level float64) (line, error) {
	n := len(elo)
	v := mat.NewSymDense(n, slices.Concat(covariance...))
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		return line{}, errors.New("the covariance is not positive definite")
	}
	inner := func(a, b []float64) float64 {
		var x mat.VecDense
		if err := factor.SolveVecTo(&x, mat.NewVecDense(n, b)); err != nil {
			return math.NaN()
		}
		return mat.Dot(mat.NewVecDense(n, a), &x)
	}
	ones := slices.Repeat([]float64{1}, n)
	oo, op, pp := inner(ones, ones), inner(ones, place), inner(place, place)
	oe, pe := inner(ones, elo), inner(place, elo)
	det := oo*pp - op*op
	if !(det > 1e-12*oo*pp) {
		return line{}, stats.ErrOnePlace
	}
	t := line{Slope: (oo*pe - op*oe) / det, Error: math.Sqrt(oo / det), Misfit: 1}
	constant := (pp*oe - op*pe) / det
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = elo[i] - constant - t.Slope*place[i]
	}
	if n > 2 {
		t.Misfit = distuv.ChiSquared{K: float64(n - 2)}.Survival(inner(rest, rest))
	}
	half := binomial.ZWithin(level) * t.Error
	t.Interval = binomial.NewInterval("normal", level, t.Slope-half, t.Slope+half)
	t.P = math.Erfc(math.Abs(t.Slope/t.Error) / math.Sqrt2)
	return t, nil
}
