// Package regress fits regressions and calculates correlations. It has least squares with an intercept
// ([LeastSquares]), logistic regression on one variable ([Logistic]), correlation ([Pearson], [Spearman]),
// and the rank-sum test ([RankSum]). gogi uses it to explain players' ratings by figures on the quality of
// their moves.
//
// No function has side effects. All functions need finite numbers. If the numbers do not determine a result,
// a function returns an error, whose text is the reason.
package regress

import (
	"errors"
	"fmt"
	"math"
)

func checkFinite(what string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.Abs(v) > 1e150 {
			return fmt.Errorf("%s: value %d is not a number that can be squared", what, i+1)
		}
	}
	return nil
}

func checkPaired(x, y []float64, least int) error {
	switch {
	case len(x) != len(y):
		return fmt.Errorf("%d values do not pair with %d", len(x), len(y))
	case len(x) < least:
		return fmt.Errorf("%d pairs of values are too few: it takes %d", len(x), least)
	}
	return errors.Join(checkFinite("x", x), checkFinite("y", y))
}

func mean(v []float64) float64 {
	m := 0.0
	for i, x := range v {
		m += (x - m) / float64(i+1) // does not overflow
	}
	return m
}

// centered returns v minus its mean, and the sum of the squares of the result.
func centered(v []float64) ([]float64, float64) {
	c, m, squares := make([]float64, len(v)), mean(v), 0.0
	for i, x := range v {
		c[i] = x - m
		squares += c[i] * c[i]
	}
	return c, squares
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
