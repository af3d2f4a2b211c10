package testutil

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

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
