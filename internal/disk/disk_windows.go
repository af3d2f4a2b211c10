package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// SyncFile waits until the data of a file is on the disk, so that the data survives a power cut. It opens the
// file for writing, because FlushFileBuffers requires that.
func SyncFile(name string) error { return sync(name, os.O_RDWR) }

// SyncDir does nothing, because NTFS has a journal of the names in a folder, and Windows has no call to flush
// it.
func SyncDir(string) error { return nil }

// OthersMayRead returns false. Go's file mode on Windows does not show the permissions, and by default only
// the user may read files in the user's own folder.
func OthersMayRead(fs.FileInfo) bool { return false }

// IsProgram returns true, because Windows decides by the name and the first bytes whether it can run a file.
func IsProgram(fs.FileInfo) bool { return true }

// IsFull reports whether a write failed because the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// LockFile locks a file until the file is closed or the process ends. It returns ErrLocked at once if another
// process has locked the file. Other processes cannot read a locked byte, so LockFile locks a byte far behind
// the end of the file.
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
