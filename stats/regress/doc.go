// Package regress fits a logistic regression on one variable ([Logistic]). It also has the checks and the sums that
// other regressions use.
//
// No function has side effects. All functions need finite numbers. If the numbers do not determine a result,
// a function returns an error, whose text is the reason.
package regress

import (
	"errors"
	"fmt"
	"math"
)

// CheckFinite returns an error unless all values are finite numbers whose squares are finite. what names the values in
// the error.
func CheckFinite(what string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.Abs(v) > 1e150 {
			return fmt.Errorf("%s: value %d is not a number that can be squared", what, i+1)
		}
	}
	return nil
}

// CheckPaired returns an error unless x and y have the same number of values, at least least, all finite.
func CheckPaired(x, y []float64, least int) error {
	switch {
	case len(x) != len(y):
		return fmt.Errorf("%d values do not pair with %d", len(x), len(y))
	case len(x) < least:
		return fmt.Errorf("%d pairs of values are too few: it takes %d", len(x), least)
	}
	return errors.Join(CheckFinite("x", x), CheckFinite("y", y))
}

// Mean returns the mean of v. It is 0 for no values.
func Mean(v []float64) float64 {
	m := 0.0
	for i, x := range v {
		m += (x - m) / float64(i+1) // does not overflow
	}
	return m
}

// Centered returns v minus its mean, and the sum of the squares of the result.
func Centered(v []float64) ([]float64, float64) {
	c, m, squares := make([]float64, len(v)), Mean(v), 0.0
	for i, x := range v {
		c[i] = x - m
		squares += c[i] * c[i]
	}
	return c, squares
}
