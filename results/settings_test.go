package results_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// TestFirstStored: gogi finds a change after the first pair by the order of the log, because a player's clock may be an
// hour fast or slow.
func TestFirstStored(t *testing.T) {
	for name, fast := range map[string]time.Duration{"fast": time.Hour, "slow": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := resultstest.Open(t, resultstest.Path(t))
			run := resultstest.Begin(t, s, matchtest.Plan("r"))
			if setting, err := s.FirstStored(t.Context(), run.ID()); setting != 0 || err != nil {
				t.Errorf("no pair: %d, %v", setting, err)
			}
			run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 4 })
			pair := matchtest.Pair(run.Plan(), 3, 10)
			for i := range pair.Games {
				pair.Games[i].Started = time.Now().Add(fast)
			}
			matchtest.Put(t, run, pair)
			run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 40 })
			matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 10))
			log, err := s.Settings(t.Context(), run.ID())
			testutil.Require(t, err == nil && len(log) == 3, "%+v, %v", log, err)
			check := func() {
				t.Helper()
				setting, err := s.FirstStored(t.Context(), run.ID())
				testutil.Check(t, setting == log[1].ID && err == nil, "first stored at setting %d of %d (%v)", setting, log[1].ID,
					err)
			}
			check()
			if n, err := run.Void(t.Context(), "all", "me", func(match.Row) bool { return true }); len(n) != 2 || err != nil {
				t.Fatalf("%d pairs, %v", n, err)
			}
			check() // a voided first pair is still the first pair
		})
	}
}

// TestTargetLoweredAndRaised: a pair that was in play when the target was lowered is stored. A pair beyond every target
// is not.
func TestTargetLoweredAndRaised(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("r")) // 100 pairs
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Pairs = 5 })
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 99, 10))
	if _, err := run.Add(t.Context(), matchtest.Pair(run.Plan(), 100, 10)); err == nil ||
		!strings.Contains(err.Error(), "never had more than 100 pairs") {
		t.Errorf("a pair beyond every target: %v", err)
	}
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Pairs = 200 })
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 199, 10))
}

// TestOlderDatabases: gogi reads and resumes a database of an older gogi. It finds a change after the first game by the
// clocks, as the older gogi did.
func TestOlderDatabases(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 4 })
	// pair 0 began a second before pair 1
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 1, 30), matchtest.Pair(run.Plan(), 0, 30))
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 40 })
	first := matchtest.Pair(run.Plan(), 0, 0).Games[0].Started
	for i, at := range []time.Time{first.Add(-time.Hour), first, first.Add(time.Microsecond)} {
		testutil.Must(s.Writer().ExecContext(t.Context(), "UPDATE settings_log SET at = ?, checksum = NULL WHERE id = ?",
			tables.Micros(at), i+1))(t)
	}
	testutil.OK(t, run.Close())
	want, wantRows := resultstest.Dump(t, s, "r", false), resultstest.Games(t, s, 1)
	for version := 1; version <= 3; version++ {
		if version == 3 {
			testutil.Must(s.Writer().ExecContext(t.Context(),
				"UPDATE pairs SET setting = NULL, stored = NULL, checksum = NULL"))(t)
		}
		path := resultstest.Older(t, s.Path(), version)
		reader := testutil.Must(results.OpenExisting(t.Context(), path))(t)
		testutil.Equal(t, resultstest.Dump(t, reader, "r", false), want, "version %d: the dump", version)
		testutil.Diff(t, wantRows, resultstest.Games(t, reader, 1), "version %d", version)
		setting, err := reader.FirstStored(t.Context(), 1)
		testutil.Check(t, setting == 2 && err == nil, "version %d: first stored at setting %d, %v", version, setting, err)
		testutil.OK(t, reader.Close())
		goesOn(t, path)
	}
}

// TestOlderDatabaseOfASlowClock: a player's clock may be behind the store's clock at the first start. The design of
// that start is still the first design of the run.
func TestOlderDatabaseOfASlowClock(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 10)) // in May 2026, by its clock
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Gate.Elo1 = 40 })
	testutil.OK(t, run.Close())
	reader := testutil.Must(results.OpenExisting(t.Context(), resultstest.Older(t, s.Path(), 2)))(t)
	setting, err := reader.FirstStored(t.Context(), 1)
	testutil.Check(t, setting == 1 && err == nil, "first stored at setting %d, %v", setting, err)
	testutil.OK(t, reader.Close())
}

// goesOn resumes a run of an older gogi. Its pairs remain the first pairs.
func goesOn(t *testing.T, path string) {
	t.Helper()
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	run := resultstest.Begin(t, s, plan)
	matchtest.Put(t, run, matchtest.Pair(plan, 5, 10))
	if added, err := run.Add(t.Context(), matchtest.Pair(plan, 0, 30)); added || err != nil {
		t.Errorf("a pair of the older gogi was added %t, %v", added, err)
	}
	if setting, err := s.FirstStored(t.Context(), run.ID()); setting != 2 || err != nil {
		t.Errorf("first stored at setting %d, %v", setting, err)
	}
	if n, err := run.Void(t.Context(), "old", "me", func(g match.Row) bool { return g.Pair < 5 }); len(n) != 2 ||
		err != nil {
		t.Errorf("%d pairs voided, %v", n, err)
	}
	if setting, err := s.FirstStored(t.Context(), run.ID()); setting != 2 || err != nil {
		t.Errorf("after voiding, first stored at setting %d, %v", setting, err)
	}
	checkWhole(t, s, run.ID())
}

func TestDurability(t *testing.T) {
	// SQLite's numbers of NORMAL and FULL
	for want, how := range map[int][]results.Durability{1: nil, 2: {results.Durable}} {
		s, err := results.Open(t.Context(), resultstest.Path(t), how...)
		testutil.OK(t, err)
		var got int
		err = s.Writer().QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&got)
		if err := errors.Join(err, s.Close()); err != nil || got != want {
			t.Errorf("%v: synchronous is %d, %v", how, got, err)
		}
	}
	testutil.Fails(t, testutil.Err(results.Open(t.Context(), resultstest.Path(t), "OFF")), `durability "OFF"`, "OFF")
}

// TestColumnsAreThoseOfTheSchema: gogi writes and reads every column of games, except id, which SQLite sets, and
// checksum.
func TestColumnsAreThoseOfTheSchema(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	resultstest.Begin(t, s, matchtest.Plan("r"))
	var schema string
	testutil.OK(t, s.Queries().QueryRowContext(t.Context(),
		"SELECT group_concat(name, ' ') FROM pragma_table_info('games')").Scan(&schema))
	var ours []string
	for _, c := range new(tables.Game).Columns() {
		if name, own := strings.CutPrefix(c.Name, "g."); own {
			ours = append(ours, name)
		}
	}
	want := slices.DeleteFunc(strings.Fields(schema)[1:], func(name string) bool { return name == "checksum" })
	slices.Sort(want)
	slices.Sort(ours)
	testutil.Diff(t, want, ours, "(-schema +columns)")
}

// TestRegistered: the data that a tune registers at its beginning never change. A new start does not report them as a
// change of settings.
func TestRegistered(t *testing.T) {
	plan, _ := resultstest.TunePlan(t)
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, plan)
	if text, err := s.Registered(t.Context(), run.ID()); err != nil || text != "" {
		t.Fatalf("%q, %v", text, err)
	}
	first, second := *plan, *plan
	first.Tune, first.Seed, second.Tune, second.Seed = "", 11, "", 12
	for _, p := range []*match.Plan{&first, &second} {
		testutil.OK(t, run.Register(t.Context(), p))
	}
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { *p = *plan })
	again := resultstest.Restart(t, s, run, func(p *match.Plan) { *p = *plan; p.Concurrency++ })
	text := testutil.Must(s.Registered(t.Context(), again.ID()))(t)
	if got, err := match.DecodePlan([]byte(text)); err != nil || got.Digest() != first.Digest() {
		t.Errorf("%+v, %v", got, err)
	}
	log, err := s.Settings(t.Context(), again.ID())
	testutil.Check(t, err == nil && len(log) == 3 && log[2].Validation == text && len(log[2].Changes) == 1,
		"%d settings, %v", len(log), err)
}
