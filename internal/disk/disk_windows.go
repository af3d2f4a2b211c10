package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// SyncFile makes what was written to a file outlive the machine's end. Only a writer
// may ask for that: FlushFileBuffers.
func SyncFile(name string) error { return sync(name, os.O_RDWR) }

// SyncDir does nothing: the names in a folder are NTFS's own to keep, which writes a
// journal, and nobody may ask it to hurry.
func SyncDir(string) error { return nil }

// OthersMayRead is false: the mode that Go makes up tells nothing of who may, and files
// in a user's own folder are for that user alone unless somebody has changed it.
func OthersMayRead(fs.FileInfo) bool { return false }

// IsProgram is true: what is a program shows in its name and its first bytes, when it
// is started.
func IsProgram(fs.FileInfo) bool { return true }

// IsFull reports whether a write failed for want of room.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// LockFile locks a file until it is closed or the process dies, or fails at once:
// ErrLocked where another has it. What is locked nobody else can read, so it is a byte
// far behind the end.
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
