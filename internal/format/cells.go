package format

import (
	"slices"
	"strconv"
	"strings"
)

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
