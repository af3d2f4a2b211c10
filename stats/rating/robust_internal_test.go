package rating

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/testutil"
)

// TestAboveF: with one degree of freedom F is the square of Student's t, and p values far below 1e-16 have digits.
func TestAboveF(t *testing.T) {
	for _, x := range []float64{0.5, 4, 400, 40000} {
		want := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 30}.Survival(math.Sqrt(x))
		testutil.Check(t, math.Abs(aboveF(x, 1, 30)/want-1) < 1e-9, "at %g: %g, want %g", x, aboveF(x, 1, 30), want)
	}
	want := distuv.F{D1: 3, D2: 17}.Survival(2.5)
	testutil.Check(t, math.Abs(aboveF(2.5, 3, 17)-want) < 1e-12, "%g, want %g", aboveF(2.5, 3, 17), want)
}
