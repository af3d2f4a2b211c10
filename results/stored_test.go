package results_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// namesCheck fails unless an error is that of a damaged database, and names gogi db check.
func namesCheck(t *testing.T, what string, err error) {
	t.Helper()
	testutil.Check(t, err != nil && strings.Contains(err.Error(), "the database is damaged") &&
		strings.Contains(err.Error(), "gogi db check"),
		"%s: %v", what, err)
}

// lost returns statements that delete rows as damage does: without a trigger.
func lost() map[string]string {
	gone := func(trigger, table, where string) string {
		return "DROP TRIGGER stored_" + trigger + "_removed; DELETE FROM " + table + " WHERE " + where
	}
	return map[string]string{
		"a pair":          gone("pair", "pairs", "pair = 2"),
		"the last pair":   gone("pair", "pairs", "pair = 3"),
		"a game":          "DELETE FROM games WHERE pair = 1 AND leg = 1",
		"an opening":      "DELETE FROM openings WHERE id = 1",
		"a record":        "DELETE FROM records WHERE game_id = 3",
		"a setting":       gone("setting", "settings_log", "id = 1"),
		"a player":        gone("engine", "engines", "idx = 1"),
		"an attempt":      gone("attempt", "attempts", "pair = 1"),
		"a count":         "DELETE FROM stored WHERE part = -1",
		"the pairs' bits": "DELETE FROM stored WHERE part = 0",
		"a wrong count":   "UPDATE stored SET value = value - 1 WHERE part = -1",
		"a wrong bit":     "UPDATE stored SET value = value & ~2 WHERE part = 0",
		"the name of a run": "UPDATE runs SET name = 'q', checksum = NULL WHERE name = 'another'; " +
			gone("run", "runs", "name = 'q'") + "; DELETE FROM stored WHERE run_id = 2",
	}
}

// TestLostRows: readers of a run, and a process that resumes it, report a lost row.
func TestLostRows(t *testing.T) {
	for what, statement := range lost() {
		path := resultstest.Filled(t, "a.db", []int{0, 1, 2, 3}, nil)
		s := resultstest.Open(t, path)
		another := resultstest.Begin(t, s, matchtest.Plan("another"))
		testutil.OK(t, errors.Join(another.Close(), s.Close()))
		resultstest.Exec(t, path, statement)
		s = resultstest.Existing(t, path)
		namesCheck(t, what+", dumped", dump.Write(t.Context(), s, io.Discard, "r", false))
		namesCheck(t, what+", copied", s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")))
		if what == "a record" || what == "an opening" {
			continue // the first report finds it
		}
		run, err := begun(t.Context(), path)
		if err == nil {
			_, err = run.Finished(t.Context())
		}
		if what != "a setting" && what != "a player" && what != "an attempt" && what != "the name of a run" {
			namesCheck(t, what+", resumed", err)
		}
	}
}

// TestRunLostByItsName: a stored run whose name cannot be found is neither missing nor created again. The error reports
// damage.
func TestRunLostByItsName(t *testing.T) {
	path := resultstest.Filled(t, "a.db", []int{0, 1}, nil)
	// The index of the names points to another index, as after a flipped bit.
	resultstest.Exec(t, path,
		"PRAGMA writable_schema=on; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_workers_1') WHERE name = 'sqlite_autoindex_runs_1'")
	s := resultstest.Existing(t, path)
	namesCheck(t, "found", testutil.Err(s.FindRun(t.Context(), "r")))
	_, err := begun(t.Context(), path)
	namesCheck(t, "begun", err)
}

// begun resumes a run. It is never closed.
func begun(ctx context.Context, path string) (*results.Run, error) {
	s, err := results.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return s.Begin(ctx, matchtest.Plan("r"))
}

// TestLostPairIsPlayedAgain: a pair that cannot be found in its place cannot be stored again. The error reports that
// the database is damaged.
func TestLostPairIsPlayedAgain(t *testing.T) {
	path := resultstest.Filled(t, "a.db", []int{0, 1, 2}, nil)
	resultstest.Exec(t, path,
		"DROP TRIGGER stored_pair_removed; PRAGMA foreign_keys=off; DELETE FROM pairs WHERE pair = 1")
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	_, err := run.Add(t.Context(), matchtest.Pair(run.Plan(), 1, 20))
	namesCheck(t, "played again", err)
}

// TestCountsOfEveryWriter: voided, repeated and copied pairs are counted correctly, in a run with pairs far apart.
func TestCountsOfEveryWriter(t *testing.T) {
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	plan.Pairs = 1000
	run := resultstest.Begin(t, s, plan)
	for _, id := range []int{0, 63, 64, 127, 999} {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 4))
	}
	if n, err := run.Void(t.Context(), "why", "me",
		func(g match.Row) bool { return g.Pair == 63 || g.Pair == 999 }); len(n) != 2 || err != nil {
		t.Fatal(n, err)
	}
	matchtest.Put(t, run, matchtest.Pair(plan, 63, 6))
	matchtest.Put(t, run, matchtest.Pair(plan, 128, 6))
	if added, err := run.Add(t.Context(), matchtest.Pair(plan, 128, 6)); added || err != nil {
		t.Fatal(added, err)
	}
	finished, err := run.Finished(t.Context())
	testutil.Check(t, err == nil && len(finished) == 5 && finished[63] && finished[128] && !finished[999], "%v, %v",
		finished, err)
	games := resultstest.Games(t, s, run.ID())
	testutil.Check(t, len(games) == 10, "%d games", len(games))
	to := filepath.Join(t.TempDir(), "copy.db")
	testutil.OK(t, s.Backup(t.Context(), to))
}

// TestCountOfAnOlderDatabase: a migration counts the rows of an older database, and fails if a row is missing.
func TestCountOfAnOlderDatabase(t *testing.T) {
	whole := resultstest.Filled(t, "a.db", []int{0, 1, 2, 70}, nil)
	older := resultstest.Older(t, whole, 8)
	run := testutil.Must(begun(t.Context(), older))(t)
	if finished, err := run.Finished(t.Context()); err != nil || len(finished) != 4 {
		t.Errorf("%v, %v", finished, err)
	}
	testutil.OK(t, run.Close())
	for _, statement := range []string{
		"DELETE FROM games WHERE pair = 70 AND leg = 0", "PRAGMA foreign_keys=off; DELETE FROM pairs WHERE pair = 1",
		"PRAGMA foreign_keys=off; DELETE FROM openings WHERE id = 2", "DELETE FROM records WHERE game_id = 2",
	} {
		older := resultstest.Older(t, whole, 8)
		resultstest.Exec(t, older, statement)
		before, err := os.ReadFile(older)
		testutil.OK(t, err)
		s := resultstest.Existing(t, older)
		namesCheck(t, statement+", read", dump.Write(t.Context(), s, io.Discard, "r", false))
		_, err = begun(t.Context(), older)
		namesCheck(t, statement+", written", err)
		if after, err := os.ReadFile(older); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file was changed, %v", statement, err)
		}
	}
}

// TestDeletedUnderARun: a run ends if its file was deleted or replaced, because its data would be lost.
func TestDeletedUnderARun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody deletes an open file there")
	}
	for _, replaced := range []bool{false, true} {
		path := resultstest.Path(t)
		s := resultstest.Open(t, path)
		run := resultstest.Begin(t, s, matchtest.Plan("r"))
		matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 10))
		testutil.OK(t, os.Rename(path, path+".old"))
		if replaced {
			testutil.OK(t, os.WriteFile(path, nil, 0o600))
		}
		added, err := run.Add(t.Context(), matchtest.Pair(run.Plan(), 1, 10))
		if added || err == nil || !strings.Contains(err.Error(), "deleted, moved or replaced") ||
			!strings.Contains(err.Error(), "gogi.db") {
			t.Errorf("replaced %t: added %t, %v", replaced, added, err)
		}
	}
}

// TestExpectedPairs: the bits of an inventory list its pairs in order, for any range.
func TestExpectedPairs(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := matchtest.Plan("r")
	plan.Pairs = 1000
	run := resultstest.Begin(t, s, plan)
	ids := []int{3, 62, 63, 64, 65, 190, 192, 700}
	for _, id := range ids {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 2))
	}
	for first := -1; first < 750; first += 3 {
		for _, end := range []int{first, first + 1, first + 64, first + 200, 2000} {
			inventory := testutil.Must(tables.ReadInventory(t.Context(), s.Queries(), run.ID(), max(0, int64(first)),
				int64(max(0, end))))(t)
			e := inventory.Expect(int64(first), int64(end))
			for _, id := range ids {
				if id < first || id >= end {
					testutil.Require(t, !inventory.Has(int64(id)), "from %d to %d: pair %d is in it", first, end, id)
					continue
				}
				testutil.Require(t, inventory.Has(int64(id)) && e.Pair(int64(id)-1) != nil && e.End() != nil,
					"from %d to %d: pair %d is not expected", first, end, id)
				testutil.OK(t, e.Pair(int64(id)), "from %d to %d", first, end)
			}
			testutil.OK(t, e.End(), "from %d to %d", first, end)
		}
	}
}

// TestRowThatComesTwice: if an index has two entries for one row and none for another, the number of entries is right.
// The repeated row is reported.
func TestRowThatComesTwice(t *testing.T) {
	path := resultstest.Filled(t, "a.db", []int{0, 1, 2}, nil)
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	if n, err := run.Void(t.Context(), "why", "me", func(g match.Row) bool { return g.Pair < 2 }); len(n) != 2 ||
		err != nil {
		t.Fatal(n, err)
	}
	root := 0
	testutil.OK(t, s.Queries().QueryRowContext(t.Context(),
		"SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_voided_1'").Scan(&root))
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	file := testutil.Must(os.ReadFile(path))(t)
	page := file[(root-1)*tables.PageSize:]
	copy(page[8:10], page[10:12]) // the first pointer is the second one
	testutil.OK(t, os.WriteFile(path, file, 0o600))
	s = resultstest.Existing(t, path)
	if list, err := s.Voided(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "in table voided") {
		t.Errorf("%+v, %v", list, err)
	}
}
