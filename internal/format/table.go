package format

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/lists"
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

// Columns writes a table row by row, in the style of Table. It is for tables whose rows do not fit into
// memory. The caller passes all rows twice: first to Widen, then to Row.
type Columns struct {
	header []string
	widths []int
	right  []int // columns that are aligned to the right, from 0
}

const columnGap = "   "

// NewColumns returns a table with the given header. right lists the columns, from 0, that are aligned to the
// right.
func NewColumns(header []string, right ...int) *Columns {
	c := &Columns{header: header, widths: make([]int, len(header)), right: right}
	c.Widen(header)
	return c
}

// Widen makes the columns at least as wide as the cells of a row.
func (c *Columns) Widen(cells []string) {
	for i, cell := range cells {
		c.widths[i] = max(c.widths[i], text.StringWidthWithoutEscSequences(sanitize.Escape(cell)))
	}
}

// Head writes the header and a line below it.
func (c *Columns) Head(w *bufio.Writer) {
	c.Row(w, c.header)
	width := lists.Sum(c.widths, func(n int) int { return n + len(columnGap) })
	_, _ = w.WriteString(strings.Repeat("─", width) + "\n") // Flush returns the error
}

// Row writes a row. Call Widen with all rows before the first Row. If a write fails, Flush of w returns the
// error.
func (c *Columns) Row(w *bufio.Writer, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		cell = sanitize.Escape(cell)
		pad := strings.Repeat(" ", max(0, c.widths[i]-text.StringWidthWithoutEscSequences(cell)))
		if slices.Contains(c.right, i) {
			line.WriteString(pad + cell + columnGap)
		} else {
			line.WriteString(cell + pad + columnGap)
		}
	}
	_, _ = w.WriteString(strings.TrimRight(line.String(), " ") + "\n") // as above
}

// Cells returns the cells of a CSV row in a form that no spreadsheet reads as a formula. If a cell begins
// with = + - @, a tab or a carriage return, Cells puts a ' before it. It does not change numbers.
func Cells(row []string) []string {
	row = slices.Clone(row)
	for i, cell := range row {
		if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			continue
		}
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			row[i] = "'" + cell
		}
	}
	return row
}
