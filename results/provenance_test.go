package results

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gogi/match"
)

// playedBy is the provenance of a pair that a worker of a farm has played: three
// workers, of two owners.
func playedBy(id int) match.Provenance {
	p := match.Provenance{Worker: fmt.Sprintf("worker-%d", id%3), Owner: "o", Epoch: math.MaxUint64 - uint64(id), Scale: 0.5 + float64(id%2)/2}
	if id%2 == 0 {
		p.Owner, p.Proof = "p", []byte{0, byte(id)}
	}
	return p
}

// farmed is a pair of a worker, played on another day than playedPair's.
func farmed(id int) match.PairResult {
	pair := playedPair(testPlan("r"), id, 12)
	for leg := range pair.Games {
		pair.Games[leg].Started = pair.Games[leg].Started.Add(time.Hour)
	}
	pair.Played = playedBy(id)
	return pair
}

// What is told of who played a pair comes back, with the games too; a stable dump is that
// of a run of one machine.
func TestProvenance(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run, local := beginTest(t, s, plan), beginTest(t, s, testPlan("local"))
	want := map[int]string{}
	for id := range 8 {
		pair := playedPair(plan, id, 20)
		put(t, local, pair)
		if id > 0 {
			pair.Played = playedBy(id)
		}
		want[id] = pair.Played.Worker
		put(t, run, pair)
		got, err := s.Pair(t.Context(), run.ID(), id)
		if diff := cmp.Diff(pair.Played, got.Played, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("pair %d (-added +got): %v\n%s", id, err, diff)
		}
	}
	for _, g := range allGames(t, s, run.ID()) {
		if g.Worker != want[g.Pair] {
			t.Errorf("pair %d is said to be of %q, not of %q", g.Pair, g.Worker, want[g.Pair])
		}
	}
	if dumpOf(t, s, "r", true) != dumpOf(t, s, "local", true) {
		t.Error("the stable dump depends on who played")
	}
	if text := dumpOf(t, s, "r", false); strings.Count(text, `"worker":"worker-1"`) != 2*3 {
		t.Errorf("the dump does not tell the workers:\n%s", text)
	}
	if c, err := s.Check(t.Context(), CheckOptions{}); err != nil || !c.Sound() || c.Runs[0].Unchecked != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if list, err := s.Workers(t.Context()); err != nil || len(list) != 6 || (list[0] != Worker{Name: "worker-1", Owner: "o"}) {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestProvenanceRefused(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	for _, p := range []match.Provenance{
		{Owner: "o"}, {Epoch: 1}, {Scale: 1}, {Proof: []byte{1}}, {Worker: "w", Scale: -1}, {Worker: "w", Scale: math.NaN()}, {Worker: "w", Scale: math.Inf(1)},
	} {
		pair := playedPair(plan, 0, 10)
		pair.Played = p
		if _, err := run.Add(t.Context(), pair); err == nil {
			t.Errorf("%+v was stored", p)
		}
	}
}

// A worker with a new key is told from what it was before.
func TestEnlist(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	play := func(id int) {
		pair := playedPair(plan, id, 10)
		pair.Played = match.Provenance{Worker: "w", Owner: "o"}
		put(t, run, pair)
	}
	for i, key := range []string{"UA", "UB", "UB"} {
		if err := s.Enlist(t.Context(), Worker{Name: "w", Owner: "o", Key: key}); err != nil {
			t.Fatal(err)
		}
		play(i)
	}
	if err := s.Enlist(t.Context(), Worker{Name: "w", Owner: "another", Key: "UC"}); err != nil {
		t.Fatal(err)
	}
	play(3)
	keys := ""
	if err := s.read.QueryRowContext(t.Context(), "SELECT group_concat(w.key, ' ') FROM (SELECT worker FROM pairs ORDER BY pair) p JOIN workers w ON w.id = p.worker").Scan(&keys); err != nil {
		t.Fatal(err)
	}
	if keys != "UA UB UB UB" {
		t.Errorf("the pairs were played with the keys %s", keys)
	}
	if list, err := s.Workers(t.Context()); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.Enlist(t.Context(), Worker{Key: "UD"}); err == nil {
		t.Error("a worker without a name")
	}
}

// A result of a playing that was voided does not come back, and takes nobody with it.
func TestTakes(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	take := func(id, want int) {
		t.Helper()
		if n, err := run.Take(t.Context(), id); n != want || err != nil {
			t.Errorf("pair %d: take %d, %v, want %d", id, n, err, want)
		}
	}
	take(0, 1)
	pair := playedPair(plan, 0, 10)
	if added, err := run.AddTake(t.Context(), pair, 1); !added || err != nil {
		t.Fatal(added, err)
	}
	if added, err := run.AddTake(t.Context(), pair, 1); added || err != nil {
		t.Errorf("a redelivery: %t, %v", added, err)
	}
	if _, err := run.Void(t.Context(), "test", "me", func(match.Row) bool { return true }); err != nil {
		t.Fatal(err)
	}
	take(0, 2)
	take(1, 1)
	for _, n := range []int{1, 3} {
		if added, err := run.AddTake(t.Context(), pair, n); added || !errors.Is(err, ErrOldTake) {
			t.Errorf("take %d: %t, %v", n, added, err)
		}
	}
	if _, err := run.AddTake(t.Context(), pair, 0); err == nil || errors.Is(err, ErrOldTake) {
		t.Errorf("take 0: %v", err)
	}
	if finished, err := run.Finished(t.Context()); err != nil || len(finished) > 0 {
		t.Errorf("%v, %v", finished, err)
	}
	// In one batch the others are stored.
	rows := make([]request, 3)
	for i := range rows {
		r, err := run.rows(playedPair(plan, i, 10))
		if err != nil {
			t.Fatal(err)
		}
		rows[i] = request{pair: r, take: 1, answer: make(chan answer, 1)}
	}
	run.writeBatch(t.Context(), rows)
	for i, req := range rows {
		if a := <-req.answer; a.added != (i > 0) || errors.Is(a.err, ErrOldTake) != (i == 0) {
			t.Errorf("pair %d of a batch: %+v", i, a)
		}
	}
	if added, err := run.AddTake(t.Context(), pair, 2); !added || err != nil {
		t.Errorf("take 2: %t, %v", added, err)
	}
}

// fixture is a file of testdata, unpacked.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A database that the gogi before provenance has written, with the dump that it wrote of
// it: read as it is, migrated, played into, and repaired, each row has the checksum
// that it had.
func TestSchema4(t *testing.T) {
	path := testPath(t)
	if err := os.WriteFile(path, fixture(t, "schema4.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := string(fixture(t, "schema4.dump"))
	looks := func(when string, more int) {
		t.Helper()
		s, err := OpenExisting(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := dumpOf(t, s, "r", false); more == 0 && got != want {
			t.Errorf("%s: %s", when, cmp.Diff(want, got))
		}
		if c, err := s.Check(t.Context(), CheckOptions{}); err != nil || !c.Sound() || c.Runs[0].Sound != 4+more || c.Runs[0].Unchecked != 0 {
			t.Errorf("%s: %+v, %v", when, c, err)
		}
		if list, err := s.Workers(t.Context()); len(list) != more || err != nil {
			t.Errorf("%s: workers %v, %v", when, list, err)
		}
		repaired := filepath.Join(t.TempDir(), "repaired.db")
		if r, err := Repair(t.Context(), path, repaired, nil); err != nil || !r.Whole() || r.Runs[0].Saved != 4+more || r.Runs[0].Unchecked != 0 {
			t.Errorf("%s, repaired: %+v, %v", when, r, err)
		}
		if got := dumpLines(t, repaired); more == 0 && len(got) != strings.Count(want, "\n")-1 {
			t.Errorf("%s, repaired: %d lines", when, len(got))
		}
	}
	looks("as it is", 0)
	s := openTest(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	looks("migrated", 0)
	s = openTest(t, path)
	run := beginTest(t, s, testPlan("r"))
	put(t, run, farmed(1))
	if list, err := s.Voided(t.Context(), run.ID()); err != nil || len(list) != 1 || list[0].By != "" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := errors.Join(run.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	looks("played into", 1)
}

// Page by page, without SQLite, rows of both ages are found: those that were written
// before there were columns for provenance are shorter.
func TestSalvageOfBothAges(t *testing.T) {
	path := testPath(t)
	if err := os.WriteFile(path, fixture(t, "schema4.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, path)
	run := beginTest(t, s, testPlan("r"))
	for _, id := range []int{1, 7, 8} {
		put(t, run, farmed(id))
	}
	want := dumpOf(t, s, "r", false)
	if err := errors.Join(run.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(file[100:], bytes.Repeat([]byte{0xff}, 300)) // the schema: SQLite reads nothing
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "repaired.db")
	r, err := Repair(t.Context(), path, to, nil)
	if err != nil || !r.Whole() || r.Runs[0].Saved != 7 || r.Runs[0].Unchecked != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	lines := linesIn(want)
	maps.DeleteFunc(lines, func(line string, _ bool) bool { return strings.HasPrefix(line, `{"type":"run"`) })
	if got := dumpLines(t, to); !maps.Equal(got, lines) {
		t.Errorf("(-want +got):\n%.2000s", cmp.Diff(slices.Sorted(maps.Keys(lines)), slices.Sorted(maps.Keys(got))))
	}
}

// A lost worker costs no games; a pair that is told to be another's is found.
func TestDamagedProvenance(t *testing.T) {
	path := testPath(t)
	s := openTest(t, path)
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	for id := range 4 {
		pair := playedPair(plan, id, 12)
		pair.Played = match.Provenance{Worker: []string{"x", "y"}[id%2], Owner: "o", Epoch: 5, Scale: 1}
		put(t, run, pair)
	}
	if err := errors.Join(run.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"UPDATE pairs SET worker = 2 WHERE pair = 2", "UPDATE pairs SET worker = NULL WHERE pair = 2", "UPDATE pairs SET epoch = 6 WHERE pair = 2",
		"UPDATE pairs SET scale = 2 WHERE pair = 2", "UPDATE pairs SET proof = x'01' WHERE pair = 2", "UPDATE workers SET name = 'another' WHERE id = 1",
	} {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		execOn(t, path, change)
		if c := checkup(t, path); c.Sound() {
			t.Errorf("%s: not found", change)
		}
		if r, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), "to.db"), nil); err != nil || r.Whole() {
			t.Errorf("%s: %+v, %v", change, r, err)
		}
	}
	to := filepath.Join(t.TempDir(), "to.db")
	r, err := Repair(t.Context(), path, to, nil) // the last change took a name
	if err != nil || len(r.Lost) != 2 || !strings.Contains(r.Lost[0].What, "which worker") || r.Runs[0].Saved != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	s = openTest(t, to)
	var workers []string
	for _, g := range allGames(t, s, 1) {
		workers = append(workers, g.Worker)
	}
	if want := []string{"", "", "y", "y", "", "", "y", "y"}; !slices.Equal(workers, want) {
		t.Errorf("%q, want %q", workers, want)
	}
	if c := checkup(t, to); !c.Sound() {
		t.Errorf("%+v", c)
	}
}

// Numbers of workers are a database's own; a merged one has each worker once.
func TestMergeWorkers(t *testing.T) {
	dir := t.TempDir()
	make1 := func(name string, ids []int, who func(int) string) string {
		path := filepath.Join(dir, name)
		s := openTest(t, path)
		plan := testPlan("r")
		run := beginTest(t, s, plan)
		for _, id := range ids {
			pair := playedPair(plan, id, 12)
			pair.Played = match.Provenance{Worker: who(id), Owner: "o", Epoch: uint64(id)}
			put(t, run, pair)
		}
		if _, err := run.Void(t.Context(), "gone", "me", func(g match.Row) bool { return g.Pair == ids[0] }); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(run.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := make1("a.db", []int{0, 1, 2, 3}, func(id int) string { return []string{"x", "y"}[id%2] })
	b := make1("b.db", []int{4, 5, 6, 7}, func(id int) string { return []string{"z", "y", "x", "y"}[id%4] })
	to := filepath.Join(dir, "c.db")
	if _, err := Merge(t.Context(), to, []string{a, b}, false, nil); err != nil {
		t.Fatal(err)
	}
	want := dumpLines(t, a)
	maps.Copy(want, dumpLines(t, b))
	if got := dumpLines(t, to); !maps.Equal(got, want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	if c := checkup(t, to); !c.Sound() || c.Runs[0].Sound != 6 {
		t.Errorf("%+v", c)
	}
	s := openTest(t, to)
	if list, err := s.Workers(t.Context()); err != nil || len(list) != 2 { // z's only pair was voided
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := s.Voided(t.Context(), 1); err != nil || len(list) != 2 || list[1].By != "me" {
		t.Errorf("%+v, %v", list, err)
	}
	execOn(t, b, "UPDATE workers SET owner = 'q'")
	if _, err := Merge(t.Context(), filepath.Join(dir, "d.db"), []string{a, b}, false, nil); err == nil || !strings.Contains(err.Error(), "workers") {
		t.Errorf("a damaged worker: %v", err)
	}
}

// Records are read one by one with what was known of the run before, also of a worker who
// has come since.
func TestRecordOfANewWorker(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	for id, worker := range []string{"", "w", "x"} {
		pair := playedPair(plan, id, 10+id)
		if worker != "" {
			pair.Played = match.Provenance{Worker: worker, Owner: "o"}
		}
		put(t, run, pair)
		record, err := s.Record(t.Context(), run.ID(), id, 0)
		if err != nil || len(record.Moves) != len(pair.Games[0].Record.Moves) {
			t.Errorf("pair %d: %v", id, err)
		}
	}
	if _, err := s.Record(t.Context(), run.ID(), 3, 0); !errors.Is(err, ErrNoGame) {
		t.Error(err)
	}
}
