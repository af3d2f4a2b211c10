package newton

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gogi/internal/testutil"
)

// hill is -(x-m)ᵀA(x-m)/2 with A = [[2, 1], [1, 3]], whose inverse is [[3, -1], [-1, 2]]/5.
type hill struct{ m [2]float64 }

func (h hill) slope(x []float64) []float64 {
	a, b := x[0]-h.m[0], x[1]-h.m[1]
	return []float64{-2*a - b, -a - 3*b}
}

func (h hill) Value(x []float64) float64 {
	return Dot(h.slope(x), []float64{x[0] - h.m[0], x[1] - h.m[1]}) / 2
}

func (h hill) Derivatives(x []float64) ([]float64, func([]float64) []float64) {
	return h.slope(x), Definite(mat.NewSymDense(2, []float64{2, 1, 1, 3}))
}

func (h hill) Settle([]float64) {}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	testutil.Check(t, math.Abs(got-want) < 1e-8, "%s: %v, want %v", what, got, want)
}

func TestClimbsAHill(t *testing.T) {
	h := hill{[2]float64{7, -20}}
	at, err := Climb(h, []float64{0, 0}, nil)
	testutil.Require(t, err == nil && len(at.Drifting) == 0 && at.Iterations != 0, "%+v, %v", at, err)
	near(t, "x0", at.X[0], 7)
	near(t, "x1", at.X[1], -20)
	near(t, "value", at.Value, 0)
	// With x0 held one below the maximum, the slope along x1 is 0 if 1 = 3·(x1 + 20).
	held := testutil.Must(Climb(h, []float64{6, 0}, &Contrast{Weights: []float64{1, 0}, At: 6}))(t)
	near(t, "held x0", held.X[0], 6)
	near(t, "held x1", held.X[1], -20+1.0/3)
}

// TestProfileOfAHill requires that the profile of a quadratic ends z standard errors of √(wᵀA⁻¹w) from the maximum.
func TestProfileOfAHill(t *testing.T) {
	h := hill{[2]float64{7, -20}}
	at := testutil.Must(Climb(h, []float64{0, 0}, nil))(t)
	lo, hi, err := Profile(h, at, []float64{1, -1}, 1.5)
	testutil.OK(t, err)
	reach := 1.5 * math.Sqrt((3+2+2)/5.0)
	near(t, "lower end", lo, 27-reach)
	near(t, "upper end", hi, 27+reach)
}

// plain is log(1/(1 + exp(-x))): it rises to 0 and has no maximum. It has no value below edge.
type plain struct{ edge float64 }

func (p plain) Value(x []float64) float64 {
	if x[0] < p.edge {
		return math.Inf(-1)
	}
	return -math.Log1p(math.Exp(-x[0]))
}

func (plain) Derivatives(x []float64) ([]float64, func([]float64) []float64) {
	q := 1 / (1 + math.Exp(x[0]))
	return []float64{q}, func(rhs []float64) []float64 { return []float64{rhs[0] / (q * (1 - q))} }
}

func (plain) Settle([]float64) {}

func TestDriftsWhereThereIsNoMaximum(t *testing.T) {
	at, err := Climb(plain{-100}, []float64{0}, nil)
	testutil.Require(t, err == nil && slices.Equal(at.Drifting, []int{0}) && at.Value >= -1e-6, "%+v, %v", at, err)
	end, err := ProfileEnd(plain{-100}, at, []float64{1}, 1.5, 1)
	testutil.Check(t, err == nil && math.IsInf(end, 1), "upper end %v, %v", end, err)
	// At the lower end, the value is z²/2 less than at the peak.
	end, err = ProfileEnd(plain{-100}, at, []float64{1}, 1.5, -1)
	testutil.OK(t, err)
	near(t, "lower end", end, -math.Log(math.Expm1(1.5*1.5/2-at.Value)))
	testutil.Fails(t, testutil.Err(Climb(plain{1}, []float64{0}, nil)), "", "a start outside the domain: no error")
}

// TestDefinite requires that a matrix with the eigenvalues 3 and -1 is used as if they were 3 and 1.
func TestDefinite(t *testing.T) {
	got := Definite(mat.NewSymDense(2, []float64{1, 2, 2, 1}))([]float64{4, 2})
	near(t, "along (1, 1)", got[0]+got[1], 2) // 6/3
	near(t, "along (1, -1)", got[0]-got[1], 2)
}

// TestConjugate solves a Laplacian, which is singular. Solutions of a right side with mean 0 differ by a constant.
func TestConjugate(t *testing.T) {
	multiply := func(v, out []float64) {
		out[0], out[1], out[2] = v[0]-v[1], 2*v[1]-v[0]-v[2], v[2]-v[1]
	}
	x := Conjugate(multiply, []float64{1, 2, 1}, []float64{1, 2, -3})
	SubtractMean(x)
	near(t, "first less second", x[0]-x[1], 1)
	near(t, "second less third", x[1]-x[2], 3)
	near(t, "mean", x[0]+x[1]+x[2], 0)
}

func TestSubtractMedian(t *testing.T) {
	x := []float64{5, 1000, 3}
	SubtractMedian(x)
	testutil.Slices(t, x, []float64{0, 995, -2})
}
