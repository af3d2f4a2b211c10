package format

import (
	"slices"
	"strconv"
	"strings"
)

// Cells returns the cells of a row of CSV in a form that no spreadsheet reads as a formula. A cell that
// begins with = + - @, a tab or a carriage return gets a ' before it. Numbers stay.
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
