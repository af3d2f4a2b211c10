package repair

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// farmed returns a pair of a worker that was played an hour later than the pair of matchtest.
func farmed(id int) match.PairResult {
	pair := matchtest.Pair(matchtest.Plan("r"), id, 12)
	for leg := range pair.Games {
		pair.Games[leg].Started = pair.Games[leg].Started.Add(time.Hour)
	}
	pair.Played = matchtest.PlayedBy(id)
	return pair
}

// fixture returns an unpacked file of testdata.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	packed := testutil.Must(os.ReadFile(filepath.Join("testdata", name+".gz")))(t)
	r := testutil.Must(gzip.NewReader(bytes.NewReader(packed)))(t)
	text := testutil.Must(io.ReadAll(r))(t)
	return text
}

// TestSchema4: a database of a gogi before provenance is read, migrated, played into and repaired. Each row keeps its
// checksum, and the dump equals the dump of that gogi.
func TestSchema4(t *testing.T) {
	t.Parallel()
	path := resultstest.Path(t)
	testutil.OK(t, os.WriteFile(path, fixture(t, "schema4.db"), 0o600))
	want := string(fixture(t, "schema4.dump"))
	looks := func(when string, more int) {
		t.Helper()
		s := testutil.Must(results.OpenExisting(t.Context(), path))(t)
		defer s.Close()
		if got := resultstest.Dump(t, s, "r", false); more == 0 && got != want {
			t.Errorf("%s: %s", when, cmp.Diff(want, got))
		}
		if c, err := Check(t.Context(), s, CheckOptions{}); err != nil || !c.Sound() || c.Runs[0].Sound != 4+more ||
			c.Runs[0].Unchecked != 0 {
			t.Errorf("%s: %+v, %v", when, c, err)
		}
		if list, err := s.Workers(t.Context()); len(list) != more || err != nil {
			t.Errorf("%s: workers %v, %v", when, list, err)
		}
		repaired := filepath.Join(t.TempDir(), "repaired.db")
		if r, err := Repair(t.Context(), path, repaired, nil); err != nil || !r.Whole() || r.Runs[0].Saved != 4+more ||
			r.Runs[0].Unchecked != 0 {
			t.Errorf("%s, repaired: %+v, %v", when, r, err)
		}
		if got := resultstest.DumpLines(t, repaired); more == 0 && len(got) != strings.Count(want, "\n")-1 {
			t.Errorf("%s, repaired: %d lines", when, len(got))
		}
	}
	looks("as it is", 0)
	s := resultstest.Open(t, path)
	testutil.OK(t, s.Close())
	looks("migrated", 0)
	s = resultstest.Open(t, path)
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	matchtest.Put(t, run, farmed(1))
	if list, err := s.Voided(t.Context(), run.ID()); err != nil || len(list) != 1 || list[0].By != "" {
		t.Errorf("%+v, %v", list, err)
	}
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	looks("played into", 1)
}

// TestUpgradeOfADamagedFile: gogi verifies every row of an older database before it upgrades it, also the moves, and
// leaves a damaged file as it is. The database is one that gogi wrote with schema 4; each case changes one value of it.
func TestUpgradeOfADamagedFile(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"UPDATE records SET plies = zeroblob(length(plies)) WHERE game_id = 1":                    "records",
		"UPDATE records SET plies = substr(plies, 1, length(plies)-1) WHERE game_id = 5":          "records",
		"UPDATE records SET final = x'00' WHERE game_id = 2":                                      "records",
		"UPDATE games SET plies = plies + 1 WHERE id = 2":                                         "games",
		"UPDATE openings SET name = name || ' ' WHERE id = (SELECT min(id) FROM openings)":        "openings",
		"UPDATE pairs SET seed = seed + 1 WHERE pair = (SELECT min(pair) FROM pairs)":             "pairs",
		"UPDATE engines SET command = command || ' ' WHERE idx = 0":                               "engines",
		"UPDATE settings_log SET at = at + 1 WHERE rowid = (SELECT min(rowid) FROM settings_log)": "settings_log",
		"UPDATE runs SET plan = plan || ' '":                                                      "runs",
		"UPDATE voided SET why = why || ' '":                                                      "voided",
	} {
		path := resultstest.Path(t)
		testutil.OK(t, os.WriteFile(path, fixture(t, "schema4.db"), 0o600))
		resultstest.Exec(t, path, change)
		s, err := results.Open(t.Context(), path, results.Quick)
		if err == nil {
			t.Errorf("%s: gogi upgrades the file", change)
			testutil.OK(t, s.Close())
			continue
		}
		testutil.Contains(t, err.Error(), "the database is damaged: in table "+want, "%s", change)
		old := testutil.Must(sql.Open("sqlite3", path))(t)
		version := 0
		testutil.OK(t, old.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version))
		testutil.OK(t, old.Close())
		testutil.Equal(t, version, 4, "the schema after %s", change)
	}
}

// TestSalvageOfBothAges: page by page, without SQLite, a repair finds rows with and without the columns for provenance.
// Rows without these columns are shorter.
func TestSalvageOfBothAges(t *testing.T) {
	t.Parallel()
	path := resultstest.Path(t)
	testutil.OK(t, os.WriteFile(path, fixture(t, "schema4.db"), 0o600))
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	for _, id := range []int{1, 7, 8} {
		matchtest.Put(t, run, farmed(id))
	}
	want := resultstest.Dump(t, s, "r", false)
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	file := testutil.Must(os.ReadFile(path))(t)
	copy(file[100:], bytes.Repeat([]byte{0xff}, 300)) // without the schema, SQLite reads nothing
	testutil.OK(t, os.WriteFile(path, file, 0o600))
	to := filepath.Join(t.TempDir(), "repaired.db")
	r, err := Repair(t.Context(), path, to, nil)
	testutil.Require(t, err == nil && r.Whole() && r.Runs[0].Saved == 7 && r.Runs[0].Unchecked == 0, "%+v, %v", r, err)
	lines := resultstest.Lines(want)
	maps.DeleteFunc(lines, func(line string, _ bool) bool { return strings.HasPrefix(line, `{"type":"run"`) })
	if got := resultstest.DumpLines(t, to); !maps.Equal(got, lines) {
		t.Errorf("(-want +got):\n%.2000s", cmp.Diff(slices.Sorted(maps.Keys(lines)), slices.Sorted(maps.Keys(got))))
	}
}

// TestDamagedProvenance: a lost row of a worker loses no games. A check finds a pair with a wrong worker.
func TestDamagedProvenance(t *testing.T) {
	t.Parallel()
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	run := resultstest.Begin(t, s, plan)
	for id := range 4 {
		pair := matchtest.Pair(plan, id, 12)
		pair.Played = match.Provenance{Worker: []string{"x", "y"}[id%2], Owner: "o", Epoch: 5, Scale: 1}
		matchtest.Put(t, run, pair)
	}
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	whole := testutil.Must(os.ReadFile(path))(t)
	for _, change := range []string{
		"UPDATE pairs SET worker = 2 WHERE pair = 2", "UPDATE pairs SET worker = NULL WHERE pair = 2",
		"UPDATE pairs SET epoch = 6 WHERE pair = 2",
		"UPDATE pairs SET scale = 2 WHERE pair = 2", "UPDATE pairs SET proof = x'01' WHERE pair = 2",
		"UPDATE workers SET name = 'another' WHERE id = 1",
	} {
		testutil.OK(t, os.WriteFile(path, whole, 0o600))
		resultstest.Exec(t, path, change)
		if c := checkup(t, path); c.Sound() {
			t.Errorf("%s: not found", change)
		}
		if r, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), "to.db"), nil); err != nil || r.Whole() {
			t.Errorf("%s: %+v, %v", change, r, err)
		}
	}
	to := filepath.Join(t.TempDir(), "to.db")
	r, err := Repair(t.Context(), path, to, nil) // the last change replaced a name
	testutil.Check(t, err == nil && len(r.Lost) == 2 && strings.Contains(r.Lost[0].What, "which worker") &&
		r.Runs[0].Saved == 4,
		"%+v, %v", r, err)
	s = resultstest.Open(t, to)
	workers := lists.Map(resultstest.Games(t, s, 1), func(g match.Row) string { return g.Worker })
	testutil.Slices(t, []string{"", "", "y", "y", "", "", "y", "y"}, workers)
	if c := checkup(t, to); !c.Sound() {
		t.Errorf("%+v", c)
	}
}

// TestMergeWorkers: each database has its own numbers of workers, and a merged database has each worker once.
func TestMergeWorkers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	make1 := func(name string, ids []int, who func(int) string) string {
		path := filepath.Join(dir, name)
		s := resultstest.Open(t, path)
		plan := matchtest.Plan("r")
		run := resultstest.Begin(t, s, plan)
		for _, id := range ids {
			pair := matchtest.Pair(plan, id, 12)
			pair.Played = match.Provenance{Worker: who(id), Owner: "o", Epoch: uint64(id)}
			matchtest.Put(t, run, pair)
		}
		testutil.Must(run.Void(t.Context(), "gone", "me", func(g match.Row) bool { return g.Pair == ids[0] }))(t)
		testutil.OK(t, errors.Join(run.Close(), s.Close()))
		return path
	}
	a := make1("a.db", []int{0, 1, 2, 3}, func(id int) string { return []string{"x", "y"}[id%2] })
	b := make1("b.db", []int{4, 5, 6, 7}, func(id int) string { return []string{"z", "y", "x", "y"}[id%4] })
	to := filepath.Join(dir, "c.db")
	testutil.Must(Merge(t.Context(), to, []string{a, b}, false, nil))(t)
	want := resultstest.DumpLines(t, a)
	maps.Copy(want, resultstest.DumpLines(t, b))
	got := resultstest.DumpLines(t, to)
	testutil.Check(t, maps.Equal(got, want), "%d lines, want %d", len(got), len(want))
	c := checkup(t, to)
	testutil.Check(t, c.Sound() && c.Runs[0].Sound == 6, "%+v", c)
	s := resultstest.Open(t, to)
	if list, err := s.Workers(t.Context()); err != nil || len(list) != 2 { // z's only pair was voided
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := s.Voided(t.Context(), 1); err != nil || len(list) != 2 || list[1].By != "me" {
		t.Errorf("%+v, %v", list, err)
	}
	resultstest.Exec(t, b, "UPDATE workers SET owner = 'q'")
	testutil.Fails(t, testutil.Err(Merge(t.Context(), filepath.Join(dir, "d.db"), []string{a, b}, false, nil)), "workers",
		"a damaged worker")
}
