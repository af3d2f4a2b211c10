package main

import (
	"strings"
	"testing"
)

// TestRegressSaysWhy: whatever is null has a why, for tables short and strange.
func TestRegressSaysWhy(t *testing.T) {
	t.Parallel()
	for _, rows := range []string{
		"1,1\n2,2\n", "1,1\n2,2\n3,3\n", "1,1\n2,1\n2,3\n", "1,5\n1,6\n1,7\n", "1,1\n", "1e308,1\n-1e308,2\n1e308,3\n5,4\n",
		"1,1\n2,1\n5,1\n7,2\n", "1e-300,1\n2e-300,2\n4e-300,3\n",
	} {
		out, errs, code := verb(t, "regress", "--json", written(t, "table.csv", "y,x\n"+rows), "--y", "y", "--x", "x")
		if code != 0 {
			t.Logf("%q: %s", rows, errs)
			continue
		}
		checkGaps(t, out)
	}
}

// TestRegressHostile: hostile files are errors with a place.
func TestRegressHostile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"y,x\n1,1\n1,1e999\n":           `table.csv:3, column x: found "1e999"`,
		"\ufeffy;x\r\n1;2\r\n":          `table.csv:1: no column "y"`,
		"y,x\n1,2,3\n":                  "table.csv:2: the row has 3 cells, expected 2",
		"y,x\n\n\"1\n\",\"2,5\"\n":      `column x: found "2,5"`,
		"y,x,x\n1,2,3\n":                `table.csv:1, column 3: "x" is there twice`,
		"y,x\n1,Inf\n":                  `column x: found "Inf"`,
		"\x00\x00\xff\xfe,\x1b[2J\n1,2": "table.csv:1: no column",
	} {
		_, errs, code := verb(t, "regress", written(t, "table.csv", text), "--y", "y", "--x", "x")
		if code != exitFailed || !strings.Contains(errs, want) || strings.Contains(errs, "\x1b") {
			t.Errorf("%q: code %d, %q, want %q", text, code, errs, want)
		}
	}
}
