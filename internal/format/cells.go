package format

import (
	"slices"
	"strconv"
	"strings"
)

// Cells returns the cells of a row of CSV such that no spreadsheet takes a text for a formula:
// one that begins with = + - @, a tab or a carriage return gets a ' before it. Numbers stay.
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
