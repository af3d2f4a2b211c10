package results

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gogi/match"
	"gogi/results/tables"
)

// restart begins the run anew with another design.
func restart(t *testing.T, s *Store, run *Run, change func(*match.Plan)) *Run {
	t.Helper()
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	plan := testPlan(run.plan.Run)
	change(plan)
	return beginTest(t, s, plan)
}

// What was changed after the first pair is known by the order of the log: the
// players' clocks may be an hour fast or slow.
func TestFirstStored(t *testing.T) {
	for name, fast := range map[string]time.Duration{"fast": time.Hour, "slow": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := openTest(t, testPath(t))
			run := beginTest(t, s, testPlan("r"))
			if setting, at, err := s.FirstStored(t.Context(), run.ID()); setting != 0 || !at.IsZero() || err != nil {
				t.Errorf("no pair: %d, %v, %v", setting, at, err)
			}
			run = restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 4 })
			pair := playedPair(run.plan, 3, 10)
			for i := range pair.Games {
				pair.Games[i].Started = time.Now().Add(fast)
			}
			begun := time.Now().Add(-time.Second)
			put(t, run, pair)
			run = restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 40 })
			put(t, run, playedPair(run.plan, 0, 10))
			log, err := s.Settings(t.Context(), run.ID())
			if err != nil || len(log) != 3 {
				t.Fatalf("%+v, %v", log, err)
			}
			check := func() {
				t.Helper()
				setting, at, err := s.FirstStored(t.Context(), run.ID())
				if setting != log[1].ID || at.Before(begun) || at.After(time.Now().Add(time.Second)) || err != nil {
					t.Errorf("first stored at setting %d of %d, %v (%v)", setting, log[1].ID, at, err)
				}
			}
			check()
			if n, err := run.Void(t.Context(), "all", "me", func(match.Row) bool { return true }); len(n) != 2 || err != nil {
				t.Fatalf("%d pairs, %v", n, err)
			}
			check() // a voided first pair was the first pair nevertheless
		})
	}
}

// A pair that was in play when the target was lowered is stored, and one that the
// run never had is not.
func TestTargetLoweredAndRaised(t *testing.T) {
	s := openTest(t, testPath(t))
	run := beginTest(t, s, testPlan("r")) // 100 pairs
	run = restart(t, s, run, func(p *match.Plan) { p.Pairs = 5 })
	put(t, run, playedPair(run.plan, 99, 10))
	if _, err := run.Add(t.Context(), playedPair(run.plan, 100, 10)); err == nil || !strings.Contains(err.Error(), "never had more than 100 pairs") {
		t.Errorf("a pair beyond every target: %v", err)
	}
	run = restart(t, s, run, func(p *match.Plan) { p.Pairs = 200 })
	put(t, run, playedPair(run.plan, 199, 10))
}

// oldDatabase is a copy of a database in the schema of an older version: its
// migrations alone, and the columns that they know.
func oldDatabase(t *testing.T, from string, version int) string {
	t.Helper()
	path := testPath(t)
	texts, err := tables.MigrationTexts()
	if err != nil {
		t.Fatal(err)
	}
	db, err := openHandle(path, url.Values{"mode": {"rwc"}})
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // ATTACH is of one connection
	run := func(text string, args ...any) {
		if _, err := db.ExecContext(t.Context(), text, args...); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	run(strings.Join(texts[:version], ";\n"))
	run(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d; PRAGMA journal_mode=WAL", tables.ApplicationID, version))
	run("ATTACH ? AS new", from)
	for _, table := range []string{"runs", "engines", "settings_log", "openings", "pairs", "games", "records", "attempts"} {
		var columns string
		if err := db.QueryRowContext(t.Context(), "SELECT group_concat(name, ', ') FROM pragma_table_info(?, 'main')", table).Scan(&columns); err != nil {
			t.Fatal(err)
		}
		run("INSERT INTO main." + table + " (" + columns + ") SELECT " + columns + " FROM new." + table)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// A database of an older gogi is read and goes on as it was, and a change after the
// first game is told by the clocks, as that gogi told it.
func TestOlderDatabases(t *testing.T) {
	s := openTest(t, testPath(t))
	run := beginTest(t, s, testPlan("r"))
	run = restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 4 })
	put(t, run, playedPair(run.plan, 1, 30), playedPair(run.plan, 0, 30)) // pair 0 began a second before pair 1
	run = restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 40 })
	first := playedPair(run.plan, 0, 0).Games[0].Started
	for i, at := range []time.Time{first.Add(-time.Hour), first, first.Add(time.Microsecond)} {
		if _, err := s.write.ExecContext(t.Context(), "UPDATE settings_log SET at = ?, checksum = NULL WHERE id = ?", tables.Micros(at), i+1); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	want, wantRows := dumpOf(t, s, "r", false), allGames(t, s, 1)
	for version := 1; version <= 3; version++ {
		if version == 3 {
			if _, err := s.write.ExecContext(t.Context(), "UPDATE pairs SET setting = NULL, stored = NULL, checksum = NULL"); err != nil {
				t.Fatal(err)
			}
		}
		path := oldDatabase(t, s.path, version)
		reader, err := OpenExisting(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := dumpOf(t, reader, "r", false); got != want {
			t.Errorf("version %d: the dump is\n%s\nnot\n%s", version, got, want)
		}
		if diff := cmp.Diff(wantRows, allGames(t, reader, 1)); diff != "" {
			t.Errorf("version %d: (-want +got):\n%s", version, diff)
		}
		if setting, at, err := reader.FirstStored(t.Context(), 1); setting != 2 || !at.Equal(first) || err != nil {
			t.Errorf("version %d: first stored at setting %d, %v, %v", version, setting, at, err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		goesOn(t, path)
	}
}

// A player's clock that was behind the store's at the first start: that start's
// design still is the one that the run was begun with.
func TestOlderDatabaseOfASlowClock(t *testing.T) {
	s := openTest(t, testPath(t))
	run := beginTest(t, s, testPlan("r"))
	put(t, run, playedPair(run.plan, 0, 10)) // in May 2026, by its clock
	run = restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 40 })
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := OpenExisting(t.Context(), oldDatabase(t, s.path, 2))
	if err != nil {
		t.Fatal(err)
	}
	if setting, _, err := reader.FirstStored(t.Context(), 1); setting != 1 || err != nil {
		t.Errorf("first stored at setting %d, %v", setting, err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
}

// goesOn resumes the run of an older gogi: its pairs stay the first ones.
func goesOn(t *testing.T, path string) {
	t.Helper()
	s := openTest(t, path)
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	put(t, run, playedPair(plan, 5, 10))
	if added, err := run.Add(t.Context(), playedPair(plan, 0, 30)); added || err != nil {
		t.Errorf("a pair of the older gogi was added %t, %v", added, err)
	}
	if setting, _, err := s.FirstStored(t.Context(), run.ID()); setting != 2 || err != nil {
		t.Errorf("first stored at setting %d, %v", setting, err)
	}
	if n, err := run.Void(t.Context(), "old", "me", func(g match.Row) bool { return g.Pair < 5 }); len(n) != 2 || err != nil {
		t.Errorf("%d pairs voided, %v", n, err)
	}
	if setting, _, err := s.FirstStored(t.Context(), run.ID()); setting != 2 || err != nil {
		t.Errorf("after voiding, first stored at setting %d, %v", setting, err)
	}
	checkWhole(t, s, run.ID())
}

func TestDurability(t *testing.T) {
	for want, how := range map[int][]Durability{1: nil, 2: {Durable}} { // SQLite's numbers of NORMAL and FULL
		s, err := Open(t.Context(), testPath(t), how...)
		if err != nil {
			t.Fatal(err)
		}
		var got int
		err = s.write.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&got)
		if err := errors.Join(err, s.Close()); err != nil || got != want {
			t.Errorf("%v: synchronous is %d, %v", how, got, err)
		}
	}
	if _, err := Open(t.Context(), testPath(t), "OFF"); err == nil || !strings.Contains(err.Error(), `durability "OFF"`) {
		t.Errorf("OFF: %v", err)
	}
}

// Every column of games is one that is written and read; id is SQLite's, and
// checksum is of the others.
func TestColumnsAreThoseOfTheSchema(t *testing.T) {
	s := openTest(t, testPath(t))
	beginTest(t, s, testPlan("r"))
	var schema string
	if err := s.read.QueryRowContext(t.Context(), "SELECT group_concat(name, ' ') FROM pragma_table_info('games')").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	var ours []string
	for _, c := range new(tables.Game).Columns() {
		if name, own := strings.CutPrefix(c.Name, "g."); own {
			ours = append(ours, name)
		}
	}
	want := slices.DeleteFunc(strings.Fields(schema)[1:], func(name string) bool { return name == "checksum" })
	slices.Sort(want)
	slices.Sort(ours)
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("(-schema +columns):\n%s", diff)
	}
}
