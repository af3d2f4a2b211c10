package crash

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

// TestInGames: a report does not list the dump of an engine that failed at its start, outside a game or before its
// first search of a game. It lists a dump that nothing can read.
func TestInGames(t *testing.T) {
	dir := t.TempDir()
	number := 3
	for name, b := range map[string]Bundle{
		"a-crash-1": {Version: Version}, "a-crash-2": {Version: Version, Pair: &number},
		"a-crash-3": {Version: Version, Go: "go nodes 1"},
		"a-crash-4": {Version: Version, Pair: &number, Go: "go nodes 1"},
	} {
		testutil.OK(t, writeFile(filepath.Join(dir, name+Suffix), &b))
	}
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "a-hang-1"+Suffix), []byte("no bundle"), 0o600))
	testutil.Equal(t, len(list(dir)), 5)
	var names []string
	for _, path := range InGames(dir) {
		names = append(names, filepath.Base(path))
	}
	testutil.Diff(t, []string{"a-crash-4" + Suffix, "a-hang-1" + Suffix}, names)
}
