package linear

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

// TestLeverageOfManyColumns requires that the leave-one-out error of a row is its residual divided by 1 minus its
// leverage. All leverages sum to the number of terms.
func TestLeverageOfManyColumns(t *testing.T) {
	a, b := []float64{1, 2, 4, 7, 3, 9, 5}, []float64{10, 2, 8, 1, 7, 3, 0}
	y := []float64{3, 1, 4, 1, 5, 9, 2}
	f := testutil.Must(LeastSquares(y, Column{"a", a}, Column{"b", b}))(t)
	sum, squares := 0.0, 0.0
	for i := range y {
		h := f.design.leverage(f.N, []float64{a[i], b[i]})
		sum += h
		squares += f.Residuals[i] / (1 - h) * f.Residuals[i] / (1 - h)
	}
	if math.Abs(sum-3) > 1e-9 || math.Abs(math.Sqrt(squares/7)-f.LOORMSE) > 1e-9 {
		t.Errorf("leverages sum to %v; %v for %v", sum, math.Sqrt(squares/7), f.LOORMSE)
	}
	// The standard error of the intercept is that of the prediction at 0.
	if h := f.design.leverage(f.N, []float64{0, 0}); math.Abs(f.Sigma*math.Sqrt(h)-f.Terms[0].SE) > 1e-9 {
		t.Errorf("%v, want %v", f.Sigma*math.Sqrt(h), f.Terms[0].SE)
	}
	for name, row := range map[string][]float64{"short": {1}, "not a number": {1, math.NaN()}} {
		testutil.Fails(t, testutil.Err(f.PredictInterval(0.95, row...)), "", "%s", name)
	}
	testutil.Fails(t, testutil.Err(f.PredictInterval(1, 1, 1)), "")
}
