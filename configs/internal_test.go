package configs

import (
	"reflect"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// The starter file shows every key, except those of a tuning file.
func TestTemplateHasEveryKey(t *testing.T) {
	text := string(Template())
	var f File
	for _, key := range allKeys(&f) {
		if key == "tune" || key == "param" { // keys of a tuning file, which gogi tune init writes
			continue
		}
		if !strings.Contains(text, "\n"+key+" ") && !strings.Contains(text, "\n# "+key+" ") &&
			!strings.Contains(text, "\n["+key+"]") && !strings.Contains(text, "\n# ["+key+"]") &&
			!strings.Contains(text, "\n[["+key+"]]") &&
			!strings.Contains(text, "\n# [["+key+"]]") {
			t.Errorf("the key %s is not in the starter file", key)
		}
	}
}

func allKeys(f *File) []string {
	f.Rules, f.Openings, f.Limits, f.ByColour = &Rules{}, &Openings{}, &Limits{}, &ByColour{}
	var keys []string
	for _, table := range []any{f, f.Rules, f.Openings, f.Limits, f.ByColour, &Engine{}, &Council{}} {
		for _, field := range fields(reflect.ValueOf(table).Elem()) {
			keys = append(keys, field.key)
		}
	}
	return keys
}

// The starter file for training data shows every key of its table.
func TestSelfplayTemplateHasEveryKey(t *testing.T) {
	text := string(SelfplayTemplate())
	for _, field := range fields(reflect.ValueOf(&Selfplay{}).Elem()) {
		testutil.Check(t, strings.Contains(text, "\n"+field.key+" ") || strings.Contains(text, "\n# "+field.key+" "),
			"the key %s is not in the file", field.key)
	}
}

// Parse rejects deep tables before it calls the library, in which 24 kB of them take 4 GB and 18 s.
func TestParseRefusesDeepTables(t *testing.T) {
	_, err := Parse([]byte("games = 2\na = "+strings.Repeat("{a=", 6000)+"1"+strings.Repeat("}", 6000)), "m.toml")
	testutil.Check(t, err != nil &&
		err.Error() == "m.toml:2: lists and tables are nested too deeply: expected at most 200 within each other",
		"%v", err)
}

func TestParseShowsTheFirstErrors(t *testing.T) {
	_, err := Parse([]byte(strings.Repeat("\n", 4)+strings.Repeat("[[engine]]\nqqqqqqqq = 1\n", 30)), "m.toml")
	testutil.Require(t, err != nil, "no error")
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "m.toml:6: unknown key") ||
		!strings.HasPrefix(lines[19], "m.toml:44: unknown key") ||
		lines[20] != "m.toml: 10 more errors are not shown" {
		t.Errorf("%d lines: %v", len(lines), err)
	}
}

// If only the header of an inner table names a table, the error shows the line of this header.
func TestAnImpliedTableHasALine(t *testing.T) {
	_, err := Parse([]byte("games = 2\n[wrongs.inner]\n"), "m.toml")
	testutil.Check(t, err != nil && strings.HasPrefix(err.Error(), `m.toml:2: unknown key "wrongs"`), "%v", err)
}
