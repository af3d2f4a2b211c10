package farmcmd

import (
	"bufio"
	"io"

	"gogi/internal/format"
	"gogi/internal/sanitize"
)

// printRows prints a table. It removes control characters from the cells, because other people wrote them.
func printRows(w io.Writer, t *format.Columns, rows [][]string) error {
	for _, row := range rows {
		for i := range row {
			row[i] = sanitize.Printable(row[i], 200)
		}
		t.Widen(row)
	}
	out := bufio.NewWriter(w)
	t.Head(out)
	for _, row := range rows {
		t.Row(out, row)
	}
	return out.Flush()
}
