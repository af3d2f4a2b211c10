package results_test

import (
	"errors"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestGamesToUpgrade: three pairs are six games. Open verifies them only in a file of an older schema, and only once.
func TestGamesToUpgrade(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("run"))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 30), matchtest.Pair(run.Plan(), 1, 30),
		matchtest.Pair(run.Plan(), 2, 30))
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	games := func(path string) int { return testutil.Must(results.GamesToUpgrade(t.Context(), path))(t) }
	testutil.Equal(t, games(s.Path()), 0, "games of a current file")
	testutil.Equal(t, games(filepath.Join(t.TempDir(), "none.db")), 0, "games of no file")
	older := resultstest.Older(t, s.Path(), 3)
	testutil.Equal(t, games(older), 6, "games of an older file")
	testutil.OK(t, resultstest.Open(t, older).Close())
	testutil.Equal(t, games(older), 0, "games after the upgrade")
}
