package file

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// BootID names this machine from its start to its end.
func BootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// The file systems that other machines may see, too, by their names in statfs(2). The file system behind
// FUSE is unknown.
var sharedFileSystems = []string{"nfs", "smbfs", "afpfs", "webdav", "ftp", "macfuse", "osxfuse", "fusefs"}

// Shared names the one that a file lies on; "": other machines do not see it.
func Shared(file string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(file), &s); err != nil {
		return "", err
	}
	name := unix.ByteSliceToString(s.Fstypename[:])
	if !slices.Contains(sharedFileSystems, name) {
		return "", nil
	}
	return name, nil
}

// Commands of fcntl for locks that belong to an open file: sys/fcntl.h, for which
// golang.org/x/sys has no names.
const (
	setLock     = 90 // F_OFD_SETLK
	setLockWait = 91 // F_OFD_SETLKW
	getLock     = 92 // F_OFD_GETLK
)

// RenameNew renames a file, and returns an error if the new name exists.
func RenameNew(from, to string) error {
	err := unix.RenameatxNp(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCL)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) { // a file system that cannot
		err = os.Rename(from, to)
	}
	return err
}
