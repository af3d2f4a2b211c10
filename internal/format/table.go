package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/sanitize"
)

// RightAligned returns the configuration that aligns the columns first to last to the right. Columns count
// from 1.
func RightAligned(first, last int) []table.ColumnConfig {
	var columns []table.ColumnConfig
	for i := first; i <= last; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return columns
}

// printable is a table that shows text from other sources, such as names, on a single line.
type printable struct{ table.Writer }

// AppendRow escapes the text of a row, and appends the row.
func (t *printable) AppendRow(row table.Row, config ...table.RowConfig) {
	shown := slices.Clone(row)
	for i, cell := range shown {
		if text, ok := cell.(string); ok {
			shown[i] = sanitize.Escape(text)
		}
	}
	t.Writer.AppendRow(shown, config...)
}

// AppendRows appends rows whose text is escaped.
func (t *printable) AppendRows(rows []table.Row, config ...table.RowConfig) {
	for _, row := range rows {
		t.AppendRow(row, config...)
	}
}

// Table returns a table without frames. The columns from the second on are aligned to the right. Text in rows
// is escaped (sanitize.Escape).
func Table(header ...any) table.Writer {
	t := &printable{table.NewWriter()}
	t.AppendHeader(header)
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Box.MiddleHorizontal = "─"
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "   "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SetColumnConfigs(RightAligned(2, len(header)))
	return t
}

// Render writes a table without the blanks at the ends of its lines.
func Render(w io.Writer, t table.Writer) {
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintln(w)
}
