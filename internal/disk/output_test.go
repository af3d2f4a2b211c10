package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

// TestCheckOutput: only a file that begins like an SQLite file is no output.
func TestCheckOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"page": "<html>", "short": "SQLite", "db": "SQLite format 3\x00rest"} {
		testutil.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, name := range []string{"page", "short", "none", "."} {
		testutil.OK(t, disk.CheckOutput(filepath.Join(dir, name)))
	}
	testutil.Fails(t, disk.CheckOutput(filepath.Join(dir, "db")), "db is a database; give the name of another file")
}
