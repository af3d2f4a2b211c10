package results_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// A copy is of one moment, taken while the run is played.
func TestBackup(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 20), matchtest.Pair(run.Plan(), 1, 20))
	want := resultstest.Dump(t, s, "r", false)
	reader := testutil.Must(results.OpenExisting(t.Context(), s.Path()))(t)
	to := filepath.Join(t.TempDir(), "copy.db")
	testutil.OK(t, reader.Backup(t.Context(), to))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 2, 20)) // the run goes on
	if err := reader.Backup(t.Context(), to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a database: %v", err)
	}
	testutil.OK(t, reader.Close())
	copied := resultstest.Open(t, to)
	testutil.Equal(t, resultstest.Dump(t, copied, "r", false), want)
	again := resultstest.Begin(t, copied, matchtest.Plan("r")) // it is a database like any other
	matchtest.Put(t, again, matchtest.Pair(run.Plan(), 2, 20))
	var mode string
	if err := copied.Queries().QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %s, %v", mode, err)
	}
}
