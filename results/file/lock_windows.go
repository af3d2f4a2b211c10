package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// lockBase is the offset of the locks. On Windows other processes cannot read a locked byte, so the locks of
// the lock file come after all its data. Locks of other systems cannot conflict with these, because two
// machines may not play into one database.
const lockBase = 1 << 40

// overlapped returns a file offset in the form that Windows' lock functions take.
func overlapped(offset int64) *windows.Overlapped {
	offset += lockBase
	return &windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
}

// lockRange locks one byte. The lock belongs to the open file and ends when the file is closed.
func lockRange(f *os.File, offset int64, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return explainLock(f, windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, overlapped(offset)))
}

func explainLock(f *os.File, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrTaken
	}
	return fmt.Errorf("locking %s: %w", f.Name(), err)
}

func unlockRange(f *os.File, offset int64) error {
	if err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, overlapped(offset)); err != nil {
		return fmt.Errorf("unlocking %s: %w", f.Name(), err)
	}
	return nil
}

// NoLocks returns ErrTaken if another process has locked any byte of a lock file. Windows has no function
// that only queries locks, so NoLocks tries to take a shared lock.
func NoLocks(f *os.File) error {
	const all = 1 << 30 // units of 4 GiB: more runs than there can be
	handle, at := windows.Handle(f.Fd()), overlapped(0)
	err := explainLock(f, windows.LockFileEx(handle, windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 0, all, at))
	if err != nil {
		return err
	}
	return windows.UnlockFileEx(handle, 0, 0, all, at)
}

// fileOf returns the identity and the number of names (hard links) of the file at a path. Its second result is a
// function that does the same for an open file.
func fileOf(path string) (inodeKey, uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return inodeKey{}, 0, err
	}
	key, names, err := fileOfOpen(f)
	return key, names, errors.Join(err, f.Close())
}

func fileOfOpen(f *os.File) (inodeKey, uint64, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return inodeKey{}, 0, err
	}
	number := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	return inodeKey{uint64(info.VolumeSerialNumber), number}, uint64(info.NumberOfLinks), nil
}

// RenameNew renames a file, and returns an error if the new name exists.
func RenameNew(from, to string) error {
	a, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	b, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(a, b, windows.MOVEFILE_WRITE_THROUGH)
}

// BootID returns the MachineGuid of this machine, because Windows has no identifier of the current boot.
func BootID() (string, error) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`,
		registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return "", fmt.Errorf("asking for the machine's number: %w", err)
	}
	id, _, err := key.GetStringValue("MachineGuid")
	return id, errors.Join(err, key.Close())
}

// Shared returns "a network drive" if the file is on a network drive. It returns "" if other machines do not
// see the file.
func Shared(file string) (string, error) {
	name, err := windows.UTF16PtrFromString(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	root := make([]uint16, windows.MAX_LONG_PATH)
	if err := windows.GetVolumePathName(name, &root[0], uint32(len(root))); err != nil {
		return "", fmt.Errorf("asking for the volume of %s: %w", filepath.Dir(file), err)
	}
	if windows.GetDriveType(&root[0]) == windows.DRIVE_REMOTE {
		return "a network drive", nil
	}
	return "", nil
}

// Lockless is the name of SQLite's VFS that uses no file locks.
const Lockless = "win32-none"

// AsSQLite returns an absolute path in the form that SQLite can pass to Windows unchanged. Windows accepts a
// long path only with a special prefix (Microsoft, "Maximum Path Length Limitation").
func AsSQLite(path string) string {
	const longest = 240 // 260 minus the endings of SQLite's and gogi's files
	switch {
	case len(path) < longest || strings.HasPrefix(path, `\\?\`):
		return path
	case strings.HasPrefix(path, `\\`):
		return `\\?\UNC\` + path[2:]
	}
	return `\\?\` + path
}
