package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestLockByOtherNames: only one process plays a run, even if processes open the database under different names.
func TestLockByOtherNames(t *testing.T) {
	path := resultstest.Path(t)
	link, folder := filepath.Join(t.TempDir(), "link.db"), filepath.Join(t.TempDir(), "folder")
	for name, to := range map[string]string{link: path, folder: filepath.Dir(path)} {
		testutil.OK(t, os.Symlink(to, name))
	}
	cmd, _ := startWriter(t, link, "hold") // a dangling link: the database is created at its target
	testutil.Must(os.Stat(path))(t)
	for _, name := range []string{path, link, filepath.Join(folder, filepath.Base(path))} {
		s := resultstest.Open(t, name)
		_, err := s.Begin(t.Context(), matchtest.Plan("killed"))
		testutil.Check(t, errors.Is(err, results.ErrRunLocked) && strings.Contains(err.Error(), "process "), "%s: %v", name,
			err)
		other := matchtest.Plan("other") // other runs are free
		testutil.OK(t, resultstest.Begin(t, s, other).Close())
	}
	testutil.OK(t, cmd.Process.Kill())
	resultstest.Killed(t, cmd.Wait())
	resultstest.Begin(t, resultstest.Open(t, link), matchtest.Plan("killed"))
}

// TestLockOfTheFileItself: the database file itself is locked, too, so the run stays locked without the lock file. A
// database with a hard link in another folder cannot be opened.
func TestLockOfTheFileItself(t *testing.T) {
	path := resultstest.Path(t)
	cmd, _ := startWriter(t, path, "hold")
	testutil.OK(t, os.Remove(path+"-lock"))
	s := resultstest.Open(t, path)
	_, err := s.Begin(t.Context(), matchtest.Plan("killed"))
	testutil.Check(t, errors.Is(err, results.ErrRunLocked), "without the lock file: %v", err)
	second := filepath.Join(t.TempDir(), "second.db")
	testutil.OK(t, os.Link(path, second))
	for _, name := range []string{path, second} {
		testutil.Fails(t, testutil.Err(results.Open(t.Context(), name)), "2 names (hard links)", "%s with two names", name)
		testutil.Fails(t, testutil.Err(results.OpenExisting(t.Context(), name)), "2 names (hard links)", "%s with two names",
			name)
	}
	testutil.OK(t, cmd.Process.Kill())
	resultstest.Killed(t, cmd.Wait())
	resultstest.Begin(t, s, matchtest.Plan("killed"))
}

// TestTwoMachines: on a file system that other machines use, only one machine plays at a time. Another run of the same
// database is rejected, too, and the error names the process that plays.
func TestTwoMachines(t *testing.T) {
	path := resultstest.Path(t)
	on := func(host, boot string) *results.Store {
		s := resultstest.Open(t, path)
		s.On(host, boot, 7, "NFS")
		return s
	}
	alpha := on("alpha", "1")
	one := resultstest.Begin(t, alpha, matchtest.Plan("one"))
	for _, name := range []string{"one", "two"} {
		_, err := on("beta", "2").Begin(t.Context(), matchtest.Plan(name))
		testutil.Check(t, errors.Is(err, results.ErrRunLocked) && strings.Contains(err.Error(), "process 7 on alpha"),
			"%s on beta: %v", name, err)
	}
	resultstest.Begin(t, on("container", "1"), matchtest.Plan("three")) // on the same machine, the lock decides
	testutil.OK(t, one.Close())
	local := resultstest.Open(t, path)
	local.On("beta", "2", 8, "")
	resultstest.Begin(t, local, matchtest.Plan("four")) // no other machine uses the file, so its lock decides
	if boot, pid := resultstest.Open(t, path).Here(); boot == "" || pid != os.Getpid() {
		t.Errorf("boot %q, process %d", boot, pid)
	}
	testutil.Is(t, testutil.Err(on("gamma", "3").Begin(t.Context(), matchtest.Plan("five"))), results.ErrRunLocked,
		"beside container")
	testutil.OK(t, os.Remove(path+"-lock"))
	resultstest.Begin(t, on("gamma", "3"), matchtest.Plan("five"))
	// gamma is killed and starts again. The entry of its earlier boot does not block it.
	text := []byte(`{"host":"gamma","boot":"2","pid":9,"at":"2026-01-02T03:04:05Z"}`)
	testutil.OK(t, os.WriteFile(path+"-lock", append(make([]byte, 9*results.HolderSize), text...), 0o600))
	resultstest.Begin(t, on("gamma", "3"), matchtest.Plan("six"))
}
