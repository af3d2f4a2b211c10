// Package regression explains one column of a table by others, and tells how well.
package regression

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/sheet"
	"gogi/stats/regress"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table holds the columns asked for.
type Table struct {
	y       regress.Column
	x       []regress.Column
	skipped int // rows
}

// Read reads the columns y and x of a CSV file; rows with an empty cell among
// them are left out, or refused.
func Read(file, y string, x []string, skipEmpty bool) (*Table, error) {
	var places []int
	t := &Table{x: make([]regress.Column, len(x))}
	err := sheet.Read(file, func(s *sheet.Sheet) error {
		for i, name := range append([]string{y}, x...) {
			place := s.Column(name)
			if place < 0 {
				return fmt.Errorf("%s:1: no column %s; the header has %s", file, format.Quoted(name), foreign.Printable(strings.Join(s.Columns, ", "), 200))
			}
			places = append(places, place)
			t.column(i).Name = s.Columns[place]
		}
		return nil
	}, func(row sheet.Row) error {
		return t.add(row, places, skipEmpty)
	})
	return t, err
}

// column is y for 0, and then the x.
func (t *Table) column(i int) *regress.Column {
	if i == 0 {
		return &t.y
	}
	return &t.x[i-1]
}

func (t *Table) add(row sheet.Row, places []int, skipEmpty bool) error {
	if skipEmpty && slices.ContainsFunc(places, func(place int) bool { return row.At(place) == "" }) {
		t.skipped++
		return nil
	}
	for i, place := range places {
		v, err := row.Decimal(place)
		if err != nil {
			if row.At(place) == "" {
				err = fmt.Errorf("%w (--skip-empty leaves such rows out)", err)
			}
			return err
		}
		column := t.column(i)
		column.Values = append(column.Values, v)
	}
	return nil
}

// Report is what "gogi regress --json" prints. A number that does not
// exist is null, with a "why" beside it.
type Report struct {
	Version      int           `json:"version"`
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
	Why          string        `json:"why,omitempty"`
}

type Coefficient struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
	SE    *float64 `json:"se"`
	T     *float64 `json:"t"`
	P     *float64 `json:"p"`
	Why   string   `json:"why,omitempty"`
}

type Correlation struct {
	X      string   `json:"x"`
	Method string   `json:"method"` // pearson or spearman
	N      int      `json:"n"`
	R      *float64 `json:"r"`
	P      *float64 `json:"p"` // two-sided
	Why    string   `json:"why,omitempty"`
}

// fewRows is why a figure is missing where every row is needed for the
// coefficients.
const fewRows = "there are no more rows than coefficients"

func New(t *Table) (*Report, error) {
	fit, err := regress.LeastSquares(t.y.Values, t.x...)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Version: 1, Y: t.y.Name, N: len(t.y.Values), Skipped: t.skipped,
		R2: format.Finite(fit.R2), AdjustedR2: format.Finite(fit.AdjustedR2),
		RMSE: rootMeanSquare(fit.Residuals), LOORMSE: format.Finite(fit.LOORMSE),
	}
	if r.R2 == nil || r.AdjustedR2 == nil || r.LOORMSE == nil {
		r.Why = "a figure is missing where the rows do not determine it, as when one of them alone decides a coefficient"
	}
	if fit.DF < 1 {
		r.AdjustedR2, r.Why = nil, fewRows
	}
	for _, term := range fit.Terms {
		r.Coefficients = append(r.Coefficients, newCoefficient(term, fit.DF))
	}
	r.Equation = equation(r.Y, r.Coefficients)
	for _, x := range t.x {
		r.X = append(r.X, x.Name)
		r.correlate("pearson", regress.Pearson, x, t.y)
		r.correlate("spearman", regress.Spearman, x, t.y)
	}
	return r, nil
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

// Print writes the regression as a person reads it.
func (r *Report) Print(w io.Writer) {
	title := foreign.Printable(fmt.Sprintf("%s by %s · %s", r.Y, strings.Join(r.X, ", "), format.NumberOf(r.N, "row")), 200)
	if r.Skipped > 0 {
		title += fmt.Sprintf(" · %d left out with an empty cell", r.Skipped)
	}
	fmt.Fprintf(w, "%s\n%s\n\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)), foreign.Printable(r.Equation, 1000))
	t := format.Table("coefficient", "value", "standard error", "t", "p")
	for _, c := range r.Coefficients {
		t.AppendRow(table.Row{format.Name(c.Name), optional(c.Value, format.Signed), optional(c.SE, format.Figure), strings.Replace(format.Decimal(c.T, 2), "-", "−", 1), optional(c.P, format.PValue)})
	}
	format.Render(w, t)
	r.printQuality(w)
	r.printCorrelations(w)
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
