// Package regression explains a numeric column of a CSV file by other columns, with linear regression (the
// statistical method). [Regress] returns [Reports]; [Compare] compares predicted with actual values, and
// [CompareGroups] compares groups of rows.
package regression

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gogi/internal/csv"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/lab/linear"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Query selects the columns and rows of a CSV file for linear regressions. There is one regression for each
// combination of a column in Y and a set of columns in X.
type Query struct {
	Y     []string   // columns to explain. Each of them is explained by every set in X.
	X     [][]string // sets of explaining columns
	Where Conditions // conditions that select the rows to use
	// leaves out rows with an empty cell in a regression's columns. Without it such a row is an error.
	SkipEmpty bool
}

// grid has the rows of a file, with only the columns that a query names, in the order in which the query
// first names them. An empty cell is NaN.
type grid struct {
	file    string
	names   []string // names in the spelling of the header
	columns [][]float64
	lines   []int // line number of each row in the file
}

// wanted returns the names of all columns that a query needs.
func (q Query) wanted() []string {
	var list []string
	for _, name := range append(slices.Clone(q.Y), slices.Concat(q.X...)...) {
		if !slices.ContainsFunc(list, func(o string) bool { return strings.EqualFold(o, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// read reads the named columns of a file, for the rows that where selects. If emptyToo is true, an empty cell becomes
// NaN; otherwise read returns an error for it.
func read(file string, where Conditions, emptyToo bool, names []string) (*grid, error) {
	t := &grid{file: file}
	var places []int
	err := csv.Read(file, func(s *csv.Sheet) error {
		for _, name := range names {
			place := s.Column(name)
			if place < 0 {
				return s.NoColumn(name)
			}
			places = append(places, place)
			t.names = append(t.names, s.Columns[place])
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

// column returns the index of a column by name, or -1.
func (t *grid) column(name string) int {
	return slices.IndexFunc(t.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// full returns the indices of the rows in which none of the given columns is empty.
func (t *grid) full(columns []int) []int {
	var rows []int
	for row := range t.lines {
		if !slices.ContainsFunc(columns, func(c int) bool { return math.IsNaN(t.columns[c][row]) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

func (t *grid) picked(column int, rows []int) linear.Column {
	c := linear.Column{Name: t.names[column], Values: make([]float64, len(rows))}
	for i, row := range rows {
		c.Values[i] = t.columns[column][row]
	}
	return c
}

// Reports is the result that "gogi-lab stats lab regress --json" prints.
type Reports struct {
	Version     int       `json:"version"`
	Where       []string  `json:"where,omitempty"` // conditions on the rows
	Regressions []*Report `json:"regressions"`     // one regression for every y and every set of x
}

// Regress reads a CSV file and makes the linear regressions that q selects. It returns an error for missing
// columns and for values that do not determine a regression.
func Regress(file string, q Query) (*Reports, error) {
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
			if err != nil {
				return nil, fmt.Errorf("%s: %s by %s: %w", file, y, strings.Join(x, ", "), err)
			}
			all.Regressions = append(all.Regressions, r)
		}
	}
	return all, nil
}

// Report is the result of one linear regression: it explains the column Y by the columns X.
type Report struct {
	Y            string        `json:"y"`            // name of the dependent column
	X            []string      `json:"x"`            // names of the independent columns
	N            int           `json:"n"`            // number of rows used.
	Skipped      int           `json:"skipped"`      // number of rows left out because of an empty cell
	Equation     string        `json:"equation"`     // the fitted equation, as text
	Coefficients []linear.Term `json:"coefficients"` // the intercept first
	R2           float64       `json:"r2"`
	AdjustedR2   float64       `json:"adjusted_r2"` // R², adjusted for the number of columns
	RMSE         float64       `json:"rmse"`
	LOORMSE      float64       `json:"loo_rmse"`
	Correlations []Correlation `json:"correlations"`
}

// Correlation is the correlation between one explaining column and Y.
type Correlation struct {
	X string `json:"x"` // name of the column
	linear.Correlation
}

func (t *grid) regress(yName string, xNames []string) (*Report, error) {
	places := []int{t.column(yName)}
	for _, x := range xNames {
		places = append(places, t.column(x))
	}
	rows := t.full(places)
	y := t.picked(places[0], rows)
	columns := lists.Map(places[1:], func(place int) linear.Column { return t.picked(place, rows) })
	fit, err := linear.LeastSquares(y.Values, columns...)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Y: y.Name, N: fit.N, Skipped: len(t.lines) - len(rows), Equation: equation(y.Name, fit.Terms),
		Coefficients: fit.Terms,
		R2:           fit.R2, AdjustedR2: fit.AdjustedR2, RMSE: rootMeanSquare(fit.Residuals), LOORMSE: fit.LOORMSE,
	}
	for _, x := range columns {
		r.X = append(r.X, x.Name)
		for _, correlate := range []func(x, y []float64) (linear.Correlation, error){linear.Pearson, linear.Spearman} {
			c, err := correlate(x.Values, y.Values)
			if err != nil {
				return nil, err
			}
			r.Correlations = append(r.Correlations, Correlation{x.Name, c})
		}
	}
	return r, nil
}

func rootMeanSquare(residuals []float64) float64 {
	sum := lists.Sum(residuals, func(e float64) float64 { return e * e })
	return math.Sqrt(sum / float64(len(residuals)))
}

// equation returns the regression as a formula: y = a + b·x − c·z.
func equation(y string, coefficients []linear.Term) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s =", y)
	for i, c := range coefficients {
		switch {
		case i == 0:
			fmt.Fprintf(&b, " %s", format.Signed(c.Value))
			continue
		case c.Value < 0:
			b.WriteString(" − ")
		default:
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "%s·%s", format.Figure(math.Abs(c.Value)), c.Name)
	}
	return b.String()
}

// Print writes the regressions as text for a terminal.
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
	title := sanitize.Printable(fmt.Sprintf("%s by %s · %s", r.Y, strings.Join(r.X, ", "), format.NumberOf(r.N, "row")),
		200)
	if r.Skipped > 0 {
		title += fmt.Sprintf(" · %d left out with an empty cell", r.Skipped)
	}
	fmt.Fprintf(w, "%s\n%s\n\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)),
		sanitize.Printable(r.Equation, 1000))
	t := format.Table("coefficient", "value", "standard error", "t", "p")
	for _, c := range r.Coefficients {
		t.AppendRow(table.Row{format.Name(c.Name), format.Signed(c.Value), format.Figure(c.SE), tValue(c.T),
			format.PValue(c.P)})
	}
	format.Render(w, t)
	if slices.ContainsFunc(r.Coefficients, func(c linear.Term) bool { return math.IsInf(c.T, 0) }) {
		fmt.Fprintf(w, "The columns explain %s exactly: no residual exceeds the rounding errors.\n\n", format.Name(r.Y))
	}
	r.printQuality(w)
	r.printCorrelations(w)
}

func (r *Report) printQuality(w io.Writer) {
	line := func(label, value, words string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-20s %10s   %s", label, value, words), " "))
	}
	line("R²", format.Decimal(&r.R2, 4), "of the variance is explained")
	line("R², adjusted", format.Decimal(&r.AdjustedR2, 4), "less what chance explains")
	line("error (RMSE)", format.Figure(r.RMSE), "for these rows")
	line("error, left out", format.Figure(r.LOORMSE), "for each row by the others: what to expect of a new one")
	fmt.Fprintln(w)
}

// printCorrelations writes one line for each x: its correlation with y.
func (r *Report) printCorrelations(w io.Writer) {
	t := format.Table("correlation with "+format.Name(r.Y), "Pearson", "p", "Spearman", "p")
	for i := 0; i+1 < len(r.Correlations); i += 2 {
		linear, ranks := r.Correlations[i], r.Correlations[i+1]
		t.AppendRow(table.Row{
			format.Name(linear.X), coefficient(linear.R), format.PValue(linear.P), coefficient(ranks.R), format.PValue(ranks.P),
		})
	}
	format.Render(w, t)
}

// tValue returns the text of a t value, with its sign.
func tValue(t float64) string {
	if math.IsInf(t, 0) {
		return strings.TrimPrefix(format.Elo(nil, int(math.Copysign(1, t))), "+")
	}
	return strings.Replace(format.Decimal(&t, 2), "-", "−", 1)
}

// coefficient returns the text of a correlation coefficient, with its sign.
func coefficient(v float64) string {
	return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1)
}
