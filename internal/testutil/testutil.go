// Package testutil waits for events in tests, checks values, and chooses the length of tests.
//
// Use [Eventually] in tests that cannot wait for a channel, a pipe or the time of synctest. Such tests wait
// for a file of another process, for the end of a process, or for a page.
//
// Tests are short in make test. They are long with the flag -long (make test-long, which make nightly also
// runs). With -figures (make figures) they calculate the numbers that the documentation quotes. A test binary
// has these flags only if one of its tests imports this package. The Makefile lists the tests that have a
// long form, and a test of the root package checks the list.
package testutil

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var (
	asked   = flag.Bool("long", false, "play the tests that are heavy in full")
	figures = flag.Bool("figures", false, "simulate and play as much as the documentation quotes")
)

// Long reports whether long tests must run in full, which is so with -long and with -figures.
func Long() bool { return *asked || *figures }

// Figures reports whether tests must calculate the numbers that the documentation quotes.
func Figures() bool { return *figures }

// OnlyLong skips a test in short runs. why is the reason in the message: another test that make test runs instead,
// or something that the test needs.
func OnlyLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("played with -long: %s", why)
	}
}

// ByLength returns short in a short test run, and full in a long one.
func ByLength[T any](short, full T) T {
	if Long() {
		return full
	}
	return short
}

// CSV reads a CSV file from testdata. It returns one map for each row. The keys are the names in the first
// line.
func CSV(tb testing.TB, name string) []map[string]string {
	tb.Helper()
	file := Must(os.Open(filepath.Join("testdata", name)))(tb)
	defer func() { _ = file.Close() }()
	records := Must(csv.NewReader(file).ReadAll())(tb)
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, key := range records[0] {
			row[key] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// JSONGaps returns the places at which a JSON text breaks a rule of gogi's reports. The rule is that an
// object with a null value must also have a key "why" with the reason.
func JSONGaps(text string) ([]string, error) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return gaps(v, ""), nil
}

func gaps(v any, at string) []string {
	var found []string
	switch v := v.(type) {
	case map[string]any:
		null := ""
		for key, value := range v {
			if value == nil {
				null = key
			}
			found = append(found, gaps(value, at+"."+key)...)
		}
		if why, _ := v["why"].(string); null != "" && why == "" {
			found = append(found, at+"."+null)
		}
	case []any:
		for i, value := range v {
			found = append(found, gaps(value, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	return found
}
