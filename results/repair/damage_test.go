package repair

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/file"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// flips is the number of bits that TestFlippedBits flips. A run for a change to checksums or repair uses thousands.
var flips = flag.Int("flips", 0, "how many bits are flipped; 0: six, and 24 with -long")

// damagedPairs is enough for every kind of page.
const damagedPairs = 24

// damageable returns a database with every kind of data, and its dump by lines.
func damageable(t *testing.T) (file []byte, dump map[string]bool) {
	t.Helper()
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	run := resultstest.Begin(t, s, plan)
	for id := range damagedPairs {
		pair := matchtest.Pair(plan, id, 60)
		if id%7 == 0 {
			pair.Attempts = []match.Attempt{{Pair: id, Ended: pair.Games[0].Started, Why: "slow"}}
		}
		if id == 9 { // a record that takes several pages
			for i := range pair.Games[1].Record.Moves {
				pair.Games[1].Record.Moves[i].Detail = []byte(fmt.Sprintf("%x", rand.New(rand.NewPCG(3, uint64(i))).Perm(300)))
			}
		}
		if id%3 > 0 {
			pair.Played = matchtest.PlayedBy(id)
		}
		matchtest.Put(t, run, pair)
	}
	if n, err := run.Void(t.Context(), "slowed", "me",
		func(g match.Row) bool { return g.Pair == 5 || g.Pair == 6 }); len(n) != 2 || err != nil {
		t.Fatal(n, err)
	}
	again := matchtest.Pair(plan, 6, 40)
	for leg := range again.Games {
		again.Games[leg].Started = again.Games[leg].Started.Add(time.Hour)
	}
	matchtest.Put(t, run, again)
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { p.Concurrency = 3 })
	text := resultstest.Dump(t, s, "r", false)
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	file = testutil.Must(os.ReadFile(path))(t)
	return file, resultstest.Lines(text)
}

// gamesIn counts the games of a dump.
func gamesIn(lines map[string]bool) (n int) {
	for line := range lines {
		if strings.HasPrefix(line, `{"type":"game"`) {
			n++
		}
	}
	return n
}

// contents returns everything that SQLite reads from a file except the checksums, or "" after an error.
func contents(ctx context.Context, path string) string {
	db, err := file.ReaderAsItStands(ctx, path, connections)
	if err != nil {
		return ""
	}
	defer func() { _ = db.Close() }()
	current, err := tables.CurrentSchema()
	if err != nil {
		return ""
	}
	var out strings.Builder
	for _, l := range current.Tables {
		if l.Name == "stored" {
			continue // it has no checksum to leave out
		}
		err := tables.EachRow(ctx, db, l.Name, func(r *tables.Row) error {
			fmt.Fprintln(&out, l.Name, r.With("checksum", nil).Values)
			return nil
		}, "NOT INDEXED")
		if err != nil {
			return ""
		}
	}
	return out.String()
}

// TestFlippedBits: one bit of a real database flips. The check finds every flip that changes stored data, and a dump
// has only stored data. A repair loses at most one pair, and all other pairs are unchanged.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	file, want := damageable(t)
	dir := t.TempDir()
	original := filepath.Join(dir, "original.db")
	testutil.OK(t, os.WriteFile(original, file, 0o600))
	whole := contents(t.Context(), original)
	if c := checkup(t, original); whole == "" || !c.Sound() {
		t.Fatalf("the sound one: %+v", c)
	}
	r := rand.New(rand.NewPCG(11, 1))
	var changed, found, lostPairs, lostRuns int
	many := cmp.Or(*flips, testutil.ByLength(6, 24))
	for n := range many {
		bit := r.IntN(8 * len(file))
		path := filepath.Join(dir, fmt.Sprintf("%d.db", n))
		damaged := append([]byte{}, file...)
		damaged[bit/8] ^= 1 << (bit % 8)
		testutil.OK(t, os.WriteFile(path, damaged, 0o600))
		c := checkup(t, path)
		if !c.Sound() {
			found++
		}
		dump := dumpIfAny(t, path, want, bit)
		if contents(t.Context(), path) != whole || dump != nil && len(dump) != len(want) {
			if changed++; c.Sound() {
				t.Errorf("bit %d (byte %d of page %d): what is stored has changed, and the check finds nothing", bit,
					bit/8%tables.PageSize, bit/8/tables.PageSize+1)
			}
		}
		runs, pairs := repaired(t, path, want, bit)
		lostRuns += runs
		lostPairs += pairs
		for _, end := range []string{"", "-wal", "-shm", "-lock", ".new", ".new-wal", ".new-shm", ".new-lock"} {
			_ = os.Remove(path + end) // most are not there
		}
	}
	t.Logf("%d flips: %d changed what is stored, %d found, %d pairs lost, %d runs lost", many, changed, found, lostPairs,
		lostRuns)
	testutil.Check(t, changed != 0 && lostPairs != 0, "nothing was damaged")
}

// checkup returns the result of a check of a file. A file that cannot be opened has one problem.
func checkup(t *testing.T, path string) *Checkup {
	t.Helper()
	s, err := results.OpenExisting(t.Context(), path)
	if err != nil {
		return &Checkup{Problems: []Problem{{Pair: -1, What: err.Error()}}}
	}
	c, err := Check(t.Context(), s, CheckOptions{})
	if err != nil {
		c = &Checkup{Problems: []Problem{{Pair: -1, What: err.Error()}}}
	}
	_ = s.Close() // closing a damaged database may fail
	return c
}

// dumpIfAny dumps a damaged file, and returns nil after an error. The test fails if a line was never stored.
func dumpIfAny(t *testing.T, path string, want map[string]bool, bit int) map[string]bool {
	t.Helper()
	s, err := results.OpenExisting(t.Context(), path)
	if err != nil {
		return nil
	}
	var out strings.Builder
	err = dump.Write(t.Context(), s, &out, "r", false)
	_ = s.Close() // as above
	lines := resultstest.Lines(out.String())
	for line := range lines {
		if !want[line] {
			t.Errorf("bit %d (byte %d of page %d): this was printed and never stored: %.300s", bit, bit/8%tables.PageSize,
				bit/8/tables.PageSize+1, line)
		}
	}
	if err != nil {
		return nil
	}
	return lines
}

// repaired repairs a damaged file and compares the saved data with the original data.
func repaired(t *testing.T, path string, want map[string]bool, bit int) (lostRuns, lostPairs int) {
	t.Helper()
	before := testutil.Must(os.ReadFile(path))(t)
	where := fmt.Sprintf("bit %d (byte %d of page %d)", bit, bit/8%tables.PageSize, bit/8/tables.PageSize+1)
	r, err := Repair(t.Context(), path, path+".new", nil)
	after, _ := os.ReadFile(path)
	testutil.Check(t, string(after) == string(before), "%s: repairing changed the file", where)
	if err != nil {
		t.Logf("%s: %v", where, err)
		return 1, 0
	}
	if len(r.LostRuns) > 0 {
		t.Logf("%s: %v", where, r.LostRuns)
		return 1, 0
	}
	got := dumpIfAny(t, path+".new", want, bit)
	n := gamesIn(want) - gamesIn(got)
	testutil.Check(t, n == 0 || n == 2, "%s: %d games were lost", where, n)
	c := checkup(t, path+".new")
	testutil.Check(t, c.Sound(), "%s: what was repaired is damaged: %v", where, c.Problems)
	if reported := len(r.Lost); n > 0 && reported == 0 {
		t.Logf("%s: a pair was lost of which nothing was found", where)
	}
	return 0, n / 2
}
