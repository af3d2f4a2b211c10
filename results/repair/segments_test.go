package repair

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/segments"
	"gogi/results/tables"
)

// packedFile is the database of packed, which the first test fills.
var packedFile struct {
	filled sync.Once
	text   []byte
}

// packed returns the path of a copy of a database that has one segment.
func packed(t *testing.T) string {
	t.Helper()
	packedFile.filled.Do(func() { packedFile.text = testutil.Must(os.ReadFile(pack(t, 1)))(t) })
	path := resultstest.Path(t)
	testutil.OK(t, os.WriteFile(path, packedFile.text, 0o600))
	n := segmentsIn(t, path)
	testutil.Require(t, n == 1, "%d segments", n)
	return path
}

// pack fills a database with some segments, and returns its path.
func pack(t *testing.T, some int) string {
	t.Helper()
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	plan.Pairs = some * segments.Pairs
	run := resultstest.Begin(t, s, plan)
	todo := make(chan int) // closed after the last number
	var adding sync.WaitGroup
	for range 16 {
		adding.Go(func() {
			for id := range todo {
				if _, err := run.Add(t.Context(), matchtest.Pair(plan, id, 4)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for segment := range some {
		for id := range segments.Least + 4 {
			todo <- segment*segments.Pairs + id
		}
	}
	close(todo)
	adding.Wait()
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	return path
}

// segmentsIn counts the segments of a database.
func segmentsIn(t *testing.T, path string) (n int) {
	t.Helper()
	s := resultstest.Existing(t, path)
	testutil.OK(t, s.Moment(t.Context(), "counting", func(m results.Moment) error {
		return m.Q.QueryRowContext(t.Context(), "SELECT count(*) FROM segments").Scan(&n)
	}))
	return n
}

// segmentOf returns the only segment of a database.
func segmentOf(t *testing.T, path string) (blob []byte) {
	t.Helper()
	s := resultstest.Existing(t, path)
	testutil.OK(t, s.Moment(t.Context(), "reading", func(m results.Moment) error {
		return m.Q.QueryRowContext(t.Context(), "SELECT games FROM segments").Scan(&blob)
	}))
	return blob
}

// rowsIn returns the games of a database, or nil if reading it gives an error.
func rowsIn(ctx context.Context, path string) (rows []match.Row) {
	s, err := results.OpenExisting(ctx, path)
	if err != nil {
		return nil
	}
	defer func() { _ = s.Close() }() // it was only read
	info, err := s.FindRun(ctx, "r")
	if err != nil {
		return nil
	}
	if err := s.Games(ctx, info.ID, func(g match.Row) error { rows = append(rows, g); return nil }); err != nil {
		return nil
	}
	return rows
}

// TestFlippedBitsBesideSegments: if any bit flips in a database with segments, a reader returns the stored data or an
// error.
func TestFlippedBitsBesideSegments(t *testing.T) {
	t.Parallel()
	path := packed(t)
	want := rowsIn(t.Context(), path)
	file, err := os.ReadFile(path)
	testutil.Require(t, err == nil && len(want) == 2*(segments.Least+4), "%d games, %v", len(want), err)
	blob := segmentOf(t, path)
	at := bytes.Index(file, blob[len(blob)/2:][:64]) // a random place is rarely within the one segment
	testutil.Require(t, at >= 0, "the segment is not in the file")
	r := rand.New(rand.NewPCG(8, uint64(len(file))))
	told, n := 0, max(60, *flips)
	for i := range n {
		bit := r.IntN(8 * len(file))
		if i%2 == 0 {
			bit = 8*at + r.IntN(8*4000)
		}
		changed := append([]byte{}, file...)
		changed[bit/8] ^= 1 << (bit % 8)
		other := filepath.Join(t.TempDir(), "x.db")
		testutil.OK(t, os.WriteFile(other, changed, 0o600))
		got := rowsIn(t.Context(), other)
		if got != nil {
			told++
		}
		testutil.Check(t, got == nil || reflect.DeepEqual(want, got), "bit %d: other games", bit)
	}
	testutil.Check(t, told >= n/2, "%d of %d files were read: the others prove nothing", told, n)
}

// TestSegmentsMended: a check reports a damaged segment, and a segment that differs from the rows. A database that was
// repaired, merged or copied has right segments.
func TestSegmentsMended(t *testing.T) {
	t.Parallel()
	path := packed(t)
	want := rowsIn(t.Context(), path)
	if c := checkup(t, path); !c.Sound() {
		t.Fatalf("%v", c.Problems)
	}
	for name, change := range map[string]string{
		"damaged": "UPDATE segments SET checksum = checksum + 1",
		"stale":   "DROP TRIGGER segments_game_changed; UPDATE games SET slot = slot + 1, checksum = NULL WHERE pair = 3",
	} {
		dir := t.TempDir()
		broken, mended := filepath.Join(dir, name), filepath.Join(dir, "mended")
		testutil.OK(t, resultstest.Open(t, path).Backup(t.Context(), broken))
		resultstest.Exec(t, broken, change)
		c := checkup(t, broken)
		if name == "damaged" && (len(c.Problems) != 1 ||
			!strings.Contains(c.Problems[0].What, "the segment is not what was stored")) {
			t.Errorf("%s: %v", name, c.Problems)
		}
		rows := slices.Clone(want)
		if name == "stale" { // the rows have no checksum that shows the change
			if len(c.Problems) != 2 || !strings.Contains(c.Problems[0].What, "the schema of segments_game_changed") ||
				!strings.Contains(c.Problems[1].What, "not what the rows say") {
				t.Errorf("%s: %v", name, c.Problems)
			}
			rows[6].Slot++
			rows[7].Slot++
		}
		testutil.Must(Repair(t.Context(), broken, mended, nil))(t)
		if c := checkup(t, mended); !c.Sound() || segmentsIn(t, mended) != 1 ||
			!reflect.DeepEqual(rows, rowsIn(t.Context(), mended)) {
			t.Errorf("%s: mended, it has %d segments, and %v", name, segmentsIn(t, mended), c.Problems)
		}
	}
	merged := filepath.Join(t.TempDir(), "merged")
	testutil.Must(Merge(t.Context(), merged, []string{path}, false, nil))(t)
	n := segmentsIn(t, merged)
	testutil.Check(t, n == 1 && reflect.DeepEqual(want, rowsIn(t.Context(), merged)), "merged, it has %d segments", n)
}

// TestRowsAreReadOnce: a check compares each segment with the rows that it has verified, so it does not read them
// again.
func TestRowsAreReadOnce(t *testing.T) {
	s := resultstest.Existing(t, pack(t, 2))
	var c checker
	testutil.OK(t, s.Moment(t.Context(), "checking", func(m results.Moment) error {
		c.source, c.q, c.moment = tables.Stored{Q: m.Q}, m.Q, m
		return c.all(t.Context())
	}))
	testutil.Check(t, c.found.Sound() && c.packing.same[0] && c.packing.same[segments.Pairs], "%v, %v", c.packing.same,
		c.found.Problems)
}
