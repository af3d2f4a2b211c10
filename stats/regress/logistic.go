package regress

import (
	"errors"
	"fmt"
	"math"
)

// A LogisticFit is a logistic regression on one variable: P(y = 1) = 1/(1 + exp(-(Intercept + Slope·x))). Its
// standard errors take clusters into account, see [Logistic].
type LogisticFit struct {
	Intercept   float64
	Slope       float64 // per unit of x
	InterceptSE float64
	SlopeSE     float64
	Rows        int
	Clusters    int
}

// ErrSeparated is the error if a threshold of x separates the outcomes: all outcomes of 1 are on one side,
// and all outcomes of 0 on the other. The likelihood then rises with the slope without end, so no finite
// slope is the most likely.
var ErrSeparated = errors.New("a threshold of x separates the outcomes: the slope would be infinite")

// ErrOneOutcome is the error if all outcomes are the same.
var ErrOneOutcome = errors.New("all outcomes are the same")

// Logistic returns the maximum-likelihood fit of a logistic regression, by Newton's method. Outcomes are from
// 0 to 1; one half counts as half a 1 and half a 0. Rows with the same number in cluster may depend on each
// other in any way. The standard errors are the sandwich estimate over clusters (Liang and Zeger 1986) times
// G/(G-1) for G clusters. If each row is its own cluster, they are White's standard errors. They are reliable
// only with some dozens of clusters.
//
// Logistic returns an error for lists of different lengths, numbers that are not finite, fewer than three
// clusters, and an x that does not vary. It returns [ErrOneOutcome] if all outcomes are the same, and
// [ErrSeparated] if a threshold of x separates the outcomes.
func Logistic(x, y []float64, cluster []int) (LogisticFit, error) {
	if err := checkLogistic(x, y, cluster); err != nil {
		return LogisticFit{}, err
	}
	centre := Mean(x)
	cx, squares := Centered(x)
	unit := math.Sqrt(squares / float64(len(x)))
	for i := range cx {
		cx[i] /= unit
	}
	a, b, err := climb(cx, y)
	if err != nil {
		return LogisticFit{}, err
	}
	v, groups := sandwich(cx, y, cluster, a, b)
	fit := LogisticFit{Slope: b / unit, SlopeSE: math.Sqrt(v[1][1]) / unit, Rows: len(x), Clusters: groups}
	shift := centre / unit
	fit.Intercept = a - b*shift
	fit.InterceptSE = math.Sqrt(max(0, v[0][0]-2*shift*v[0][1]+shift*shift*v[1][1]))
	return fit, nil
}

func checkLogistic(x, y []float64, cluster []int) error {
	if err := CheckPaired(x, y, 3); err != nil {
		return err
	}
	if len(cluster) != len(x) {
		return fmt.Errorf("%d clusters do not pair with %d rows", len(cluster), len(x))
	}
	groups := map[int]bool{}
	for i, g := range cluster {
		groups[g] = true
		if !(y[i] >= 0 && y[i] <= 1) {
			return fmt.Errorf("outcome %d is %v: expected 0 to 1", i+1, y[i])
		}
	}
	if len(groups) < 3 {
		return fmt.Errorf("%d clusters are too few: it takes 3", len(groups))
	}
	if _, squares := Centered(x); squares == 0 {
		return errors.New("x does not vary")
	}
	return separated(x, y)
}

// separated returns an error if a threshold of x separates the outcomes. Rows on the threshold may have both
// outcomes (quasi-separation).
func separated(x, y []float64) error {
	ones, zeros := [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)} // least and largest x
	for i, v := range x {
		if y[i] > 0 {
			ones = [2]float64{min(ones[0], v), max(ones[1], v)}
		}
		if y[i] < 1 {
			zeros = [2]float64{min(zeros[0], v), max(zeros[1], v)}
		}
	}
	switch {
	case math.IsInf(ones[0], 1) || math.IsInf(zeros[0], 1):
		return ErrOneOutcome
	case ones[0] >= zeros[1] || zeros[0] >= ones[1]:
		return ErrSeparated
	}
	return nil
}

// climb returns the coefficients with the highest likelihood, by Newton's method with halved steps. x must
// have the mean 0 and the variance 1.
func climb(x, y []float64) (a, b float64, err error) {
	likelihood := logLikelihood(x, y, a, b)
	for range 100 {
		g, h := slopes(x, y, a, b)
		inverse := inverted(h)
		da, db := inverse[0][0]*g[0]+inverse[0][1]*g[1], inverse[1][0]*g[0]+inverse[1][1]*g[1]
		next := logLikelihood(x, y, a+da, b+db)
		for halvings := 0; !(next >= likelihood) && halvings < 60; halvings++ {
			da, db = da/2, db/2
			next = logLikelihood(x, y, a+da, b+db)
		}
		a, b, likelihood = a+da, b+db, next
		if math.Abs(da)+math.Abs(db) < 1e-12*(1+math.Abs(a)+math.Abs(b)) {
			return a, b, nil
		}
	}
	return 0, 0, errors.New("the fit did not come to an end: the outcomes are nearly separated")
}

func logLikelihood(x, y []float64, a, b float64) (sum float64) {
	for i, v := range x {
		z := a + b*v
		sum += y[i]*z - max(z, 0) - math.Log1p(math.Exp(-math.Abs(z)))
	}
	return sum
}

// slopes returns the gradient of the log-likelihood and its negative second derivatives.
func slopes(x, y []float64, a, b float64) (g [2]float64, h [2][2]float64) {
	for i, v := range x {
		p := 1 / (1 + math.Exp(-(a + b*v)))
		w := p * (1 - p)
		g[0], g[1] = g[0]+y[i]-p, g[1]+(y[i]-p)*v
		h[0][0], h[0][1], h[1][1] = h[0][0]+w, h[0][1]+w*v, h[1][1]+w*v*v
	}
	h[1][0] = h[0][1]
	return g, h
}

func inverted(m [2][2]float64) [2][2]float64 {
	det := m[0][0]*m[1][1] - m[0][1]*m[1][0]
	return [2][2]float64{{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}
}

// sandwich returns the covariance of the coefficients, and the number of clusters.
func sandwich(x, y []float64, cluster []int, a, b float64) (v [2][2]float64, groups int) {
	scores := map[int][2]float64{}
	var order []int // the order of the sums must be fixed
	for i, u := range x {
		r := y[i] - 1/(1+math.Exp(-(a+b*u)))
		s, known := scores[cluster[i]]
		if !known {
			order = append(order, cluster[i])
		}
		scores[cluster[i]] = [2]float64{s[0] + r, s[1] + r*u}
	}
	var meat [2][2]float64
	for _, c := range order {
		s := scores[c]
		for i := range 2 {
			for j := range 2 {
				meat[i][j] += s[i] * s[j]
			}
		}
	}
	_, h := slopes(x, y, a, b)
	bread, g := inverted(h), float64(len(order))
	for i := range 2 {
		for j := range 2 {
			for k := range 2 {
				for l := range 2 {
					v[i][j] += bread[i][k] * meat[k][l] * bread[l][j] * g / (g - 1)
				}
			}
		}
	}
	return v, len(order)
}
