package results

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
)

// begun returns a new run in a new database.
func begun(tb testing.TB, plan *match.Plan) (*Store, *Run) {
	tb.Helper()
	return begunAt(tb, filepath.Join(tb.TempDir(), "gogi.db"), plan)
}

// begunAt returns a new run in the database at path.
func begunAt(tb testing.TB, path string, plan *match.Plan) (*Store, *Run) {
	tb.Helper()
	s, err := Open(tb.Context(), path)
	matchtest.Closing(tb, s, err)
	run, err := s.Begin(tb.Context(), plan)
	return s, matchtest.Closing(tb, run, err)
}

// TestOldTakeInABatch: a pair of a batch with an old take is rejected, and the other pairs of the batch are stored.
func TestOldTakeInABatch(t *testing.T) {
	plan := matchtest.Plan("r")
	_, run := begun(t, plan)
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 10))
	testutil.Must(run.Void(t.Context(), "test", "me", func(match.Row) bool { return true }))(t)
	rows := make([]request, 3)
	for i := range rows {
		r := testutil.Must(run.rows(matchtest.Pair(plan, i, 10)))(t)
		rows[i] = request{pair: r, take: 1, answer: make(chan answer, 1)}
	}
	run.writeBatch(t.Context(), rows)
	for i, req := range rows {
		a := <-req.answer
		testutil.Check(t, a.added == (i > 0) && errors.Is(a.err, ErrOldTake) == (i == 0), "pair %d of a batch: %+v", i, a)
	}
}

// TestARunIsCreatedWhole: a run and its players are stored together, because the process may be killed and readers may
// read at any time.
func TestARunIsCreatedWhole(t *testing.T) {
	s, _ := begun(t, matchtest.Plan("another"))
	plan := matchtest.Plan("r")
	testutil.Must(findOrCreate(t.Context(), s, plan))(t)
	info, err := s.FindRun(t.Context(), "r")
	testutil.Require(t, err == nil && len(info.Engines) == len(plan.Players),
		"%v, %d players are stored, want %d", err, len(info.Engines), len(plan.Players))
	run, err := s.Begin(t.Context(), plan)
	testutil.OK(t, err, "it cannot be played")
	testutil.OK(t, run.Close())
}

// The declarations below give the external tests access to the internals.

// SelectRecords is the query of records.
var SelectRecords = recordsQuery

// HolderSize is the number of bytes of the lock file that identify the holder of a run.
const HolderSize = holderSize

// File returns the absolute name of the database, without symbolic links.
func (s *Store) File() string { return s.file }

// Queries returns the handle for reading.
func (s *Store) Queries() *sql.DB { return s.read }

// Writer returns the handle for writing.
func (s *Store) Writer() *sql.DB { return s.write }

// On makes the store act as a process of another machine. shared names the file system that other machines use, or is
// "" for a local one.
func (s *Store) On(host, boot string, pid int, shared string) {
	s.here, s.shared = holder{Host: host, Boot: boot, PID: pid}, shared
}

// Here returns the boot and the process ID of the store's process.
func (s *Store) Here() (boot string, pid int) { return s.here.Boot, s.here.PID }

// Plan returns the plan of the run.
func (r *Run) Plan() *match.Plan { return r.plan }

// Setting returns the ID of the current row in the log of settings.
func (r *Run) Setting() int64 { return r.setting.Load() }
