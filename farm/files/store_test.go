package files_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/farm/files"
	"gogi/internal/testutil"
)

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func open(t *testing.T, dir string, maximum int64, evicts bool) *files.Store {
	t.Helper()
	return testutil.Must(files.Open(dir, maximum, evicts))(t)
}

func put(t *testing.T, s *files.Store, text string) {
	t.Helper()
	got, err := s.Put(strings.NewReader(text), sum(text), 1<<20)
	testutil.Require(t, err == nil && got == sum(text), "%q: %s, %v", text, got, err)
}

func TestWhatIsPutIsThere(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1000, false)
	put(t, s, "engine")
	put(t, s, "engine")
	put(t, s, "")
	testutil.OK(t, os.WriteFile(filepath.Join(dir, ".part-1"), []byte("half"), 0o600))
	s = open(t, dir, 1000, false)
	all := s.List()
	testutil.Check(t, len(all) == 2 && all[sum("engine")] == 6, "after a restart: %v", all)
	path := testutil.Must(s.Path(sum("engine")))(t)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	b := make([]byte, 4)
	if n, size, err := s.ReadAt(sum("engine"), b, 3); err != nil || size != 6 || string(b[:n]) != "ine" {
		t.Errorf("read %q of %d, %v", b[:n], size, err)
	}
	entries, _ := os.ReadDir(dir)
	testutil.Check(t, len(entries) == 2, "%d files", len(entries))
	testutil.Is(t, testutil.Err(s.Path(sum("nothing"))), files.ErrUnknown, "an unknown one")
}

// TestWhatIsRefusedLeavesNothing: a rejected artefact leaves no file, and no space counts as used.
func TestWhatIsRefusedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 10, false)
	broken := io.MultiReader(strings.NewReader("half"), &failing{})
	for name, test := range map[string]struct {
		r     io.Reader
		want  string
		limit int64
		err   error
	}{
		"another hash":  {strings.NewReader("engine"), sum("other"), 100, files.ErrHash},
		"too long":      {strings.NewReader("engine"), "", 5, files.ErrTooBig},
		"no room":       {strings.NewReader("engine of eleven"), "", 100, files.ErrFull},
		"a lost reader": {broken, "", 100, errLost},
	} {
		testutil.Is(t, testutil.Err(s.Put(test.r, test.want, test.limit)), test.err, name)
	}
	put(t, s, "0123456789") // exactly the available space
	entries, _ := os.ReadDir(dir)
	testutil.Check(t, len(entries) == 1, "%d files", len(entries))
}

var errLost = errors.New("lost")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errLost }

// TestTheLeastRecentlyUsedGoes: the artefact that was used longest ago is removed. Pinned artefacts stay.
func TestTheLeastRecentlyUsedGoes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 12, true)
	put(t, s, "aaaa")
	put(t, s, "bbbb")
	put(t, s, "cccc")
	release := s.Pin(sum("aaaa"))
	testutil.OK(t, testutil.Err(s.Path(sum("bbbb"))))
	put(t, s, "dddd") // a is pinned, b was used: the store removes c
	all := s.List()
	testutil.Check(t, len(all) == 3 && all[sum("cccc")] == 0, "kept %v", all)
	got := s.Recent(1)
	testutil.Check(t, len(got) == 1 && got[0] == sum("dddd"), "the last used is %v", got)
	s.Pin(sum("bbbb"))
	s.Pin(sum("dddd"))
	_, err := s.Put(strings.NewReader("eeee"), "", 100)
	testutil.Check(t, errors.Is(err, files.ErrFull), "all are pinned: %v", err)
	release()
	release() // the second call does nothing
	put(t, s, "ffff")
	testutil.Check(t, !s.Has(sum("aaaa")), "what was released stays")
}

func TestDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	put(t, open(t, dir, 100, true), "engine")
	file := filepath.Join(dir, sum("engine"))
	testutil.OK(t, os.Chmod(file, 0o700))
	testutil.OK(t, os.WriteFile(file, bytes.ToUpper([]byte("engine")), 0o600))
	testutil.OK(t, os.Chtimes(file, time.Time{}, time.Now()))
	s := open(t, dir, 100, true)
	_, err := s.Path(sum("engine"))
	testutil.Check(t, errors.Is(err, files.ErrHash), "another process finds: %v", err)
	testutil.Check(t, !s.Has(sum("engine")), "it is kept")
	put(t, s, "engine")
}
