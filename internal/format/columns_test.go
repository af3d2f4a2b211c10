package format

import (
	"bufio"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// TestColumnsAreATable: rows that are written one by one look like the rows of a Table.
func TestColumnsAreATable(t *testing.T) {
	header := []string{"game", "plies", "note"}
	rows := [][]string{{"1.0", "7", "将棋"}, {"100.1", "12345678", ""}, {"", "1", "a note"}}
	whole := Table("game", "plies", "note")
	whole.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	columns := NewColumns(header, 1)
	for _, r := range rows {
		whole.AppendRow(table.Row{r[0], r[1], r[2]})
		columns.Widen(r)
	}
	var want, got strings.Builder
	Render(&want, whole)
	w := bufio.NewWriter(&got)
	columns.Head(w)
	for _, r := range rows {
		columns.Row(w, r)
	}
	if err := w.Flush(); err != nil || got.String()+"\n" != want.String() {
		t.Errorf("%v:\n%s\nwant\n%s", err, got.String(), want.String())
	}
}
