package file

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// BootID returns the kernel's identifier of the current boot of this machine. It changes with every restart.
func BootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// sharedFileSystems has the names in statfs(2) of the file systems that other machines may also see. This
// includes FUSE, because its real file system is unknown.
var sharedFileSystems = []string{"nfs", "smbfs", "afpfs", "webdav", "ftp", "macfuse", "osxfuse", "fusefs"}

// Shared returns the name of a file's file system if other machines may see it, else "".
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

// These are the fcntl commands, from sys/fcntl.h, for locks that belong to an open file and not to a process. The
// package golang.org/x/sys has no names for them.
const (
	setLock     = 90 // F_OFD_SETLK
	setLockWait = 91 // F_OFD_SETLKW
	getLock     = 92 // F_OFD_GETLK
)

// RenameNew renames a file, and returns an error if the new name exists.
func RenameNew(from, to string) error {
	err := unix.RenameatxNp(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCL)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) { // the file system does not support the flag
		err = os.Rename(from, to)
	}
	return err
}
