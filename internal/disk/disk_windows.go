package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// SyncFile makes the written data of a file survive the end of the machine. FlushFileBuffers needs a
// writer.
func SyncFile(name string) error { return sync(name, os.O_RDWR) }

// SyncDir does nothing: NTFS writes a journal of the names in a folder, and has no call to flush it.
func SyncDir(string) error { return nil }

// OthersMayRead returns false. Go's mode on Windows does not show the permissions, and files in a user's
// own folder are for that user alone by default.
func OthersMayRead(fs.FileInfo) bool { return false }

// IsProgram returns true: the name and the first bytes decide at the start whether a file is a program.
func IsProgram(fs.FileInfo) bool { return true }

// IsFull reports whether a write failed because the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// LockFile locks a file until it is closed or the process dies, or returns ErrLocked at once if another
// process has it. Other processes cannot read a locked byte, so it locks a byte far behind the end.
func LockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// CloseLocked closes a file that [LockFile] locked, which unlocks it.
func CloseLocked(f *os.File) error { return f.Close() }
