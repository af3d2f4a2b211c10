package crash_test

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/runner/crash"
)

// TestFolderOfAnEarlierGogi: the folder that an earlier gogi has made of a Japanese name is
// found; a new one has the name itself.
func TestFolderOfAnEarlierGogi(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "games.db")
	if got, want := crash.Dir(db, "総当り"), filepath.Join(db+"-faults", "総当り"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	old := filepath.Join(db+"-faults", "%E7%B7%8F%E5%BD%93%E3%82%8A")
	testutil.OK(t, os.MkdirAll(old, 0o700))
	testutil.Equal(t, crash.Dir(db, "総当り"), old)
}
