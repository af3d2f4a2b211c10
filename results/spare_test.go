package results_test

import (
	"database/sql"
	"testing"

	"gogi/internal/testutil"
	"gogi/results"
)

// TestSpareLimitsOnlyTheCacheForWriting asks both kinds of connections for the size of their caches, in KiB if it is
// negative.
func TestSpareLimitsOnlyTheCacheForWriting(t *testing.T) {
	s, err := results.Open(t.Context(), t.TempDir()+"/x.db")
	testutil.OK(t, err)
	defer s.Close()
	size := func(db *sql.DB) (n int) {
		testutil.OK(t, db.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&n))
		return n
	}
	writes, reads := size(s.Writer()), size(s.Queries())
	testutil.OK(t, s.Spare(t.Context()))
	testutil.Check(t, size(s.Writer()) == -256 && writes < -256, "for writing: %d, before %d", size(s.Writer()), writes)
	testutil.Equal(t, size(s.Queries()), reads, "for reading")
}
