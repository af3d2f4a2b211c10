package format_test

import (
	"testing"

	"gogi/internal/format"
	"gogi/internal/testutil"
)

// TestCells: a text cannot become a formula, and a number stays a number.
func TestCells(t *testing.T) {
	row := []string{"", "a", "=1+1", "+1+cmd|x", "-2+3", "@SUM(1)", "\t=1", "\r=1", "-203.7", "+3", "-1e-9", "-Inf", "a=b",
		"総当り"}
	want := []string{"", "a", "'=1+1", "'+1+cmd|x", "'-2+3", "'@SUM(1)", "'\t=1", "'\r=1", "-203.7", "+3", "-1e-9", "-Inf",
		"a=b", "総当り"}
	testutil.Slices(t, format.Cells(row), want)
	testutil.Equal(t, row[2], "=1+1", "the row itself is changed")
}
