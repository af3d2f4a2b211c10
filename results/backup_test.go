package results_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"gogi/internal/fakepairs"
	"gogi/results"
	"gogi/results/resultstest"
)

// A copy is of one moment, taken while the run is played.
func TestBackup(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, fakepairs.Plan("r"))
	fakepairs.Put(t, run, fakepairs.Pair(run.Plan(), 0, 20), fakepairs.Pair(run.Plan(), 1, 20))
	want := resultstest.Dump(t, s, "r", false)
	reader, err := results.OpenExisting(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := reader.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	fakepairs.Put(t, run, fakepairs.Pair(run.Plan(), 2, 20)) // the run goes on
	if err := reader.Backup(t.Context(), to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a database: %v", err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	copied := resultstest.Open(t, to)
	if got := resultstest.Dump(t, copied, "r", false); got != want {
		t.Errorf("%s", got)
	}
	again := resultstest.Begin(t, copied, fakepairs.Plan("r")) // it is a database like any other
	fakepairs.Put(t, again, fakepairs.Pair(run.Plan(), 2, 20))
	var mode string
	if err := copied.Queries().QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %s, %v", mode, err)
	}
}
