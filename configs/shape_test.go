package configs

import (
	"strings"
	"testing"
)

// Each shape at its limit passes on to the library, and one more is refused at its line.
func TestShapeIsBounded(t *testing.T) {
	const (
		deep  = "m:3: lists and tables are nested too deeply: expected at most 16 within each other"
		parts = "m:3: a key has too many parts: expected at most 16"
		long  = "m:3: a key has 257 bytes: expected at most 256"
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
			if err := checkShape("# [[[[[[[[[[[[[[[[[[[[[[[[[[\nb = 1.5\n"+test.text(n)+"\n", "m"); err != nil {
				got = err.Error()
			}
			want := test.want
			if n <= test.limit {
				want = ""
			}
			if got != want {
				t.Errorf("%s, %d: %q, want %q", test.name, n, got, want)
			}
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
		if err := checkShape(text, "m"); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// What 24 kB cost the library 4 GB and 18 s is refused before it.
func TestParseRefusesDeepTables(t *testing.T) {
	_, err := Parse([]byte("games = 2\na = "+strings.Repeat("{a=", 6000)+"1"+strings.Repeat("}", 6000)), "m.toml")
	if err == nil || err.Error() != "m.toml:2: lists and tables are nested too deeply: expected at most 16 within each other" {
		t.Errorf("%v", err)
	}
}

func TestParseShowsTheFirstErrors(t *testing.T) {
	_, err := Parse([]byte(strings.Repeat("\n", 4)+strings.Repeat("[[engine]]\nqqqqqqqq = 1\n", 30)), "m.toml")
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "m.toml:6: unknown key") || !strings.HasPrefix(lines[19], "m.toml:44: unknown key") ||
		lines[20] != "m.toml: 10 more errors are not shown" {
		t.Errorf("%d lines: %v", len(lines), err)
	}
}

// The line of a table that only another's header names.
func TestAnImpliedTableHasALine(t *testing.T) {
	_, err := Parse([]byte("games = 2\n[wrongs.inner]\n"), "m.toml")
	if err == nil || !strings.HasPrefix(err.Error(), `m.toml:2: unknown key "wrongs"`) {
		t.Errorf("%v", err)
	}
}
