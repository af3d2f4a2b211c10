// Package linear fits linear regressions and calculates correlations. It has least squares with an intercept
// ([LeastSquares]), correlation ([Pearson], [Spearman]), the rank-sum test ([RankSum]) and the error of predictions
// ([RMSE]). gogi-lab uses it to explain players' ratings by figures on the quality of their moves.
//
// No function has side effects. All functions need finite numbers. If the numbers do not determine a result,
// a function returns an error, whose text is the reason.
package linear

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/format"
	"gogi/stats/regress"
)

// A Column is one explaining variable of a regression: its name, and its value in each row. The values may be
// in any unit.
type Column struct {
	Name   string
	Values []float64
}

// A Term is one estimated coefficient of a regression, with its standard error and p value.
type Term struct {
	Name  string  `json:"name"`  // name of its column, or "intercept" for the constant.
	Value float64 `json:"value"` // in units of y per unit of the column.
	SE    float64 `json:"se"`    // standard error, if all residuals have the same variance
	// T is Value/SE. If all residuals are 0 except for rounding, T is infinite, and null in JSON, or 0 for a Value of 0.
	T float64 `json:"t"`
	// two-sided p value by Student's t with DF degrees of freedom; 0 if T is infinite or P below 1e-308
	P float64 `json:"p"`
}

// A TermJSON is the JSON form of a Term. JSON has no number for an infinite T, so it gets the reason.
type TermJSON struct {
	Name  string   `json:"name"`          // name of its column, or "intercept" for the constant
	Value float64  `json:"value"`         // in units of y per unit of the column
	SE    float64  `json:"se"`            // standard error, if all residuals have the same variance
	T     *float64 `json:"t"`             // value divided by its standard error
	P     float64  `json:"p"`             // two-sided p value; 0 if it is below 1e-308
	Why   string   `json:"why,omitempty"` // why t is null
}

// MarshalJSON returns the term as a TermJSON.
func (t Term) MarshalJSON() ([]byte, error) {
	row := TermJSON{Name: t.Name, Value: t.Value, SE: t.SE, T: format.Finite(t.T), P: t.P}
	if row.T == nil {
		row.Why = "t is infinite: the columns explain y exactly"
	}
	return json.Marshal(row)
}

// A Fit is the result of a linear regression with an intercept, by least squares.
type Fit struct {
	Quality
	Terms     []Term    // the intercept, then the terms of the columns in order.
	DF        int       // number of rows minus number of terms
	Sigma     float64   // residual standard error, in units of y.
	Residuals []float64 // y minus its prediction, for each row

	design *design
	scale  float64 // largest absolute value of y
}

// Quality has the figures that describe how well a regression explains y.
type Quality struct {
	N          int     `json:"n"` // number of rows
	R2         float64 `json:"r2"`
	AdjustedR2 float64 `json:"adjusted_r2"` // 1 - (1-R²)(N-1)/DF
	// LOORMSE is the root mean square of the leave-one-out errors, in units of y. The leave-one-out error of a row is
	// y minus the value that a fit of the other rows predicts.
	LOORMSE float64 `json:"loo_rmse"`
}

// rankTolerance limits linear dependence. For each column gogi subtracts the part that other columns explain. The rest
// must have at least this share of the column's length.
const rankTolerance = 1e-10

// LeastSquares fits a linear regression of y on the columns, with an intercept. The method is a QR
// decomposition of the standardised columns. All numbers of the result are finite, but T of a perfect fit.
//
// LeastSquares returns an error if columns are missing or not as long as y, if numbers are too large or not
// finite, and if there are not more rows than terms. It also returns an error if y does not vary, or if a
// column is constant or a linear function of the others. It returns an error if one row alone determines a
// coefficient, because the leave-one-out error of this row is unknown.
func LeastSquares(y []float64, columns ...Column) (Fit, error) {
	if err := checkColumns(y, columns); err != nil {
		return Fit{}, err
	}
	d, err := newDesign(columns)
	if err != nil {
		return Fit{}, err
	}
	yc, total := regress.Centered(y)
	if total == 0 {
		return Fit{}, errors.New("y does not vary: there is nothing to explain")
	}
	return d.fit(y, yc, total)
}

func checkColumns(y []float64, columns []Column) error {
	if len(columns) == 0 {
		return errors.New("no column to regress on")
	}
	for _, c := range columns {
		if len(c.Values) != len(y) {
			return fmt.Errorf("%s has %d values for %d of y", c.Name, len(c.Values), len(y))
		}
		if err := regress.CheckFinite(c.Name, c.Values); err != nil {
			return err
		}
	}
	if rows, terms := len(y), len(columns)+1; rows <= terms {
		return fmt.Errorf("%d rows are too few for %d terms", rows, terms)
	}
	return regress.CheckFinite("y", y)
}

// A design is the matrix of the columns, centred and scaled to length 1, as the product Q·R.
type design struct {
	names   []string
	means   []float64
	lengths []float64
	q       [][]float64 // orthonormal columns
	r       *mat.TriDense
}

// newDesign returns the factors Q and R of the columns. It calculates them by the method of Gram and Schmidt, twice for
// full accuracy.
func newDesign(columns []Column) (*design, error) {
	k := len(columns)
	d := &design{r: mat.NewTriDense(k, mat.Upper, nil)}
	for j, c := range columns {
		v, squares := regress.Centered(c.Values)
		length := math.Sqrt(squares)
		if length <= rankTolerance*math.Sqrt(float64(len(v)))*math.Abs(regress.Mean(c.Values)) || length == 0 {
			return nil, fmt.Errorf("%s does not vary", c.Name)
		}
		for i := range v {
			v[i] /= length
		}
		for range 2 {
			for i, q := range d.q {
				along := dot(q, v)
				d.r.SetTri(i, j, d.r.At(i, j)+along)
				for n := range v {
					v[n] -= along * q[n]
				}
			}
		}
		left := math.Sqrt(dot(v, v))
		if left < rankTolerance {
			return nil, fmt.Errorf("%s is a linear function of the columns before it", c.Name)
		}
		d.r.SetTri(j, j, left)
		for i := range v {
			v[i] /= left
		}
		d.q = append(d.q, v)
		d.names = append(d.names, c.Name)
		d.means = append(d.means, regress.Mean(c.Values))
		d.lengths = append(d.lengths, length)
	}
	return d, nil
}

func (d *design) fit(y, yc []float64, total float64) (Fit, error) {
	n, k := len(y), len(d.q)
	f := Fit{Quality: Quality{N: n}, DF: n - k - 1, Residuals: append([]float64(nil), yc...), design: d}
	along := mat.NewVecDense(k, nil)
	for j, q := range d.q {
		along.SetVec(j, dot(q, yc))
		for i := range q {
			f.Residuals[i] -= along.AtVec(j) * q[i]
		}
	}
	rest := dot(f.Residuals, f.Residuals)
	f.R2 = max(0, min(1, 1-rest/total))
	f.AdjustedR2 = 1 - (1-f.R2)*float64(n-1)/float64(f.DF)
	f.Sigma = math.Sqrt(rest / float64(f.DF))
	f.scale = largest(y)
	inverse := mat.NewTriDense(k, mat.Upper, nil)
	if err := inverse.InverseTri(d.r); err != nil && !isCondition(err) {
		return Fit{}, fmt.Errorf("the columns are hardly independent: %w", err)
	}
	d.terms(&f, regress.Mean(y), along, inverse)
	err := d.leaveOneOut(&f)
	if err == nil {
		err = f.checkFinite()
	}
	return f, err
}

// checkFinite returns an error if a number of the fit is not finite because of an overflow.
func (f *Fit) checkFinite() error {
	numbers := []float64{f.R2, f.AdjustedR2, f.Sigma, f.LOORMSE}
	for _, t := range f.Terms {
		numbers = append(numbers, t.Value, t.SE, t.P)
	}
	if slices.ContainsFunc(numbers, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return errors.New("the columns and y differ too much in size")
	}
	return nil
}

func isCondition(err error) bool {
	var c mat.Condition
	return errors.As(err, &c) && !math.IsInf(float64(c), 1)
}

// terms sets f.Terms. It converts the coefficients of the orthonormal columns to coefficients of the original columns.
func (d *design) terms(f *Fit, center float64, along *mat.VecDense, inverse *mat.TriDense) {
	k := len(d.q)
	intercept, spread := center, 1/float64(f.N)
	// The intercept is the prediction at 0. Its variance is 1/N plus the variance that the slopes cause over
	// the distance of 0 from the means.
	way := make([]float64, k)
	terms := make([]Term, k)
	for j := range k {
		value, variance := 0.0, 0.0
		for i := j; i < k; i++ {
			value += inverse.At(j, i) * along.AtVec(i)
			variance += inverse.At(j, i) * inverse.At(j, i)
		}
		value /= d.lengths[j]
		intercept -= value * d.means[j]
		terms[j] = f.term(d.names[j], value, f.Sigma*math.Sqrt(variance)/d.lengths[j])
		for i := j; i < k; i++ {
			way[i] += inverse.At(j, i) * d.means[j] / d.lengths[j]
		}
	}
	spread += dot(way, way)
	f.Terms = append([]Term{f.term("intercept", intercept, f.Sigma*math.Sqrt(spread))}, terms...)
}

// roundOff is the largest relative error of sums of rows.
const roundOff = 1e-14

// perfect reports whether the residuals are 0 except for rounding.
func (f *Fit) perfect() bool { return f.Sigma <= roundOff*f.scale }

func (f *Fit) term(name string, value, se float64) Term {
	t := Term{Name: name, Value: value, SE: se}
	switch {
	case !f.perfect():
		t.T = value / se
	case math.Abs(value) <= 1000*se || value == 0: // a rounding error of 0
	default:
		t.T = math.Inf(int(math.Copysign(1, value)))
	}
	t.P = studentTwoSided(t.T, f.DF)
	return t
}

// leaveOneOut sets the leave-one-out error of f. It needs no further fits: the error of a row that is left
// out is the row's residual divided by 1 minus its leverage.
func (d *design) leaveOneOut(f *Fit) error {
	sum := 0.0
	for i, e := range f.Residuals {
		leverage := 1 / float64(f.N)
		for _, q := range d.q {
			leverage += q[i] * q[i]
		}
		if leverage > 1-1e-10 {
			return fmt.Errorf("row %d alone determines a coefficient", i+1)
		}
		e /= 1 - leverage
		sum += e * e
	}
	f.LOORMSE = math.Sqrt(sum / float64(f.N))
	return nil
}

func studentTwoSided(t float64, df int) float64 {
	return min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Survival(math.Abs(t)))
}

// A Prediction is the value that a regression predicts for a new row, with the interval of y in such a row.
type Prediction struct {
	Value, Lo, Hi float64 // in units of y
}

// PredictInterval predicts y for a new row of explaining variables, with an interval at a level in (0, 1),
// such as 0.95. The interval is exact, by Student's t, if the deviations of y from the regression are
// independent and normal with one variance. PredictInterval returns an error if the row does not have as many
// values as the fit has columns, and for a level outside (0, 1). It also returns an error for a Fit that is
// not from [LeastSquares].
func (f Fit) PredictInterval(level float64, row ...float64) (Prediction, error) {
	switch {
	case len(f.Terms) == 0 || len(row) != len(f.Terms)-1:
		return Prediction{}, fmt.Errorf("%d values for %d columns", len(row), max(0, len(f.Terms)-1))
	case !(level > 0 && level < 1):
		return Prediction{}, fmt.Errorf("level %v is not between 0 and 1", level)
	case f.design == nil:
		return Prediction{}, errors.New("the fit does not know its rows")
	}
	if err := regress.CheckFinite("row", row); err != nil {
		return Prediction{}, err
	}
	y := f.Terms[0].Value
	for i, x := range row {
		y += f.Terms[i+1].Value * x
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(f.DF)}.Quantile((1 + level) / 2)
	reach := t * f.Sigma * math.Sqrt(1+f.design.leverage(f.N, row))
	return Prediction{y, y - reach, y + reach}, nil
}

// leverage returns the variance of the prediction for a new row, divided by the variance of y around the regression.
// n is the number of rows of the fit. leverage solves Rᵀz = x, where x is the new row, standardised as the columns.
func (d *design) leverage(n int, row []float64) float64 {
	z, h := make([]float64, len(row)), 1/float64(n)
	for j, x := range row {
		z[j] = (x - d.means[j]) / d.lengths[j]
		for i := range j {
			z[j] -= d.r.At(i, j) * z[i]
		}
		z[j] /= d.r.At(j, j)
		h += z[j] * z[j]
	}
	return h
}

// RMSE returns the root mean square of the differences between predictions and true values, in their unit. It
// returns an error for lists of different lengths, for empty lists, and for numbers that are not finite. RMSE
// takes numbers only: before it converts ranks, the caller must decide whether the step between 1-dan and
// 1-kyu is 1 or 2.
func RMSE(predicted, actual []float64) (float64, error) {
	if err := regress.CheckPaired(predicted, actual, 1); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, p := range predicted {
		sum += (p - actual[i]) * (p - actual[i])
	}
	return math.Sqrt(sum / float64(len(predicted))), nil
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
