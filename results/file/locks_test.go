package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

// TestLockBeside: a lock takes one byte and leaves the other bytes free. Its byte is free again after the file is
// closed.
func TestLockBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	held := testutil.Must(LockBeside(path, 3, false))(t)
	testutil.Is(t, testutil.Err(LockBeside(path, 3, false)), ErrTaken, "the same byte")
	look := testutil.Must(os.Open(path + "-lock"))(t)
	testutil.Is(t, NoLocks(look), ErrTaken, "a byte is locked")
	other := testutil.Must(LockBeside(path, 4, false))(t)
	testutil.OK(t, errors.Join(other.Close(), held.Close(), NoLocks(look), look.Close()))
	again := testutil.Must(LockBeside(path, 3, false))(t)
	testutil.OK(t, again.Close())
}

// TestHold: each run of a file is locked once, under any name of the file. RenameNew does not replace an existing file.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.db"), filepath.Join(dir, "link.db")
	testutil.Is(t, testutil.Err(Hold(path, false)), os.ErrNotExist, "a reader of no file")
	one := testutil.Must(Hold(path, true))(t)
	testutil.OK(t, os.Symlink(path, link))
	two, err := Hold(link, true)
	testutil.Require(t, err == nil && one == two, "by another name: %v, %v, %v", one, two, err)
	testutil.OK(t, one.Lock(1))
	testutil.Is(t, two.Lock(1), ErrTaken, "the same run")
	testutil.OK(t, errors.Join(two.Lock(2), two.Unlock(2), one.Unlock(1), two.Lock(1), two.Unlock(1), one.Release(),
		two.Release()))
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "b"), nil, 0o600))
	testutil.Is(t, RenameNew(filepath.Join(dir, "b"), path), os.ErrExist, "onto a file that is there")
}
