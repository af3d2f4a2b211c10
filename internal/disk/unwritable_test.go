package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

// TestCannotWrite: the error has the path once, the problem and what to do, and it keeps the system's error.
func TestCannotWrite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	testutil.OK(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		path, want string
		err        error
	}{
		{folder, "it is a folder; give the name of a file", syscall.EISDIR},
		{filepath.Join(folder, "none", "x"),
			"the folder " + filepath.Join(folder, "none") + " does not exist; create it first", fs.ErrNotExist},
		// A folder such as /proc exists, but nobody can create a file in it.
		{filepath.Join(folder, "x"), "no file can be created in the folder " + folder + "; give a path in another folder",
			fs.ErrNotExist},
		{filepath.Join(file, "x"), file + " is no folder; check the path", syscall.ENOTDIR},
		{file, "permission denied; change the permissions of the file or of the folder " + folder +
			", or give a path in another folder", syscall.EACCES},
		{file, "read-only file system; give a path in another folder", syscall.EROFS},
		{file, "no space left on device", syscall.ENOSPC},
	} {
		of := &fs.PathError{Op: "open", Path: c.path, Err: c.err}
		err := disk.CannotWrite(c.path, of)
		testutil.Equal(t, err.Error(), "cannot write "+c.path+": "+c.want)
		testutil.Equal(t, disk.WhyUnwritable(c.path, of).Error(), c.want)
		testutil.Check(t, errors.Is(err, c.err) && errors.Is(disk.WhyUnwritable(c.path, of), c.err), "%v is not %v", err,
			c.err)
	}
	testutil.OK(t, disk.CannotWrite(file, nil))
	testutil.OK(t, disk.WhyUnwritable(file, nil))
}
