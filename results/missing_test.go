package results_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/results"
)

// TestMissingDatabase: the error names the missing file and what to do, without the name of a package.
func TestMissingDatabase(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	file := filepath.Join(here, "x.db")
	folder := filepath.Join(here, "missing")
	inside := filepath.Join(folder, "x.db")
	noFolder := "cannot open " + inside + ": the folder " + folder + " does not exist"
	_, reading := results.OpenExisting(t.Context(), file)
	_, below := results.OpenExisting(t.Context(), inside)
	_, creating := results.Open(t.Context(), inside)
	notFound := file + " not found. Run `gogi match` first, or name a database with --db FILE."
	for _, c := range []struct {
		err  error
		want string
	}{{reading, notFound}, {below, noFolder}, {creating, noFolder}} {
		testutil.Check(t, c.err != nil && c.err.Error() == c.want && errors.Is(c.err, fs.ErrNotExist), "%v, want %s", c.err, c.want)
	}
}
