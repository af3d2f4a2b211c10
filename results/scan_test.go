package results

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/tables"
)

// scannerOf returns a scanner of all games of a run that reads step pair numbers in each query.
func scannerOf(tb testing.TB, s *Store, runID, step int64) *scanner {
	tb.Helper()
	who := testutil.Must(castOf(tb.Context(), s.read, runID))(tb)
	inventory := testutil.Must(tables.WholeInventory(tb.Context(), s.read, runID))(tb)
	return &scanner{playerTable: who, run: runID, query: gamesQuery, inventory: inventory, step: step}
}

// snapshotOf returns a snapshot with a number of connections.
func snapshotOf(tb testing.TB, s *Store, connections int) *snapshot {
	tb.Helper()
	m := &snapshot{free: func() {}}
	together, err := m.begin(tb.Context(), s.read, connections)
	testutil.Require(tb, err == nil && together, "%d connections: together %t, %v", connections, together, err)
	tb.Cleanup(func() {
		testutil.OK(tb, m.end())
	})
	return m
}

// TestScanInParts: several connections that read a run in parts return the same rows as one statement.
func TestScanInParts(t *testing.T) {
	plan := matchtest.Plan("r")
	s, run := begun(t, plan)
	for _, id := range []int{1, 9, 2, 3, 8, 6} {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 4))
	}
	var want []match.Row
	if err := selectGames(t.Context(), s.read, run.ID(), Filter{},
		func(g match.Row) error { want = append(want, g); return nil }); err != nil || len(want) != 12 {
		t.Fatalf("%d games, %v", len(want), err)
	}
	view := snapshotOf(t, s, 3)
	for _, step := range []int64{1, 2, 3, 100} {
		var got []match.Row
		err := scannerOf(t, s, run.ID(), step).scan(t.Context(), view.conns, pairRange{0, 10}, func(rows []match.Row) error {
			got = append(got, rows...)
			return nil
		})
		diff := cmp.Diff(want, got)
		testutil.Check(t, err == nil && diff == "", "%d a query: %v (-want +got):\n%s", step, err, diff)
	}
}

// TestScanEnds: an error in one part ends the scan, and all its goroutines end.
func TestScanEnds(t *testing.T) {
	plan := matchtest.Plan("r")
	s, run := begun(t, plan)
	for id := range 8 {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 4))
	}
	view := snapshotOf(t, s, 2)
	c := scannerOf(t, s, run.ID(), 1)
	enough := errors.New("enough")
	for last := range 8 {
		seen := 0
		err := c.scan(t.Context(), view.conns, pairRange{0, 8}, func(rows []match.Row) error {
			if seen++; rows[0].Pair == last {
				return enough
			}
			return nil
		})
		testutil.Check(t, errors.Is(err, enough) && seen == last+1, "after pair %d: %d parts, %v", last, seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := c.scan(ctx, view.conns, pairRange{0, 8}, func([]match.Row) error { cancel(); return nil })
	testutil.Check(t, errors.Is(err, context.Canceled), "cancelled: %v", err)
	c.query = "SELECT nothing"
	testutil.Fails(t, c.scan(t.Context(), view.conns, pairRange{0, 8}, func([]match.Row) error { return nil }), "",
		"a query that is none: no error")
}

// TestSnapshotIsOneMoment: all connections of one snapshot read the same pairs, even if pairs are stored while they
// open.
func TestSnapshotIsOneMoment(t *testing.T) {
	plan := matchtest.Plan("r")
	s, run := begun(t, plan)
	stored := make(chan error, 1)
	done := make(chan struct{}) // closed after the last read
	go func() {
		for id := 0; ; id++ {
			if _, err := run.Add(t.Context(), matchtest.Pair(plan, id%plan.Pairs, 4)); err != nil {
				stored <- err
				return
			}
			if _, err := run.Void(t.Context(), "again", "me", func(match.Row) bool { return true }); err != nil {
				stored <- err
				return
			}
			select {
			case <-done:
				stored <- nil
				return
			default:
			}
		}
	}()
	for range 300 {
		m := &snapshot{free: func() {}}
		together, err := m.begin(t.Context(), s.read, 3)
		var seen []int
		for _, conn := range m.conns {
			var n int
			testutil.OK(t, conn.QueryRowContext(t.Context(),
				"SELECT 2*(SELECT count(*) FROM voided) + (SELECT count(*) FROM pairs)").Scan(&n))
			seen = append(seen, n)
		}
		testutil.Check(t, !together || len(seen) == 3 && seen[0] == seen[1] && seen[1] == seen[2], "the connections see %v",
			seen)
		testutil.OK(t, errors.Join(err, m.end()))
	}
	close(done)
	testutil.OK(t, <-stored)
}
