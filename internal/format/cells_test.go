package format_test

import (
	"slices"
	"testing"

	"gogi/internal/format"
)

// TestCells: texts are no formulas, and numbers stay numbers.
func TestCells(t *testing.T) {
	row := []string{"", "a", "=1+1", "+1+cmd|x", "-2+3", "@SUM(1)", "\t=1", "\r=1", "-203.7", "+3", "-1e-9", "-Inf", "a=b", "総当り"}
	want := []string{"", "a", "'=1+1", "'+1+cmd|x", "'-2+3", "'@SUM(1)", "'\t=1", "'\r=1", "-203.7", "+3", "-1e-9", "-Inf", "a=b", "総当り"}
	if got := format.Cells(row); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if row[2] != "=1+1" {
		t.Error("the row itself is changed")
	}
}
