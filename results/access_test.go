package results_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/resultstest"
)

// nobody is a user without rights. A test as root needs it, because root can read every file.
const nobody = 65534

// runReader is the second process, without rights. It dumps the run "killed", or tries to play.
func runReader(path, mode string) error {
	if os.Getuid() == 0 {
		if err := become(nobody); err != nil {
			return err
		}
	}
	ctx := context.Background()
	if mode == "read-write" {
		_, err := results.Open(ctx, path)
		return err
	}
	s, err := results.OpenExisting(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(dump.Write(ctx, s, os.Stdout, "killed", false), s.Close())
}

// readWithoutRights returns the output of a process that reads a database in a folder to which it may not write.
func readWithoutRights(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path, writerModeEnv+"=read")
	cmd.Stderr = os.Stderr
	out := testutil.Must(cmd.Output())(t)
	return string(out)
}

// lockedFolder copies files into a folder without write permission. The unreadable files have no read permission.
func lockedFolder(t *testing.T, files map[string][]byte, unreadable ...string) string {
	t.Helper()
	dir := t.TempDir()
	testutil.OK(t, os.Chmod(filepath.Dir(dir), 0o755))
	for name, text := range files {
		testutil.OK(t, os.WriteFile(filepath.Join(dir, name), text, 0o444))
	}
	for _, name := range unreadable {
		testutil.OK(t, os.Chmod(filepath.Join(dir, name), 0))
	}
	testutil.OK(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) }) // so that TempDir can remove it
	return dir
}

func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	testutil.OK(t, err)
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestReadingWithoutRights: a database in a folder without write permission can be read, and no file changes. It is a
// closed database, one with the log of a killed writer, or one of an older gogi.
func TestReadingWithoutRights(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, matchtest.Plan("killed"))
	matchtest.Put(t, run, matchtest.Pair(run.Plan(), 0, 30), matchtest.Pair(run.Plan(), 1, 30))
	want := resultstest.Dump(t, s, "killed", false)
	live := map[string][]byte{} // copies of the files of a running writer; the log holds every pair
	for _, end := range []string{"", "-wal", "-shm"} {
		testutil.OK(t, exec.CommandContext(t.Context(), "cp", s.File()+end, s.File()+".copy").Run())
		text := testutil.Must(os.ReadFile(s.File() + ".copy"))(t)
		live["x.db"+end] = text
	}
	without := func(name string) map[string][]byte {
		files := maps.Clone(live)
		delete(files, name)
		return files
	}
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	whole := func(path string) map[string][]byte {
		text := testutil.Must(os.ReadFile(path))(t)
		return map[string][]byte{"x.db": text}
	}
	for name, files := range map[string]map[string][]byte{
		"a closed database": whole(s.Path()), "a killed writer's": live, "without the log's index": without("x.db-shm"),
		"schema 1": whole(resultstest.Older(t, s.Path(), 1)), "schema 3": whole(resultstest.Older(t, s.Path(), 3)),
	} {
		dir := lockedFolder(t, files)
		testutil.Equal(t, readWithoutRights(t, filepath.Join(dir, "x.db")), want, "%s", name)
		if after := filesOf(t, dir); !maps.EqualFunc(files, after, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("%s: the folder was changed", name)
		}
	}
	dir := lockedFolder(t, live, "x.db-wal")
	if got := readWithoutRights(t, filepath.Join(dir, "x.db")); os.Getuid() == 0 &&
		!strings.Contains(got, "its log, which may hold pairs that are nowhere else, cannot be read") {
		t.Errorf("a log that cannot be read: %s", got)
	}
}

// TestReadingBesideALivingWriter: a reader without write permission reads the pairs that a running writer stores.
func TestReadingBesideALivingWriter(t *testing.T) {
	dir := t.TempDir()
	s := resultstest.Open(t, filepath.Join(dir, "x.db"))
	run := resultstest.Begin(t, s, matchtest.Plan("killed"))
	for _, name := range []string{dir, filepath.Dir(dir)} {
		testutil.OK(t, os.Chmod(name, 0o755))
	}
	for id := range 2 {
		matchtest.Put(t, run, matchtest.Pair(run.Plan(), id, 10))
		if os.Getuid() != 0 {
			continue // the reader has the same rights as the writer
		}
		testutil.Equal(t, readWithoutRights(t, s.File()), resultstest.Dump(t, s, "killed", false), "after %d pairs", id+1)
	}
}

// TestPlayingWithoutRights: a process with read permission only gets an error when it tries to play.
func TestPlayingWithoutRights(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	testutil.OK(t, s.Close())
	text := testutil.Must(os.ReadFile(s.Path()))(t)
	dir := lockedFolder(t, map[string][]byte{"x.db": text})
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+filepath.Join(dir, "x.db"), writerModeEnv+"=read-write")
	out, err := cmd.Output()
	testutil.Check(t, err == nil && strings.Contains(string(out), "permission denied"), "%s, %v", out, err)
}

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
		testutil.Check(t, c.err != nil && c.err.Error() == c.want && errors.Is(c.err, fs.ErrNotExist), "%v, want %s", c.err,
			c.want)
	}
}
