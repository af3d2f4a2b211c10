package regression

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"gonum.org/v1/gonum/stat"

	"gogi/internal/csv"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/lab/linear"
	"gogi/stats/binomial"
)

// RankSums is the result that "gogi-lab stats lab ranksum --json" prints.
type RankSums struct {
	Version int       `json:"version"`
	By      string    `json:"by"` // name of the column that defines the groups
	A       string    `json:"a"`  // the value of By in the first row
	B       string    `json:"b"`  // value of the column in group b
	Tests   []RankSum `json:"tests"`
}

// RankSum is the result of a rank-sum test (Wilcoxon 1945) for one column. The test shows whether the values
// of the column differ between two groups of rows.
type RankSum struct {
	Column string   `json:"column"` // name of the column
	NA     int      `json:"n_a"`    // number of values in group a
	NB     int      `json:"n_b"`    // number of values in group b
	MeanA  *float64 `json:"mean_a"` // mean of group a
	MeanB  *float64 `json:"mean_b"` // mean of group b
	W      *float64 `json:"w"`      // sum of the ranks of group a.
	U      *float64 `json:"u"`      // number of pairs of rows in which the value of group a is larger. A tie counts half.
	P      *float64 `json:"p"`      // two-sided p value
	PHolm  *float64 `json:"p_holm"`
	Method string   `json:"method"` // rank_sum_exact or rank_sum_normal
	Why    string   `json:"why,omitempty"`
}

// groups holds the values of some columns, grouped by another column.
type groups struct {
	names  []string // names of the groups, in the order of their first row
	values []map[string][]float64
}

// CompareGroups makes a rank-sum test for each of the columns of a CSV file. It compares two groups of rows,
// which have different values in the column by. where selects the rows to use. skipEmpty leaves out rows with
// an empty cell. CompareGroups returns an error if there are not exactly two groups.
func CompareGroups(file string, columns []string, by string, where Conditions, skipEmpty bool) (*RankSums, error) {
	g, err := readGroups(file, columns, by, where, skipEmpty)
	if err != nil {
		return nil, err
	}
	if len(g.names) != 2 {
		return nil, fmt.Errorf("%s: expected two different values in column %s, found %d; --where chooses rows", file, by,
			len(g.names))
	}
	r := &RankSums{Version: 1, By: by, A: g.names[0], B: g.names[1]}
	var p []float64
	for i, column := range columns {
		t := newRankSum(column, g.values[i][r.A], g.values[i][r.B])
		if t.P != nil {
			p = append(p, *t.P)
		}
		r.Tests = append(r.Tests, t)
	}
	adjusted, err := binomial.Holm.Adjust(p)
	if err != nil {
		return nil, err
	}
	for i := range r.Tests {
		if r.Tests[i].P != nil {
			r.Tests[i].PHolm, adjusted = &adjusted[0], adjusted[1:]
		}
	}
	return r, nil
}

func readGroups(file string, columns []string, by string, where Conditions, skipEmpty bool) (*groups, error) {
	g := &groups{}
	for range columns {
		g.values = append(g.values, map[string][]float64{})
	}
	err := csv.Read(file, func(s *csv.Sheet) error {
		for _, name := range append(slices.Clone(columns), by) {
			if s.Column(name) < 0 {
				return s.NoColumn(name)
			}
		}
		return where.Check(s)
	}, func(row csv.Row) error {
		holds, err := where.Hold(row)
		if err != nil || !holds {
			return err
		}
		name := row.At(row.Of.Column(by))
		if !slices.Contains(g.names, name) {
			g.names = append(g.names, name)
		}
		for i, column := range columns {
			place := row.Of.Column(column)
			if row.At(place) == "" && skipEmpty {
				continue
			}
			v, err := row.Decimal(place)
			if err != nil {
				return err
			}
			g.values[i][name] = append(g.values[i][name], v)
		}
		return nil
	})
	return g, err
}

func newRankSum(column string, a, b []float64) RankSum {
	r := RankSum{Column: column, NA: len(a), NB: len(b)}
	test, err := linear.RankSum(a, b, binomial.TwoSided)
	if err != nil {
		r.Why = err.Error()
		return r
	}
	r.MeanA, r.MeanB = format.Finite(stat.Mean(a, nil)), format.Finite(stat.Mean(b, nil))
	r.W, r.U, r.P, r.Method = &test.W, &test.U, &test.Test.P, test.Test.Method
	return r
}

// Print writes the tests as a table for a terminal.
func (r *RankSums) Print(w io.Writer, in i18n.Language) {
	fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "by %s: %s against %s", format.Name(r.By), format.Name(r.A), format.Name(r.B)))
	heads := append(i18n.Heads(in, "column", "rows", "means"), "W", "U") // W and U are the usual names of the statistics
	t := format.Table(append(append(heads, i18n.Heads(in, "p", "p by Holm")...), "")...)
	for _, x := range r.Tests {
		t.AppendRow(table.Row{
			format.Name(x.Column), fmt.Sprintf("%d, %d", x.NA, x.NB),
			format.Or(x.MeanA, format.Figure) + ", " + format.Or(x.MeanB, format.Figure),
			format.Or(x.W, format.Figure), format.Or(x.U, format.Figure), format.Or(x.P, format.PValue),
			format.Or(x.PHolm, format.PValue),
			x.how().In(in),
		})
	}
	format.Render(w, t)
}

// how returns the method of the p value as text, or the reason why the p value is missing.
func (r *RankSum) how() i18n.Message {
	switch r.Method {
	case "rank_sum_exact":
		return i18n.Of("exact")
	case "rank_sum_normal":
		return i18n.Of("normal")
	}
	return i18n.Verbatim(strings.ReplaceAll(strings.TrimPrefix(r.Method, "rank_sum_"), "_", " ") + r.Why)
}

// Difference is the result that "gogi-lab stats lab rmse --json" prints: how far predicted values are from actual
// values.
type Difference struct {
	Version   int     `json:"version"`
	Predicted string  `json:"predicted"` // name of the column of predictions
	Actual    string  `json:"actual"`    // name of the column of true values
	N         int     `json:"n"`
	RMSE      float64 `json:"rmse"` // in the unit of the columns
	Bias      float64 `json:"bias"` // mean of predicted minus actual values
}

// Compare returns how far a column of predicted values differs from a column of actual values in a CSV file.
// where selects the rows to use. skipEmpty leaves out rows with an empty cell. Compare returns an error if no
// row is usable.
func Compare(file, predicted, actual string, where Conditions, skipEmpty bool) (*Difference, error) {
	t, err := read(file, where, skipEmpty, []string{predicted, actual})
	if err != nil {
		return nil, err
	}
	rows := t.full([]int{0, 1})
	p, a := t.picked(0, rows), t.picked(1, rows)
	d := &Difference{Version: 1, Predicted: p.Name, Actual: a.Name, N: len(rows)}
	if d.RMSE, err = linear.RMSE(p.Values, a.Values); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d.Bias = stat.Mean(p.Values, nil) - stat.Mean(a.Values, nil)
	return d, nil
}

// Print writes the differences as text for a terminal.
func (d *Difference) Print(w io.Writer, in i18n.Language) {
	of := i18n.Of("of %s", i18n.Number{N: d.N, Noun: "row"}).In(in)
	fmt.Fprintf(w, "%s   %s   %s\n%s   %s   %s\n", i18n.Say(in, "RMSE"), format.Figure(d.RMSE), of,
		i18n.Say(in, "bias"), format.Signed(d.Bias), i18n.Say(in, "predicted less actual"))
}
