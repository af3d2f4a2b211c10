// Package resultstest opens, fills, damages and compares databases for tests. Start with [Open] and [Filled].
package resultstest

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/match/tune"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/file"
	"gogi/results/tables"
	"gogi/stats"
)

// Path returns a path for a new database.
func Path(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "gogi.db")
}

// Open opens a database for writing. The end of the test closes it.
func Open(tb testing.TB, path string) *results.Store {
	tb.Helper()
	s, err := results.Open(tb.Context(), path)
	return matchtest.Closing(tb, s, err)
}

// Begin begins the run of a plan. The end of the test closes the run.
func Begin(tb testing.TB, s *results.Store, plan *match.Plan) *results.Run {
	tb.Helper()
	run, err := s.Begin(tb.Context(), plan)
	return matchtest.Closing(tb, run, err)
}

// Begun returns a new database with the run "r" of matchtest.Plan, without pairs. The end of the test closes
// both.
func Begun(tb testing.TB) (*results.Store, *match.Plan, *results.Run) {
	tb.Helper()
	s, plan := Open(tb, Path(tb)), matchtest.Plan("r")
	return s, plan, Begin(tb, s, plan)
}

// Existing opens a database for reading. The end of the test closes it.
func Existing(tb testing.TB, path string) *results.Store {
	tb.Helper()
	s, err := results.OpenExisting(tb.Context(), path)
	return matchtest.Closing(tb, s, err)
}

// Filled creates a database with pairs of the run "r", closes it and returns its path. change may change the
// plan.
func Filled(tb testing.TB, name string, ids []int, change func(*match.Plan)) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	s := Open(tb, path)
	plan := matchtest.Plan("r")
	if change != nil {
		change(plan)
	}
	run := Begin(tb, s, plan)
	for _, id := range ids {
		pair := matchtest.Pair(plan, id, 20)
		pair.Attempts = []match.Attempt{{Pair: id, Ended: time.UnixMicro(5).UTC(), Why: "slow"}}
		matchtest.Put(tb, run, pair)
	}
	testutil.OK(tb, errors.Join(run.Close(), s.Close()))
	return path
}

// Dump returns the dump of a run as text.
func Dump(tb testing.TB, s *results.Store, run string, stable bool) string {
	tb.Helper()
	var b strings.Builder
	testutil.OK(tb, dump.Write(tb.Context(), s, &b, run, stable))
	return b.String()
}

// Lines returns the set of the lines of a text.
func Lines(text string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		lines[line] = true
	}
	return lines
}

// DumpLines returns the set of the lines of a run's whole dump, without the line that describes the run
// itself.
func DumpLines(tb testing.TB, path string) map[string]bool {
	tb.Helper()
	s := testutil.Must(results.OpenExisting(tb.Context(), path))(tb)
	lines := Lines(Dump(tb, s, "r", false))
	testutil.OK(tb, s.Close())
	maps.DeleteFunc(lines, func(line string, _ bool) bool { return strings.HasPrefix(line, `{"type":"run"`) })
	return lines
}

// Older returns the path of a copy of a database in the schema of an older version. The copy has only the
// tables and columns of that version.
func Older(tb testing.TB, from string, version int) string {
	tb.Helper()
	path := Path(tb)
	texts := testutil.Must(tables.MigrationTexts())(tb)
	db := testutil.Must(file.Open(path, url.Values{"mode": {"rwc"}}))(tb)
	db.SetMaxOpenConns(1) // ATTACH affects only one connection
	run := func(text string, args ...any) {
		if _, err := db.ExecContext(tb.Context(), text, args...); err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
	}
	run(strings.Join(texts[:version], ";\n"))
	run(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d; PRAGMA journal_mode=WAL", tables.ApplicationID,
		version))
	run("ATTACH ? AS new", from)
	for _, table := range []string{"runs", "engines", "settings_log", "openings", "pairs", "games", "records",
		"attempts"} {
		var columns string
		testutil.OK(tb, db.QueryRowContext(tb.Context(), "SELECT group_concat(name, ', ') FROM pragma_table_info(?, 'main')",
			table).Scan(&columns))
		run("INSERT INTO main." + table + " (" + columns + ") SELECT " + columns + " FROM new." + table)
	}
	testutil.OK(tb, db.Close())
	return path
}

// Exec runs an SQL statement on a database without a Store.
func Exec(tb testing.TB, path, statement string) {
	tb.Helper()
	db := testutil.Must(sql.Open("sqlite3", path))(tb)
	testutil.OK(tb, testutil.Err(db.ExecContext(tb.Context(), statement)))
	testutil.OK(tb, db.Close())
}

// Games returns all games of a run.
func Games(tb testing.TB, s *results.Store, runID int64) []match.Row {
	tb.Helper()
	var games []match.Row
	if err := s.Games(tb.Context(), runID, func(g match.Row) error { games = append(games, g); return nil }); err != nil {
		tb.Fatal(err)
	}
	return games
}

// Killed fails the test unless a second process was killed by a signal. err is the error from waiting for that
// process.
func Killed(tb testing.TB, err error) {
	tb.Helper()
	var exit interface {
		error
		Sys() any
	}
	if !errors.As(err, &exit) {
		tb.Fatalf("the second process ended by itself: %v", err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		tb.Fatalf("the second process ended with %v", exit)
	}
}

// TunePlan returns a plan that is a tune of 40 pairs in blocks of 4.
func TunePlan(tb testing.TB) (*match.Plan, tune.Settings) {
	tb.Helper()
	s := tune.Defaults(tune.SPSA, 40)
	s.Block, s.Inflight, s.Seed = 4, 8, 3
	s.Params = []tune.Param{{Name: "X", Kind: tune.Int, Start: 40, Max: 100, Scale: 30},
		{Name: "Slow Mover", Kind: tune.Float, Start: 0.5, Max: 1}}
	text := testutil.Must((&tune.Plan{Settings: s}).Text())(tb)
	plan := matchtest.Plan("r")
	plan.Design, plan.Pairs, plan.Tune, plan.Gate = match.Design{Kind: match.DesignMatch, Swap: true}, 40, text,
		stats.SPRT{}
	return plan, s
}

// Tuned creates a database with a tune and returns its path and plan. It stores all pairs below n except those in
// without, and the states that follow from them.
func Tuned(tb testing.TB, n int, without ...int) (path string, plan *match.Plan) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "tune.db")
	plan, settings := TunePlan(tb)
	walk := testutil.Must(tune.NewPath(settings))(tb)
	s := Open(tb, path)
	run := Begin(tb, s, plan)
	for id := range n {
		duel, ok := walk.Draw(id)
		if !ok {
			tb.Fatalf("pair %d cannot be drawn", id)
		}
		pair := matchtest.Pair(plan, id, 20)
		pair.Pair.Options = settings.Points(&duel)
		_, learnt, err := walk.Add(id, tune.ResultOf(plan.Rules, pair).Score, false)
		testutil.OK(tb, err)
		if slices.Contains(without, id) {
			continue
		}
		var states []match.TuneState
		for i := range learnt {
			states = append(states, learnt[i].Stored())
		}
		if added, err := run.AddStates(tb.Context(), pair, states); !added || err != nil {
			tb.Fatal(added, err)
		}
	}
	testutil.OK(tb, testutil.Err(run.Propose(tb.Context(),
		match.TuneCandidate{Blocks: n / 4, Point: settings.Options(settings.Start()), Run: "r-validation-1"})))
	testutil.OK(tb, errors.Join(run.Close(), s.Close()))
	return path, plan
}

// Restart ends the run "r" and begins it again. The plan of the new run is the plan of matchtest.Plan after change
// has modified it.
func Restart(tb testing.TB, s *results.Store, run *results.Run, change func(*match.Plan)) *results.Run {
	tb.Helper()
	testutil.OK(tb, run.Close())
	plan := matchtest.Plan("r")
	change(plan)
	return Begin(tb, s, plan)
}
