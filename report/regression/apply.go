package regression

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/stats/regress"
)

// Applied is the result of applying an equation to the rows of another file.
type Applied struct {
	File  string      `json:"file"`
	Level float64     `json:"level"` // level of the intervals.
	Rows  []Predicted `json:"rows"`
	RMSE  *float64    `json:"rmse"` // root-mean-square error, if the file also has the column y
	Why   string      `json:"why,omitempty"`
}

// Predicted is one row of the other file: the equation's value, the prediction interval of the row, and the
// file's value of y.
type Predicted struct {
	Line  int      `json:"line"` // line of the file
	Value float64  `json:"value"`
	Lo    *float64 `json:"lo"`
	Hi    *float64 `json:"hi"`
	Truth *float64 `json:"truth,omitempty"`
	Why   string   `json:"why,omitempty"`
}

// apply predicts y for every row of a file that has the columns x.
func (r *Report) apply(file string, x []string, level float64) error {
	t, err := read(file, nil, false, x, r.Y)
	if err != nil {
		return err
	}
	a := &Applied{File: file, Level: level, Rows: []Predicted{}}
	truth := t.column(r.Y)
	var predicted, actual []float64
	for row, line := range t.lines {
		var values []float64
		for _, name := range x {
			values = append(values, t.columns[t.column(name)][row])
		}
		q, err := r.fit.PredictInterval(level, values...)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
		p := Predicted{Line: line, Value: q.Value, Lo: format.Finite(q.Lo), Hi: format.Finite(q.Hi)}
		if p.Lo == nil || p.Hi == nil {
			p.Why = "the rows do not determine the error"
		}
		if truth >= 0 {
			p.Truth = &t.columns[truth][row]
			predicted, actual = append(predicted, q.Value), append(actual, *p.Truth)
		}
		a.Rows = append(a.Rows, p)
	}
	a.Why = "the file does not have " + r.Y
	if truth >= 0 {
		a.Why = "the file has no row"
	}
	if v, err := regress.RMSE(predicted, actual); err == nil {
		a.RMSE, a.Why = &v, ""
	}
	r.Applied = a
	return nil
}

func (a *Applied) print(w io.Writer) {
	if a == nil {
		return
	}
	fmt.Fprintf(w, "\napplied to %s\n", sanitize.Printable(a.File, 100))
	t := format.Table("line", "predicted", format.PercentShort(a.Level)+" of new rows", "truth")
	for _, p := range a.Rows {
		t.AppendRow(table.Row{
			p.Line, format.Figure(p.Value), fmt.Sprintf("[%s, %s]", format.Or(p.Lo, format.Signed), format.Or(p.Hi, format.Signed)), format.Or(p.Truth, format.Signed),
		})
	}
	format.Render(w, t)
	if a.RMSE != nil {
		fmt.Fprintf(w, "error (RMSE) %s\n", format.Figure(*a.RMSE))
	}
}
