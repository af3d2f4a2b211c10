package regress_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/regress"
)

// hours and passed return the textbook example of hours of study and of passing an exam, with 20 students. The
// published intercept is -4.0777 and the slope is 1.5046.
func hours() []float64 {
	return []float64{0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5}
}

func passed() []float64 {
	return []float64{0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1}
}

// groupsOf puts this number of consecutive rows into each cluster.
func groupsOf(rows, size int) []int {
	list := make([]int, rows)
	for i := range list {
		list[i] = i / size
	}
	return list
}

// TestLogistic compares coefficients and sandwich standard errors with another program, which uses 40 decimal digits
// and plain bisection.
func TestLogistic(t *testing.T) {
	for size, want := range map[int][2]float64{1: {1.41007852711148419, 0.46472572542046434},
		4: {0.90091599465763144, 0.30986167244214846}} {
		fit := testutil.Must(regress.Logistic(hours(), passed(), groupsOf(20, size)))(t)
		for _, x := range [][2]float64{
			{fit.Intercept, -4.07771343108763067}, {fit.Slope, 1.50464542837333346}, {fit.InterceptSE, want[0]},
			{fit.SlopeSE, want[1]},
		} {
			testutil.Check(t, math.Abs(x[0]-x[1]) <= 1e-10, "clusters of %d: %v, want %v", size, x[0], x[1])
		}
		testutil.Check(t, fit.Rows == 20 && fit.Clusters == 20/size, "%+v", fit)
	}
}

// TestLogisticUnits requires that other units of x change only the slope. Copies of rows within their clusters add no
// information.
func TestLogisticUnits(t *testing.T) {
	base := testutil.Must(regress.Logistic(hours(), passed(), groupsOf(20, 1)))(t)
	var x, y []float64
	var cluster []int
	for i, h := range hours() {
		for range 3 {
			x, y, cluster = append(x, 1000*h), append(y, passed()[i]), append(cluster, i)
		}
	}
	fit := testutil.Must(regress.Logistic(x, y, cluster))(t)
	for _, p := range [][2]float64{{1000 * fit.Slope, base.Slope}, {1000 * fit.SlopeSE, base.SlopeSE},
		{fit.Intercept, base.Intercept}, {fit.InterceptSE, base.InterceptSE}} {
		testutil.Check(t, math.Abs(p[0]-p[1]) <= 1e-9, "%v, want %v", p[0], p[1])
	}
}

// TestLogisticDraws requires that 0.5 counts as half a 1 and half a 0.
func TestLogisticDraws(t *testing.T) {
	fit, err := regress.Logistic([]float64{-1, 0, 1, -1, 1}, []float64{0, 0.5, 1, 1, 0}, groupsOf(5, 1))
	testutil.Check(t, err == nil && math.Abs(fit.Slope) <= 1e-12 && math.Abs(fit.Intercept) <= 1e-12,
		"%+v (%v): a symmetric list has no slope", fit, err)
}

func TestLogisticErrors(t *testing.T) {
	one := []float64{1, 2, 3, 4}
	for _, x := range []struct {
		x, y    []float64
		cluster []int
		want    error
		says    string
	}{
		{one, []float64{0, 0, 1, 1}, groupsOf(4, 1), regress.ErrSeparated, ""},
		{one, []float64{1, 1, 0.5, 0}, groupsOf(4, 1), regress.ErrSeparated, ""},
		// separated except at the threshold
		{[]float64{1, 2, 2, 4}, []float64{0, 0, 1, 1}, groupsOf(4, 1), regress.ErrSeparated, ""},
		{one, []float64{1, 1, 1, 1}, groupsOf(4, 1), regress.ErrOneOutcome, ""},
		{one, []float64{0, 0, 0, 0}, groupsOf(4, 1), regress.ErrOneOutcome, ""},
		{[]float64{2, 2, 2, 2}, []float64{0, 1, 0, 1}, groupsOf(4, 1), nil, "x does not vary"},
		{one, []float64{0, 1, 0, 1}, groupsOf(4, 2), nil, "2 clusters are too few"},
		{one, []float64{0, 1, 0, 2}, groupsOf(4, 1), nil, "expected 0 to 1"},
		{one, []float64{0, 1, 0, math.NaN()}, groupsOf(4, 1), nil, "not a number"},
		{one, []float64{0, 1}, groupsOf(4, 1), nil, "do not pair"},
		{one, []float64{0, 1, 0, 1}, groupsOf(3, 1), nil, "3 clusters do not pair with 4 rows"},
	} {
		_, err := regress.Logistic(x.x, x.y, x.cluster)
		testutil.Check(t, err != nil && (x.want == nil || errors.Is(err, x.want)) && strings.Contains(err.Error(), x.says),
			"%v %v: %v", x.x, x.y, err)
	}
}
