package position

import (
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// Each shape at its limit passes on to the library, and one more is refused at its line.
func TestShapeIsBounded(t *testing.T) {
	const (
		deep  = "3: lists and tables are nested too deeply: expected at most 16 within each other"
		parts = "3: a key has too many parts: expected at most 16"
		long  = "3: a key has 257 bytes: expected at most 256"
	)
	for _, test := range []struct {
		name, want string
		text       func(n int) string // n: one below the limit, at it, above it
		limit      int
	}{
		{"lists", deep, func(n int) string { return "a = " + strings.Repeat("[", n) + strings.Repeat("]", n) }, 16},
		{"lists never closed", deep, func(n int) string { return "a = " + strings.Repeat("[", n) }, 16},
		{"tables", deep, func(n int) string { return "a = " + strings.Repeat("{a=", n) + "1" + strings.Repeat("}", n) }, 16},
		{"tables in lists", deep, func(n int) string { return "a = " + strings.Repeat("[", n-8) + strings.Repeat("{a=", 8) }, 16},
		{"a dotted key", parts, func(n int) string { return "a" + strings.Repeat(".a", n-1) + " = 1" }, 16},
		{"a dotted key in a table", parts, func(n int) string { return "x = {b = 1, a" + strings.Repeat(" . 'a'", n-1) + " = 1}" }, 16},
		{"a header", parts, func(n int) string { return "  [a" + strings.Repeat(".a", n-1) + "]" }, 16},
		{"a header of a list", parts, func(n int) string { return "[[a" + strings.Repeat(".a", n-1) + "]]" }, 16},
		{"a long key", long, func(n int) string { return strings.Repeat("a", n) + "= 1" }, 256},
		{"a long quoted key", long, func(n int) string { return `"` + strings.Repeat("]", n-2) + `"= 1` }, 256},
		{"a long header", long, func(n int) string { return "[" + strings.Repeat("a", n) + "]" }, 256},
	} {
		for _, n := range []int{test.limit - 1, test.limit, test.limit + 1} {
			got := ""
			if line, err := CheckShape("# [[[[[[[[[[[[[[[[[[[[[[[[[[\nb = 1.5\n" + test.text(n) + "\n"); err != nil {
				got = fmt.Sprintf("%d: %v", line, err)
			}
			want := test.want
			if n <= test.limit {
				want = ""
			}
			testutil.Equal(t, got, want, "%s, %d", test.name, n)
		}
	}
}

// Brackets and dots of strings and comments, and what stands side by side, count nothing.
func TestShapeOfOrdinaryTextPasses(t *testing.T) {
	brackets, dots := strings.Repeat("[{", 50), strings.Repeat(".a", 300)
	for _, text := range []string{
		"a = \"" + brackets + "\\\"" + brackets + "\"",
		"a = '" + brackets + dots + "'",
		"a = \"\"\"\n" + brackets + "\"" + brackets + "\n\"\"\"",
		"a = '''\n" + brackets + "'" + dots + "'''",
		"a = 1 # " + brackets,
		"a = [ # " + brackets + "\n'" + strings.Repeat("x", 300) + "']",
		"a = [\n'" + strings.Repeat("x", 300) + "', # " + brackets + "\n]",
		"a = [" + strings.Repeat("1.5, ", 300) + "]",
		"a = [" + strings.Repeat("[1], ", 300) + "]",
		strings.Repeat("[a]\n", 300),
		strings.Repeat("a.b.c = 1.5\n", 300),
		"a = ['x']\n" + strings.Repeat("x = 1\n", 300),
		"a = '" + strings.Repeat("x", 300) + "'\n[b]",
	} {
		if _, err := CheckShape(text); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}
