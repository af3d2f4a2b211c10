// Package regress relates numbers of players to each other: least squares,
// correlation, and the rank-sum test.
package regress

import "gogi/stats"

// Column is one regressor.
type Column struct {
	Name   string
	Values []float64
}

// Term is one coefficient of a regression.
type Term struct {
	Name  string // of its column; "intercept" for the constant
	Value float64
	SE    float64
	T, P  float64 // Student's t and its two-sided p value
}

// Fit is a least-squares regression with an intercept.
type Fit struct {
	Terms      []Term // the intercept first, then the columns in order
	N, DF      int    // rows, and rows less terms
	R2         float64
	AdjustedR2 float64
	Sigma      float64 // residual standard error
	LOORMSE    float64 // root mean square of leave-one-out errors
	Residuals  []float64
}

// LeastSquares regresses y on the columns, with an intercept.
func LeastSquares(y []float64, columns ...Column) (Fit, error) { panic("not yet") }

// Predict is the regression's value at a row of regressors.
func (f Fit) Predict(row ...float64) (float64, error) { panic("not yet") }

// Correlation is a correlation coefficient with its test against 0.
type Correlation struct {
	Method string // pearson, spearman
	N      int
	R      float64
	P      float64 // two-sided, by Student's t
}

// Pearson is the product-moment correlation.
func Pearson(x, y []float64) (Correlation, error) { panic("not yet") }

// Spearman is the correlation of ranks, ties sharing their mean rank.
func Spearman(x, y []float64) (Correlation, error) { panic("not yet") }

// RankSumTest is the Wilcoxon–Mann–Whitney test.
type RankSumTest struct {
	Test stats.Test
	W    float64 // sum of a's ranks
	U    float64 // W less its smallest value
}

// RankSum tests whether a's numbers tend to be larger or smaller than b's.
func RankSum(a, b []float64, alt stats.Alternative) (RankSumTest, error) { panic("not yet") }

// RMSE is the root mean square of the differences.
func RMSE(predicted, actual []float64) (float64, error) { panic("not yet") }
