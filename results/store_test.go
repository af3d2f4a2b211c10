package results_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/file"
	"gogi/results/resultstest"
	"gogi/results/tables"
	"gogi/stats"
)

func TestOpenManyAtOnce(t *testing.T) {
	path := resultstest.Path(t)
	var g errgroup.Group
	for range 8 {
		g.Go(func() error {
			s, err := results.Open(context.Background(), path)
			if err != nil {
				return err
			}
			return s.Close()
		})
	}
	testutil.OK(t, g.Wait())
}

// asking is a handle that calls made after a number of queries.
type asking struct {
	*sql.DB
	left int
	made func()
}

func (a *asking) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	row := a.DB.QueryRowContext(ctx, query, args...)
	if a.left--; a.left == 0 {
		_ = row.Err() // the query has run
		a.made()
	}
	return row
}

// TestMadeWhileItIsAsked: a file that another process creates between two queries counts as empty or as gogi's, never
// as a foreign file.
func TestMadeWhileItIsAsked(t *testing.T) {
	for left := range 3 {
		path := resultstest.Path(t)
		db := testutil.Must(file.Writer(path, "NORMAL"))(t)
		var asked string
		testutil.OK(t, db.QueryRowContext(t.Context(), "PRAGMA journal_mode=WAL").Scan(&asked))
		db.SetMaxOpenConns(4)
		made := false
		q := &asking{db, left + 1, func() { made = true; resultstest.Open(t, path) }}
		version, err := tables.SchemaVersion(t.Context(), q, 1000)
		testutil.Check(t, err == nil && version >= 0 && (left != 0 || made),
			"made after %d questions: version %d, %v", left+1, version, err)
		testutil.OK(t, db.Close())
	}
}

func TestOpenOddPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "50% of? what#ever 将棋.db")
	s := resultstest.Open(t, path)
	matchtest.Put(t, resultstest.Begin(t, s, matchtest.Plan("r")), matchtest.Pair(matchtest.Plan("r"), 0, 5))
	testutil.OK(t, testutil.Err(os.Stat(path)))
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	resultstest.Open(t, newer)
	resultstest.Exec(t, newer, "PRAGMA user_version=99")
	for version, name := range map[int]string{-1: "minus.db", math.MinInt32: "least.db", 0: "none.db"} {
		path := filepath.Join(dir, "version-"+name)
		resultstest.Open(t, path)
		resultstest.Exec(t, path, fmt.Sprintf("PRAGMA user_version=%d", version))
	}
	foreign := filepath.Join(dir, "foreign.db")
	resultstest.Exec(t, foreign, "CREATE TABLE runs (x); PRAGMA user_version=1")
	for path, text := range map[string]string{"text.db": strings.Repeat("not a database\n", 100), "short.db": "hello",
		"empty.db": ""} {
		testutil.OK(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	tests := []struct{ name, want, wantExisting string }{
		{"newer.db", "newer gogi (schema 99", "newer gogi (schema 99"},
		{"version-minus.db", "version -1", "version -1"},
		{"version-least.db", "version -2147483648", "version -2147483648"},
		{"version-none.db", "version 0", "version 0"},
		{"foreign.db", "of another program", "of another program"},
		{"text.db", "not a SQLite database", "not a SQLite database"},
		{"short.db", "not a SQLite database", "not a SQLite database"},
		{"none.db", "", "not found. Run `gogi match` first"},
		{"no/such/dir.db", "such does not exist", "such does not exist"},
		{"empty.db", "", "it is empty"},
	}
	for _, test := range tests {
		path := filepath.Join(dir, test.name)
		before, _ := os.ReadFile(path)
		s, err := results.OpenExisting(t.Context(), path)
		checkRefusal(t, path, s, err, test.wantExisting)
		if _, err := os.Stat(path); before == nil && err == nil {
			t.Errorf("%s: OpenExisting made it", test.name)
		}
		s, err = results.Open(t.Context(), path)
		checkRefusal(t, path, s, err, test.want)
		after, _ := os.ReadFile(path)
		testutil.Check(t, test.want == "" || bytes.Equal(before, after), "%s: the refused file was changed", test.name)
	}
	testutil.Is(t, testutil.Err(results.OpenExisting(t.Context(), filepath.Join(dir, "absent.db"))), fs.ErrNotExist,
		"no such file")
}

func checkRefusal(t *testing.T, path string, s *results.Store, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		testutil.OK(t, s.Close())
		return
	}
	testutil.Check(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), path),
		"%s: error %v, want it and %q", path, err, want)
}

func TestReaderCannotWrite(t *testing.T) {
	path := resultstest.Path(t)
	resultstest.Open(t, path)
	s := testutil.Must(results.OpenExisting(t.Context(), path))(t)
	testutil.Fails(t, testutil.Err(s.Begin(t.Context(), matchtest.Plan("r"))), "", "a reader began a run")
	testutil.Fails(t, testutil.Err(s.Queries().ExecContext(t.Context(), "DELETE FROM runs")), "",
		"a reader deleted the runs")
	testutil.OK(t, s.Close())
}

func TestBeginDifferentPlan(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	testutil.OK(t, resultstest.Begin(t, s, matchtest.Plan("r")).Close())
	plan := matchtest.Plan("r")
	plan.Players[0].Options[0].Value = "2"
	_, err := s.Begin(t.Context(), plan)
	var different *results.DifferentPlan
	testutil.Require(t, errors.As(err, &different) && different.Run == "r", "another plan: %v", err)
	want := []string{"players.A.options.Threads: 1 before, 2 now"}
	if !slices.Equal(testutil.Texts(different.Differences), want) || !strings.Contains(err.Error(), want[0]) ||
		!strings.Contains(err.Error(), `"r"`) {
		t.Errorf("%v, differences %q", err, different.Differences)
	}
}

// TestSettings: the log of settings is read as values. A value that an older gogi did not write is zero.
func TestSettings(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	testutil.OK(t, run.Close())
	plan.Gate = stats.SPRT{Elo1: 4, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	run = resultstest.Begin(t, s, plan)
	log, err := s.Settings(t.Context(), run.ID())
	testutil.Require(t, err == nil && len(log) == 2, "%+v, %v", log, err)
	if !log[0].Gate.IsZero() || log[1].Gate != plan.Gate || log[1].Pairs != 100 || log[1].Concurrency != 2 ||
		log[1].PVPlies != 12 ||
		log[1].Rules != "denryu" || log[0].ID >= log[1].ID || run.Setting() != log[1].ID {
		t.Errorf("%+v", log)
	}
	if p := log[1].Players; len(p) != 2 || p[0].Name != "A" || p[0].Greeting != "1s" ||
		p[0].Files[0].Path != "/engines/a" || p[1].Command[0] != "/gogi" {
		t.Errorf("%+v", p)
	}
}

func TestBeginChangedSettings(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := matchtest.Plan("r")
	for range 2 { // the second start changes nothing
		testutil.OK(t, resultstest.Begin(t, s, plan).Close())
	}
	moved := matchtest.Plan("r")
	moved.Pairs, moved.Concurrency, moved.CPUs, moved.CoresPerSlot = 500, 8, "2-7", 2
	moved.Players[0].Command[0], moved.Players[0].Identity.Files[0].Path = "/new/a", "/new/a"
	resultstest.Begin(t, s, moved)
	info := testutil.Must(s.FindRun(t.Context(), "r"))(t)
	if info.Pairs != 500 || info.Games != 1000 || info.Engines[0].Command[0] != "/new/a" ||
		info.Engines[0].Identity.Files[0].Path != "/new/a" {
		t.Errorf("%+v", info)
	}
	log, err := s.Settings(t.Context(), info.ID)
	testutil.Require(t, err == nil && len(log) == 2, "%d settings, %v", len(log), err)
	want := []string{
		"concurrency: 2 before, 8 now", "cores_per_slot: absent before, 2 now", "cpus: absent before, 2-7 now",
		"pairs: 100 before, 500 now",
		"players.A.command.0: /engines/a before, /new/a now", "players.A.files.0.path: /engines/a before, /new/a now",
	}
	if len(log[0].Changes) != 0 || !slices.Equal(testutil.Texts(log[1].Changes), want) || log[1].At.Before(log[0].At) ||
		log[0].At.Year() < 2026 {
		t.Errorf("%+v", log)
	}
}

// TestNotesStay: later settings of a run repeat the notes of its engines, each once, and a note is no change of
// settings.
func TestNotesStay(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	a, b := results.EngineNote{Player: "A", Text: "no file"}, results.EngineNote{Player: "B", Text: "no file"}
	for _, n := range []results.EngineNote{a, b, a} {
		testutil.OK(t, run.AddNote(t.Context(), n))
	}
	testutil.OK(t, run.Change(t.Context(), 7, 1, ""))
	testutil.OK(t, run.Close())
	run = resultstest.Begin(t, s, plan)
	testutil.OK(t, run.AddNote(t.Context(), b))
	log := testutil.Must(s.Settings(t.Context(), run.ID()))(t)
	for i, now := range log {
		testutil.Check(t, slices.Equal(now.Notes, []results.EngineNote{a, b}), "setting %d: %+v", i, now.Notes)
		for _, c := range now.Changes {
			testutil.Check(t, !strings.Contains(c.String(), "notes"), "setting %d: %v", i, c)
		}
	}
	testutil.Check(t, len(log) == 3, "%d settings", len(log))
}

func TestBeginLocked(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	_, err := s.Begin(t.Context(), matchtest.Plan("r"))
	testutil.Check(t, errors.Is(err, results.ErrRunLocked), "twice in one process: %v", err)
	for range 2 {
		testutil.OK(t, run.Close())
	}
	resultstest.Begin(t, s, matchtest.Plan("r"))
}

func TestFindRun(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	var none *results.NoRun
	if _, err := s.FindRun(t.Context(), "r"); !errors.As(err, &none) || !strings.Contains(err.Error(), "no runs yet") {
		t.Errorf("%v", err)
	}
	if _, err := s.DefaultRun(t.Context(), "r"); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"r", "q", "r-2"} {
		resultstest.Begin(t, s, matchtest.Plan(name))
	}
	if _, err := s.FindRun(t.Context(), "x"); !errors.As(err, &none) ||
		!strings.Contains(err.Error(), `"x"; there are r, q, r-2`) {
		t.Errorf("%v", err)
	}
	for asked, want := range map[string]string{"q": "q", "r": "r", "default": "r-2"} {
		if info, err := s.DefaultRun(t.Context(), asked); err != nil || info.Name != want {
			t.Errorf("default run for %s: %+v, %v", asked, info, err)
		}
	}
	for asked, want := range map[string]string{"q": "q-2", "r": "r-3", "new": "new"} {
		if name, err := s.FreeName(t.Context(), asked); err != nil || name != want {
			t.Errorf("free name for %s: %s, %v", asked, name, err)
		}
	}
	all, err := s.Runs(t.Context())
	testutil.Check(t, err == nil && len(all) == 3 && all[1].Name == "q", "%+v, %v", all, err)
}

func TestRunInfo(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	matchtest.Put(t, run, matchtest.Pair(plan, 3, 20))
	info := testutil.Must(s.FindRun(t.Context(), "r"))(t)
	if info.ID != run.ID() || info.Digest != plan.Digest() || !bytes.Equal(info.Plan, plan.Canonical()) ||
		info.Rules != "denryu" ||
		info.Legs != 2 || info.Pairs != 100 || info.Games != 200 || info.Finished != 1 ||
		!slices.Equal(info.Players, []string{"A", "将棋"}) {
		t.Errorf("%+v", info)
	}
	for i, e := range info.Engines {
		p := plan.Players[i]
		if e.Builtin != p.Builtin || !slices.Equal(e.Command, p.Command) || !slices.Equal(e.Env, p.Env) ||
			!slices.Equal(e.Options, p.Options) ||
			e.Limits != "nodes 20000" || e.Restart != p.Restart || e.Identity.Fixed != p.Identity.Fixed ||
			!slices.Equal(e.Identity.Files, p.Identity.Files) {
			t.Errorf("%+v", e)
		}
	}
}

// TestReadingAnOlderDatabase: a reader does not change a database of an older gogi.
func TestReadingAnOlderDatabase(t *testing.T) {
	path := resultstest.Path(t)
	texts := testutil.Must(tables.MigrationTexts())(t)
	db, err := file.Open(path, url.Values{"mode": {"rwc"}})
	testutil.OK(t, err)
	_, err = db.ExecContext(t.Context(),
		texts[0]+fmt.Sprintf("; PRAGMA application_id=%d; PRAGMA user_version=1", tables.ApplicationID))
	testutil.OK(t, errors.Join(err, db.Close()))
	s := testutil.Must(results.OpenExisting(t.Context(), path))(t)
	defer s.Close()
	if version, err := tables.SchemaVersion(t.Context(), s.Queries(), len(texts)); err != nil || version != 1 {
		t.Errorf("version %d (%v)", version, err)
	}
	if list, err := s.Runs(t.Context()); len(list) > 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	testutil.Fails(t, testutil.Err(s.Queries().ExecContext(t.Context(), "DELETE FROM main.runs")), "",
		"a reader deleted the runs")
}

// TestBackup: a backup is one snapshot, even if the run is played at the same time.
func TestBackup(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 20), matchtest.Pair(run.Plan(), 1, 20))
	want := resultstest.Dump(t, s, "r", false)
	reader := testutil.Must(results.OpenExisting(t.Context(), s.Path()))(t)
	to := filepath.Join(t.TempDir(), "copy.db")
	testutil.OK(t, reader.Backup(t.Context(), to))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 2, 20)) // the run continues
	testutil.Is(t, reader.Backup(t.Context(), to), fs.ErrExist, "over a database")
	testutil.OK(t, reader.Close())
	copied := resultstest.Open(t, to)
	testutil.Equal(t, resultstest.Dump(t, copied, "r", false), want)
	again := resultstest.Begin(t, copied, matchtest.Plan("r")) // the copy can be played into
	matchtest.Put(t, again, matchtest.Pair(run.Plan(), 2, 20))
	var mode string
	if err := copied.Queries().QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil ||
		mode != "wal" {
		t.Errorf("journal mode %s, %v", mode, err)
	}
}
