package worker

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file until it is closed or the process dies, or fails at once. What
// is locked nobody else can read, so it is a byte far behind the end.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}
