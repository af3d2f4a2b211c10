package compare

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"gogi/stats"
	"gogi/stats/binomial"
)

// line is a line through the Elo of a chain of versions.
type line struct {
	Slope    float64 // Elo a version
	Error    float64 // its standard error
	Interval binomial.Interval
	P        float64 // two-sided, of no slope
	// Misfit is the p value of the versions lying on a line at all, by the chi-square of their distances; 1
	// for two versions.
	Misfit float64
}

// newLine fits the line by generalised least squares. The versions' Elo has the given covariance, because the
// matches share one base and the same openings. The intervals are normal, so they need many pairs. It returns
// an error for fewer than two versions, for equal places, and for an invalid covariance or one of another
// size.
func newLine(place, elo []float64, covariance [][]float64, level float64) (line, error) {
	n := len(elo)
	if n < 2 || len(place) != n || len(covariance) != n {
		return line{}, fmt.Errorf("%d places, %d ratings and %d rows of covariance make no trend", len(place), n, len(covariance))
	}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return line{}, err
	}
	v := mat.NewSymDense(n, nil)
	for i, row := range covariance {
		if len(row) != n {
			return line{}, fmt.Errorf("row %d of the covariance has %d columns for %d versions", i+1, len(row), n)
		}
		for j := i; j < n; j++ {
			v.SetSym(i, j, row[j])
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		return line{}, errors.New("the covariance is not positive definite")
	}
	return solved(&factor, place, elo, level)
}

// solved solves the normal equations of a constant and a slope.
func solved(factor *mat.Cholesky, place, elo []float64, level float64) (line, error) {
	n := len(elo)
	inner := func(a, b []float64) float64 {
		var x mat.VecDense
		if err := factor.SolveVecTo(&x, mat.NewVecDense(n, b)); err != nil {
			return math.NaN()
		}
		return mat.Dot(mat.NewVecDense(n, a), &x)
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
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
		t.Misfit = chiSquareAbove(inner(rest, rest), n-2)
	}
	half := binomial.ZWithin(level) * t.Error
	t.Interval = binomial.NewInterval("normal", level, t.Slope-half, t.Slope+half)
	t.P = math.Erfc(math.Abs(t.Slope/t.Error) / math.Sqrt2)
	return t, nil
}

// chiSquareAbove is the probability that a chi-square of so many degrees of freedom is at least x.
func chiSquareAbove(x float64, freedom int) float64 {
	return mathext.GammaIncRegComp(float64(freedom)/2, max(0, x)/2)
}
