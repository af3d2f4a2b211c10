package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// RightAligned aligns the columns first to last, counted from 1, to the right.
func RightAligned(first, last int) []table.ColumnConfig {
	var columns []table.ColumnConfig
	for i := first; i <= last; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return columns
}

// Table is a table without frames; the columns from the second on are
// aligned to the right.
func Table(header ...any) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(header)
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Box.MiddleHorizontal = "─"
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "   "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	var columns []table.ColumnConfig
	for i := 2; i <= len(header); i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

// Render prints a table without the blanks that pad its last column.
func Render(w io.Writer, t table.Writer) {
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintln(w)
}
