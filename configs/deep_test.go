package configs

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// What 24 kB cost the library 4 GB and 18 s is refused before it.
func TestParseRefusesDeepTables(t *testing.T) {
	_, err := Parse([]byte("games = 2\na = "+strings.Repeat("{a=", 6000)+"1"+strings.Repeat("}", 6000)), "m.toml")
	if err == nil || err.Error() != "m.toml:2: lists and tables are nested too deeply: expected at most 200 within each other" {
		t.Errorf("%v", err)
	}
}

func TestParseShowsTheFirstErrors(t *testing.T) {
	_, err := Parse([]byte(strings.Repeat("\n", 4)+strings.Repeat("[[engine]]\nqqqqqqqq = 1\n", 30)), "m.toml")
	testutil.Require(t, err != nil, "no error")
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "m.toml:6: unknown key") || !strings.HasPrefix(lines[19], "m.toml:44: unknown key") ||
		lines[20] != "m.toml: 10 more errors are not shown" {
		t.Errorf("%d lines: %v", len(lines), err)
	}
}

// The line of a table that only another's header names.
func TestAnImpliedTableHasALine(t *testing.T) {
	_, err := Parse([]byte("games = 2\n[wrongs.inner]\n"), "m.toml")
	testutil.Check(t, err != nil && strings.HasPrefix(err.Error(), `m.toml:2: unknown key "wrongs"`), "%v", err)
}
