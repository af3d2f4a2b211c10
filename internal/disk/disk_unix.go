//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// SyncFile waits until the data of a file is on the disk, so that the data survives a power cut.
func SyncFile(name string) error { return sync(name, os.O_RDONLY) }

// SyncDir waits until the names in a folder are on the disk, so that the names survive a power cut.
func SyncDir(name string) error { return sync(name, os.O_RDONLY) }

// OthersMayRead reports whether users other than the owner may read or write a file.
func OthersMayRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// IsProgram reports whether a file may be executed.
func IsProgram(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// IsFull reports whether a write failed because the disk is full.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// LockFile locks a file until the file is closed or the process ends. It returns ErrLocked at once if another
// process has locked the file.
func LockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// CloseLocked unlocks and closes a file that [LockFile] locked. A plain Close is not enough: a forked child
// process shares the lock for a moment, until it starts its program.
func CloseLocked(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
