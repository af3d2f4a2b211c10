package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestSQLitesLocksStay: SQLite's own locks belong to the process. They stay if another Store of the file is opened or
// closed, or if a Run is closed. So a writer in a transaction still blocks a second process. A second process does not
// truncate the log's index, which would end this process with SIGBUS.
func TestSQLitesLocksStay(t *testing.T) {
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	second := testutil.Must(results.Open(t.Context(), path))(t)
	reader := testutil.Must(results.OpenExisting(t.Context(), path))(t)
	testutil.Fails(t, testutil.Err(results.Open(t.Context(), filepath.Join(path, "none"))), "", "a database in a file")
	testutil.OK(t, errors.Join(run.Close(), second.Close(), reader.Close()))
	// In WAL mode every connection holds a shared lock on the database file, from byte 2³⁰+2 (SHARED_FIRST in SQLite's
	// os.h). Each process holds one on byte 128 of the log's index (UNIX_SHM_DMS in SQLite's os_unix.c).
	for file, first := range map[string]string{path: "1073741826", path + "-shm": "128"} {
		info := testutil.Must(os.Stat(file))(t)
		inode := strconv.FormatUint(info.Sys().(*syscall.Stat_t).Ino, 10)
		locks := testutil.Must(os.ReadFile("/proc/locks"))(t)
		lock := regexp.MustCompile(`POSIX +ADVISORY +READ ` + strconv.Itoa(os.Getpid()) + ` \w+:\w+:` + inode + ` ` + first +
			` `)
		testutil.Check(t, lock.Match(locks), "SQLite has no lock on %s any more:\n%s", file, locks)
	}
}
