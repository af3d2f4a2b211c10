//go:build unix

package file

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lockRange locks one byte. The lock belongs to the open file, not to the process. (POSIX locks belong to the
// process and end when any other descriptor of the same file is closed.) Child processes do not inherit the
// descriptor, because os.OpenFile opens it close-on-exec.
func lockRange(f *os.File, offset int64, wait bool) error {
	return setRange(f, unix.F_WRLCK, offset, wait)
}

func unlockRange(f *os.File, offset int64) error {
	return setRange(f, unix.F_UNLCK, offset, false)
}

func setRange(f *os.File, kind int16, offset int64, wait bool) error {
	cmd := setLock
	if wait {
		cmd = setLockWait
	}
	for {
		err := unix.FcntlFlock(f.Fd(), cmd, &unix.Flock_t{Type: kind, Start: offset, Len: 1})
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
			return ErrTaken
		default:
			return fmt.Errorf("locking %s: %w", f.Name(), err)
		}
	}
}

// NoLocks returns ErrTaken if another process has locked any byte of a lock file.
func NoLocks(f *os.File) error {
	lock := unix.Flock_t{Type: unix.F_WRLCK} // all bytes
	err := unix.FcntlFlock(f.Fd(), getLock, &lock)
	if err == nil && lock.Type != unix.F_UNLCK {
		err = ErrTaken
	}
	return err
}

// fileOf returns the identity and the number of names (hard links) of the file at a path. Its second result is a
// function that does the same for an open file.
func fileOf(path string) (inodeKey, uint64, error) {
	var stat unix.Stat_t
	err := unix.Stat(path, &stat)
	return keyOf(&stat), uint64(stat.Nlink), err //nolint:unconvert // its width differs between machines
}

func fileOfOpen(f *os.File) (inodeKey, uint64, error) {
	var stat unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &stat)
	return keyOf(&stat), uint64(stat.Nlink), err //nolint:unconvert // as above
}

func keyOf(s *unix.Stat_t) inodeKey {
	return inodeKey{uint64(s.Dev), s.Ino} //nolint:unconvert // Dev's type differs between machines
}

// Lockless is the name of SQLite's VFS that uses no file locks.
const Lockless = "unix-none"

// AsSQLite returns the path unchanged, because only Windows needs another form for SQLite.
func AsSQLite(path string) string { return path }
