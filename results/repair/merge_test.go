package repair

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/resultstest"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	a := resultstest.Filled(t, "a.db", []int{0, 1, 2, 3}, nil)
	b := resultstest.Filled(t, "b.db", []int{2, 3, 9}, func(p *match.Plan) { p.Pairs, p.Gate.Elo1 = 500, 4 })
	to := filepath.Join(t.TempDir(), "c.db")
	m := testutil.Must(Merge(t.Context(), to, []string{a, b}, false, nil))(t)
	if r := m.Runs[0]; len(m.Runs) != 1 || r.Name != "r" || r.Pairs != 5 || !slices.Equal(r.Taken, []int{4, 1}) ||
		r.Same != 2 || len(m.Conflicts) > 0 {
		t.Errorf("%+v", m)
	}
	want := resultstest.DumpLines(t, a)
	maps.Copy(want, resultstest.DumpLines(t, b))
	got := resultstest.DumpLines(t, to)
	testutil.Check(t, maps.Equal(got, want), "the union has %d lines, expected %d", len(got), len(want))
	c := checkup(t, to)
	testutil.Check(t, c.Sound() && c.Runs[0].Sound == 5 && c.Runs[0].Unchecked == 0, "%+v", c)
	s := resultstest.Open(t, to)
	if info, err := s.FindRun(t.Context(), "r"); err != nil || info.Pairs != 500 {
		t.Errorf("the target: %+v, %v", info, err)
	}
	// The SPRT of the second database counts as one that was set after the first game.
	log, err := s.Settings(t.Context(), 1)
	if first, e := s.FirstStored(t.Context(), 1); err != nil || e != nil || len(log) != 2 || first != log[0].ID ||
		log[1].Gate.Elo1 != 4 {
		t.Errorf("%+v, first %d, %v, %v", log, first, err, e)
	}
	plan := matchtest.Plan("r") // the run can be resumed
	run := resultstest.Begin(t, s, plan)
	if added, err := run.Add(t.Context(), matchtest.Pair(plan, 9, 20)); added || err != nil {
		t.Errorf("a pair of the second is added again: %t, %v", added, err)
	}
	matchtest.Put(t, run, matchtest.Pair(plan, 7, 20))
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	a := resultstest.Filled(t, "a.db", []int{0, 1}, nil)
	other := resultstest.Filled(t, "b.db", []int{1, 4}, nil)
	s := resultstest.Open(t, other) // pair 1 is played again
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	testutil.Must(run.Void(t.Context(), "again", "me", func(g match.Row) bool { return g.Pair == 1 }))(t)
	again := matchtest.Pair(matchtest.Plan("r"), 1, 24)
	again.Games[0].Started = again.Games[0].Started.Add(time.Hour)
	matchtest.Put(t, run, again)
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	damaged := resultstest.Filled(t, "d.db", []int{0}, nil)
	resultstest.Exec(t, damaged, "UPDATE games SET plies = plies + 1 WHERE leg = 1")
	foreign := resultstest.Filled(t, "f.db", []int{0}, func(p *match.Plan) { p.Seed++ })
	dir := t.TempDir()
	to := filepath.Join(dir, "c.db")
	for want, from := range map[string][]string{
		"pair 1: ": {a, other}, "damaged": {a, damaged}, "seed: ": {a, foreign}, "not found. Run": {a, to},
		"named twice": {a, a},
	} {
		testutil.Fails(t, testutil.Err(Merge(t.Context(), to, from, false, nil)), want)
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("%s: a refused merge left %v, %v", want, left, err)
		}
	}
	var conflicting *Conflicting
	if _, err := Merge(t.Context(), to, []string{a, other}, false, nil); !errors.As(err, &conflicting) ||
		len(conflicting.Conflicts) == 0 || conflicting.Conflicts[0].Pair != 1 {
		t.Errorf("%v", err)
	}
	for i, from := range [][]string{{a, other}, {other, a}} {
		to := filepath.Join(dir, fmt.Sprint(i))
		m, err := Merge(t.Context(), to, from, true, nil)
		testutil.Require(t, err == nil && len(m.Conflicts) != 0 && m.Runs[0].Pairs == 3, "%+v, %v", m, err)
		first, both := resultstest.DumpLines(t, from[0]), resultstest.DumpLines(t, to)
		for line := range first { // the first database decides
			testutil.Check(t, !strings.HasPrefix(line, `{"type":"game","pair":1,`) || both[line],
				"%v: a game of the first is missing", from)
		}
	}
	testutil.Is(t, testutil.Err(Merge(t.Context(), a, []string{other}, false, nil)), fs.ErrExist, "over a database")
}

// olderRecords gives the records of a database without checksums the form of a gogi before schema 11.
func olderRecords(t *testing.T, path string) {
	t.Helper()
	db := testutil.Must(sql.Open("sqlite3", path))(t)
	list := testutil.Must(tables.List(t.Context(), db, func(rows *sql.Rows, r *kifu.Record) error {
		var packed []byte
		err := rows.Scan(&r.Site, &packed)
		if err == nil {
			r.Moves, err = kifu.Unpack(packed)
		}
		return err
	}, "SELECT game_id, plies FROM records"))(t)
	for _, r := range list {
		testutil.OK(t, testutil.Err(db.ExecContext(t.Context(), "UPDATE records SET start = ?, plies = ? WHERE game_id = ?",
			tables.Start(""), testutil.Must(kifu.Pack(r.Moves, 99))(t), r.Site)))
	}
	testutil.OK(t, db.Close())
}

// TestMergeOlder: a merge includes the pairs of an older gogi, and they stay unchecked. A pair that both databases have
// is the same in both forms of records.
func TestMergeOlder(t *testing.T) {
	t.Parallel()
	a := resultstest.Filled(t, "a.db", []int{0, 1}, nil)
	old := resultstest.Older(t, resultstest.Filled(t, "b.db", []int{1, 2}, nil), 1)
	olderRecords(t, old)
	to := filepath.Join(t.TempDir(), "c.db")
	m := testutil.Must(Merge(t.Context(), to, []string{a, old}, false, nil))(t)
	testutil.Equal(t, m.Runs[0].Same, 1, "pairs in both databases")
	if c := checkup(t, to); !c.Sound() || c.Runs[0].Sound != 3 || c.Runs[0].Unchecked != 1 {
		t.Errorf("%+v", c)
	}
	if c := checkup(t, old); !c.Sound() || c.Runs[0].Unchecked != 2 {
		t.Errorf("%+v", c)
	}
}

// TestMain lets the test binary be the second process of TestKilledUpkeep.
func TestMain(m *testing.M) {
	if path := os.Getenv(upkeepEnv); path != "" {
		fmt.Println("error:", runUpkeep(path, os.Getenv(upkeepModeEnv))) // for the first process, if it still runs
		return
	}
	m.Run()
}

const (
	upkeepEnv     = "GOGI_MENDING_TEST_DB"
	upkeepModeEnv = "GOGI_MENDING_TEST_MODE"
)

// runUpkeep is the second process. It repeats one operation until it is killed.
func runUpkeep(path, mode string) error {
	ctx := context.Background()
	for n := 0; ; n++ {
		to := fmt.Sprintf("%s.%d", path, n)
		var err error
		switch mode {
		case "repair":
			_, err = Repair(ctx, path, to, func(int, int) { fmt.Println("at it") })
		case "merge":
			_, err = Merge(ctx, to, []string{path}, false, func(int, int) { fmt.Println("at it") })
		default:
			fmt.Println("at it")
			var s *results.Store
			if s, err = results.OpenExisting(ctx, path); err == nil {
				_, err = Check(ctx, s, CheckOptions{Progress: func(int, int) { fmt.Println("at it") }})
				err = errors.Join(err, s.Backup(ctx, to), s.Close())
			}
		}
		if err != nil {
			return err
		}
		if err := os.Remove(to); err != nil {
			return err
		}
	}
}

// TestKilledUpkeep: a process that works on a database may be killed at any time. It leaves the database unchanged, and
// no incomplete new database.
func TestKilledUpkeep(t *testing.T) {
	t.Parallel()
	path := resultstest.Filled(t, "a.db", []int{0, 1, 2, 3, 4, 5}, nil)
	before := testutil.Must(os.ReadFile(path))(t)
	for _, mode := range []string{"repair", "merge", "backup"} {
		for after := 1; after < 30; after += testutil.ByLength(14, 7) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), upkeepEnv+"="+path, upkeepModeEnv+"="+mode)
			out := testutil.Must(cmd.StdoutPipe())(t)
			testutil.OK(t, cmd.Start())
			lines := bufio.NewScanner(out)
			for range after {
				if !lines.Scan() || lines.Text() != "at it" {
					t.Fatalf("%s said %q", mode, lines.Text())
				}
			}
			testutil.OK(t, cmd.Process.Kill())
			resultstest.Killed(t, cmd.Wait())
			now, err := os.ReadFile(path)
			testutil.Require(t, err == nil && string(now) == string(before), "%s changed the database (%v)", mode, err)
			left := testutil.Must(filepath.Glob(path + ".*"))(t)
			for _, name := range left {
				if !strings.Contains(name, ".part") {
					c := checkup(t, name)
					testutil.Check(t, c.Sound() && c.Runs[0].Sound == 6, "%s left half of a database: %+v", mode, c)
				}
				_ = os.Remove(name)
			}
		}
	}
}

// TestDamagedLog: SQLite reads nothing after a damaged frame of the log, and Check reports it. Repair finds the data
// after the frame.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	file := resultstest.Path(t)
	s, plan := resultstest.Open(t, file), matchtest.Plan("r")
	run := resultstest.Begin(t, s, plan)
	for id := range 6 {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 30))
	}
	dir := t.TempDir()
	testutil.OK(t, exec.CommandContext(t.Context(), "cp", file, file+"-wal", dir).Run())
	path := filepath.Join(dir, filepath.Base(file))
	testutil.OK(t, run.Close())
	text := testutil.Must(os.ReadFile(path + "-wal"))(t)
	const frame = 24 + tables.PageSize
	last := (len(text) - 32) / frame
	text[32+(last-9)*frame+4000] ^= 4
	testutil.OK(t, os.WriteFile(path+"-wal", text, 0o600))
	r, err := Repair(t.Context(), path, path+".new", nil)
	testutil.Require(t, err == nil && len(r.Runs) == 1 && r.Runs[0].Saved >= 5, "%+v, %v", r, err)
	if c := checkup(t, path+".new"); !c.Sound() || c.Runs[0].Sound != r.Runs[0].Saved {
		t.Errorf("%+v", c)
	}
	after, err := os.ReadFile(path + "-wal")
	testutil.Check(t, err == nil && string(after) == string(text),
		"repairing changed the log from %d to %d bytes, %v", len(text), len(after), err)
	testutil.Fails(t, testutil.Err(results.Open(t.Context(), path)), "gogi db repair saves it", "playing into it")
	c := checkup(t, path)
	testutil.Check(t, !c.Sound() && strings.Contains(c.Problems[0].What, "the log is damaged at frame"), "%+v", c)
}

// TestRepairRefuses: Repair rejects a database that a process plays into, and a file without a run.
func TestRepairRefuses(t *testing.T) {
	t.Parallel()
	path := resultstest.Path(t)
	resultstest.Begin(t, resultstest.Open(t, path), matchtest.Plan("r"))
	to := path + ".new"
	testutil.Is(t, testutil.Err(Repair(t.Context(), path, to, nil)), results.ErrRunLocked)
	text := filepath.Join(t.TempDir(), "text.db")
	testutil.OK(t, os.WriteFile(text, []byte(strings.Repeat("no database\n", 5000)), 0o600))
	testutil.Fails(t, testutil.Err(Repair(t.Context(), text, to, nil)), "nothing of a run could be found")
	testutil.Is(t, testutil.Err(os.Stat(to)), fs.ErrNotExist, "a refused repair made %s", to)
}

// TestDamagedRows: a reader names the damaged row. A replay finds games that were stored wrong, which checksums do not
// find.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{
		"UPDATE games SET black_nodes = black_nodes + 1 WHERE pair = 1 AND leg = 1":                         `in table games, run "r", pair 1, leg 1`,
		"UPDATE pairs SET a = 1 - a, b = 1 - b WHERE pair = 1":                                              `in table pairs, run "r", pair 1`,
		"UPDATE openings SET start = start || ' ' WHERE id = (SELECT opening_id FROM pairs WHERE pair = 1)": `in table games, run "r", pair`,
		"UPDATE records SET site = 'x' WHERE game_id = (SELECT id FROM games WHERE pair = 1 AND leg = 0)":   `in table records, run "r", pair 1, leg 0`,
		"UPDATE runs SET pairs = 7":                           `in table runs, run "r" a row`,
		"UPDATE engines SET limits = 'nodes 1' WHERE idx = 1": `in table engines, run "r" a row`,
		"UPDATE settings_log SET at = 1":                      `in table settings_log, run "r" a row`,
		"UPDATE attempts SET why = 'fast' WHERE pair = 1":     `in table attempts, run "r", pair 1 a row`,
	} {
		path := resultstest.Filled(t, "a.db", []int{0, 1, 2}, nil)
		resultstest.Exec(t, path, what)
		s, err := results.OpenExisting(t.Context(), path)
		testutil.OK(t, err)
		err = dump.Write(t.Context(), s, &strings.Builder{}, "r", false)
		var damaged *tables.Damaged
		testutil.Check(t, errors.As(err, &damaged) && strings.Contains(err.Error(), want), "%s: %v", what, err)
		testutil.OK(t, s.Close())
		if c := checkup(t, path); c.Sound() {
			t.Errorf("%s: the check finds nothing", what)
		}
	}
	// The games of matchtest have arbitrary ends, so a replay rejects them.
	s := resultstest.Open(t, resultstest.Filled(t, "a.db", []int{0, 1}, nil))
	c, err := Check(t.Context(), s, CheckOptions{Replay: true})
	if err != nil || c.Sound() || c.Runs[0].Replayed+len(c.Problems) != 2 ||
		!strings.Contains(c.Problems[0].Error(), `run "r": pair `) {
		t.Errorf("%+v, %v", c, err)
	}
	testutil.Fails(t, testutil.Err(Check(t.Context(), s, CheckOptions{Run: "q"})), `no run is named "q"`)
}
