// Package regression explains one column of a CSV table by others. [Regress] returns [Reports];
// [Compare] compares predicted with actual values, and [CompareGroups] compares groups of rows.
package regression

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gogi/internal/csv"
	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/stats/regress"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Query is a question about a file.
type Query struct {
	Y         []string       // columns to explain, each by every set
	X         [][]string     // sets of columns that explain
	Where     csv.Conditions // rows that count
	SkipEmpty bool           // rows with an empty cell in a regression's columns are left out of it, not refused
	Level     float64        // level of the prediction intervals
}

// grid is the rows of a file: the columns that a query names, in the order of
// their first naming. An empty cell is NaN.
type grid struct {
	file    string
	names   []string // as the header writes them
	columns [][]float64
	lines   []int // lines of the rows in the file
}

// wanted are the columns of a query.
func (q Query) wanted() []string {
	var list []string
	for _, name := range append(slices.Clone(q.Y), slices.Concat(q.X...)...) {
		if !slices.ContainsFunc(list, func(o string) bool { return strings.EqualFold(o, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// read reads the columns named, of the rows that count. Columns that are optional
// may be missing.
func read(file string, where csv.Conditions, emptyToo bool, names []string, optional ...string) (*grid, error) {
	t := &grid{file: file}
	var places []int
	err := csv.Read(file, func(s *csv.Sheet) error {
		for _, name := range append(slices.Clone(names), optional...) {
			place := s.Column(name)
			switch {
			case place >= 0:
				places = append(places, place)
				t.names = append(t.names, s.Columns[place])
			case slices.Contains(names, name):
				return s.NoColumn(name)
			}
		}
		t.columns = make([][]float64, len(places))
		return where.Check(s)
	}, func(row csv.Row) error {
		holds, err := where.Hold(row)
		if err != nil || !holds {
			return err
		}
		t.lines = append(t.lines, row.Line())
		for i, place := range places {
			v := math.NaN()
			if row.At(place) != "" || !emptyToo {
				if v, err = row.Decimal(place); err != nil {
					if row.At(place) == "" {
						err = fmt.Errorf("%w (--skip-empty leaves such rows out)", err)
					}
					return err
				}
			}
			t.columns[i] = append(t.columns[i], v)
		}
		return nil
	})
	return t, err
}

// column is the place of a name, or -1.
func (t *grid) column(name string) int {
	return slices.IndexFunc(t.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// full are the rows without an empty cell in some columns.
func (t *grid) full(columns []int) []int {
	var rows []int
	for row := range t.lines {
		if !slices.ContainsFunc(columns, func(c int) bool { return math.IsNaN(t.columns[c][row]) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// picked are the values of some rows.
func (t *grid) picked(column int, rows []int) regress.Column {
	c := regress.Column{Name: t.names[column], Values: make([]float64, len(rows))}
	for i, row := range rows {
		c.Values[i] = t.columns[column][row]
	}
	return c
}

// Reports is the result that "gogi stats lab regress --json" prints.
type Reports struct {
	Version     int       `json:"version"`
	Where       []string  `json:"where,omitempty"`
	Regressions []*Report `json:"regressions"` // every y by every set of x
}

// Regress reads a file and answers a query. With another file, whose name may be
// empty, each equation is applied to the rows of that.
func Regress(file string, q Query, apply string) (*Reports, error) {
	t, err := read(file, q.Where, q.SkipEmpty, q.wanted())
	if err != nil {
		return nil, err
	}
	all := &Reports{Version: 2}
	for _, c := range q.Where {
		all.Where = append(all.Where, c.Column+c.Relation+c.Value)
	}
	for _, y := range q.Y {
		for _, x := range q.X {
			r, err := t.regress(y, x)
			if err == nil && apply != "" {
				err = r.apply(apply, x, q.Level)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s by %s: %w", file, y, strings.Join(x, ", "), err)
			}
			all.Regressions = append(all.Regressions, r)
		}
	}
	return all, nil
}

// Report is one regression. A number that does not exist is null, with a "why" next to it.
type Report struct {
	Y            string        `json:"y"`
	X            []string      `json:"x"`
	N            int           `json:"n"`       // rows used
	Skipped      int           `json:"skipped"` // rows with an empty cell
	Equation     string        `json:"equation"`
	Coefficients []Coefficient `json:"coefficients"` // the intercept first
	R2           *float64      `json:"r2"`
	AdjustedR2   *float64      `json:"adjusted_r2"`
	RMSE         *float64      `json:"rmse"`
	LOORMSE      *float64      `json:"loo_rmse"`
	Correlations []Correlation `json:"correlations"`
	Applied      *Applied      `json:"applied,omitempty"`
	Why          string        `json:"why,omitempty"`

	fit regress.Fit
}

// Coefficient is a term of the equation.
type Coefficient struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
	SE    *float64 `json:"se"`
	T     *float64 `json:"t"`
	P     *float64 `json:"p"`
	Why   string   `json:"why,omitempty"`
}

// Correlation is that of one x with y.
type Correlation struct {
	X      string   `json:"x"`
	Method string   `json:"method"` // pearson or spearman
	N      int      `json:"n"`
	R      *float64 `json:"r"`
	P      *float64 `json:"p"` // two-sided
	Why    string   `json:"why,omitempty"`
}

// fewRows is the reason for a missing figure if the coefficients use every row.
const fewRows = "there are no more rows than coefficients"

func (t *grid) regress(yName string, xNames []string) (*Report, error) {
	places := []int{t.column(yName)}
	for _, x := range xNames {
		places = append(places, t.column(x))
	}
	rows := t.full(places)
	y := t.picked(places[0], rows)
	var columns []regress.Column
	for _, place := range places[1:] {
		columns = append(columns, t.picked(place, rows))
	}
	fit, err := regress.LeastSquares(y.Values, columns...)
	if err != nil {
		return nil, err
	}
	r := newReport(fit, y, columns)
	r.Skipped = len(t.lines) - len(rows)
	return r, nil
}

func newReport(fit regress.Fit, y regress.Column, columns []regress.Column) *Report {
	r := &Report{
		Y: y.Name, N: fit.N, R2: format.Finite(fit.R2), AdjustedR2: format.Finite(fit.AdjustedR2),
		RMSE: rootMeanSquare(fit.Residuals), LOORMSE: format.Finite(fit.LOORMSE), fit: fit,
	}
	if r.R2 == nil || r.AdjustedR2 == nil || r.LOORMSE == nil {
		r.Why = "a figure is missing where the rows do not determine it, as when one of them alone decides a coefficient"
	}
	for _, term := range fit.Terms {
		r.Coefficients = append(r.Coefficients, newCoefficient(term, fit.DF))
	}
	r.Equation = equation(r.Y, r.Coefficients)
	for _, x := range columns {
		r.X = append(r.X, x.Name)
		r.correlate("pearson", regress.Pearson, x, y)
		r.correlate("spearman", regress.Spearman, x, y)
	}
	return r
}

func rootMeanSquare(residuals []float64) *float64 {
	sum := 0.0
	for _, e := range residuals {
		sum += e * e
	}
	return format.Finite(math.Sqrt(sum / float64(len(residuals))))
}

func newCoefficient(t regress.Term, df int) Coefficient {
	c := Coefficient{Name: t.Name, Value: format.Finite(t.Value)}
	if df < 1 {
		c.Why = fewRows
		return c
	}
	c.SE, c.T, c.P = format.Finite(t.SE), format.Finite(t.T), format.Finite(t.P)
	if c.SE == nil || c.T == nil || c.P == nil {
		c.Why = "the rows lie on the line exactly, which leaves no error to measure by"
	}
	return c
}

func (r *Report) correlate(method string, of func(x, y []float64) (regress.Correlation, error), x, y regress.Column) {
	row := Correlation{X: x.Name, Method: method, N: len(x.Values)}
	c, err := of(x.Values, y.Values)
	if err != nil {
		row.Why = err.Error()
	} else {
		row.R, row.P = format.Finite(c.R), format.Finite(c.P)
	}
	if (row.R == nil || row.P == nil) && row.Why == "" {
		row.Why = "too few rows"
	}
	r.Correlations = append(r.Correlations, row)
}

// equation is the regression as one writes it: y = a + b·x − c·z.
func equation(y string, coefficients []Coefficient) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s =", y)
	for i, c := range coefficients {
		if c.Value == nil {
			return y + " = unknown"
		}
		switch {
		case i == 0:
			fmt.Fprintf(&b, " %s", format.Signed(*c.Value))
			continue
		case *c.Value < 0:
			b.WriteString(" − ")
		default:
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "%s·%s", format.Figure(math.Abs(*c.Value)), c.Name)
	}
	return b.String()
}

// Print writes the regressions as a person reads them.
func (a *Reports) Print(w io.Writer) {
	if len(a.Where) > 0 {
		fmt.Fprintf(w, "rows with %s\n\n", sanitize.Printable(strings.Join(a.Where, " and "), 200))
	}
	for i, r := range a.Regressions {
		if i > 0 {
			fmt.Fprintln(w)
		}
		r.print(w)
	}
}

func (r *Report) print(w io.Writer) {
	title := sanitize.Printable(fmt.Sprintf("%s by %s · %s", r.Y, strings.Join(r.X, ", "), format.NumberOf(r.N, "row")), 200)
	if r.Skipped > 0 {
		title += fmt.Sprintf(" · %d left out with an empty cell", r.Skipped)
	}
	fmt.Fprintf(w, "%s\n%s\n\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)), sanitize.Printable(r.Equation, 1000))
	t := format.Table("coefficient", "value", "standard error", "t", "p")
	for _, c := range r.Coefficients {
		t.AppendRow(table.Row{format.Name(c.Name), optional(c.Value, format.Signed), optional(c.SE, format.Figure), strings.Replace(format.Decimal(c.T, 2), "-", "−", 1), optional(c.P, format.PValue)})
	}
	format.Render(w, t)
	r.printQuality(w)
	r.printCorrelations(w)
	r.Applied.print(w)
}

// optional is a number as format writes it, or a dash.
func optional(v *float64, format func(float64) string) string {
	if v == nil {
		return "–"
	}
	return format(*v)
}

func (r *Report) printQuality(w io.Writer) {
	line := func(label, value, words string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-20s %10s   %s", label, value, words), " "))
	}
	line("R²", format.Decimal(r.R2, 4), "of the variance is explained")
	line("R², adjusted", format.Decimal(r.AdjustedR2, 4), "less what chance explains")
	line("error (RMSE)", optional(r.RMSE, format.Figure), "for these rows")
	line("error, left out", optional(r.LOORMSE, format.Figure), "for each row by the others: what to expect of a new one")
	if r.Why != "" {
		fmt.Fprintln(w, "(–: "+r.Why+")")
	}
	fmt.Fprintln(w)
}

// printCorrelations has one line for each x.
func (r *Report) printCorrelations(w io.Writer) {
	t := format.Table("correlation with "+format.Name(r.Y), "Pearson", "p", "Spearman", "p")
	for i := 0; i+1 < len(r.Correlations); i += 2 {
		linear, ranks := r.Correlations[i], r.Correlations[i+1]
		t.AppendRow(table.Row{
			format.Name(linear.X), optional(linear.R, coefficient), optional(linear.P, format.PValue),
			optional(ranks.R, coefficient), optional(ranks.P, format.PValue),
		})
	}
	format.Render(w, t)
	for _, c := range r.Correlations {
		if c.Why != "" {
			fmt.Fprintf(w, "%s (%s): %s\n", format.Name(c.X), c.Method, c.Why)
		}
	}
}

// coefficient of a correlation, with its sign.
func coefficient(v float64) string {
	return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1)
}
