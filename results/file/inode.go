package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"gogi/internal/disk"
	"gogi/internal/lists"
)

// Resolve returns the absolute path of the file that path leads to. It follows symbolic links. The file need
// not exist.
func Resolve(path string) (string, error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 { // the kernel's limit of links in one path
		resolved, err := filepath.EvalSymlinks(file)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return resolved, err
		}
		next, err := os.Readlink(file)
		if err != nil { // the file does not exist, so only its folder can be resolved
			folder, err := filepath.EvalSymlinks(filepath.Dir(file))
			if errors.Is(err, fs.ErrNotExist) {
				return file, nil // opening the file will return the error
			}
			return filepath.Join(folder, filepath.Base(file)), err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(file), next)
		}
		file = next
	}
	return "", syscall.ELOOP
}

// File is a database file that this process has open, under one or more names. SQLite's own locks are POSIX
// locks, which end when the process closes any descriptor of the file. gogi therefore closes its own
// descriptors only after the last Store of the file has closed its handles.
type File struct {
	key   inodeKey
	users int            // number of Stores that use the file
	runs  map[int64]bool // the runs that a Run of this process holds
	files []*os.File     // the first one has the locks; empty if all Stores only read
}

// inodeKey identifies a file by its device and its number on that device.
type inodeKey struct{ device, number uint64 }

// inodes has the database files that this process has open.
var inodes = struct {
	sync.Mutex
	open map[inodeKey]*File
}{open: map[inodeKey]*File{}}

const inodeByte = 1 << 62

// Hold returns the File at a path for one Store, which must call Release at its end. If write is true, Hold
// creates a missing file. Hold rejects a file with two names (hard links), because SQLite derives the name of its
// log from the name of the file. Under the other name the pairs in the log would be missing. Two writers under
// different names would destroy the database (sqlite.org/howtocorrupt.html, 2.4). Hold also rejects a file with a
// damaged log (soundLog), but it checks only files that no other Store of this process uses: the check opens and closes
// the log's index, which would end the locks that SQLite has on it for this process. Hold rejects a pipe, device or
// folder under a name of the database, because opening a pipe waits until another process opens it.
func Hold(file string, write bool) (*File, error) {
	inodes.Lock()
	defer inodes.Unlock()
	if err := regular(file); err != nil {
		return nil, err
	}
	key, names, err := fileOf(file)
	if err != nil || inodes.open[key] == nil {
		if err := soundLog(file); err != nil {
			return nil, err
		}
	}
	known := err == nil && inodes.open[key] != nil && len(inodes.open[key].files) > 0
	var opened *os.File
	if write && !known {
		// same mode as SQLite's; the umask decides
		if opened, err = os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
			return nil, disk.WhyUnwritable(file, err)
		}
		key, names, err = fileOfOpen(opened)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open it: %w", err)
	}
	i := inodes.open[key]
	if i == nil {
		i = &File{key: key, runs: map[int64]bool{}}
		inodes.open[i.key] = i
	}
	i.users++
	if opened != nil {
		i.files = append(i.files, opened)
	}
	if names > 1 {
		return nil,
			errors.Join(fmt.Errorf("the file has %d names (hard links), and SQLite's log belongs to one of them: leave one name, or use a copy", names), i.drop())
	}
	return i, nil
}

// ends are the ends of the names of all files that belong to a database: the database itself, those of SQLite, and
// gogi's locks.
var ends = []string{"", "-wal", "-shm", "-lock", "-journal"}

// regular returns an error if one of the names of a database belongs to something other than a regular file.
func regular(file string) error {
	for _, end := range ends {
		info, err := os.Stat(file + end)
		switch {
		case err != nil: // no such file, or one that SQLite cannot open either
		case info.IsDir() && end == "":
			return errors.New("it is a folder; give the name of a file")
		case info.IsDir():
			return fmt.Errorf("%s is a folder, but a database needs this name for a file; remove the folder", file+end)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is a pipe or a device, not a file; remove it or give another path", file+end)
		}
	}
	return nil
}

// ErrMoved is the error if a path no longer leads to the file that was opened under that path.
var ErrMoved = errors.New("the file was deleted, moved or replaced while it was in use; what was stored since then is not in it. Restore a backup, or run the same command again to start from the beginning")

// At returns ErrMoved if the path no longer leads to this file.
func (i *File) At(file string) error {
	key, _, err := fileOf(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && key != i.key {
		return ErrMoved
	}
	return err
}

// Release ends the use of the file by one Store. Call it after the Store has closed its handles.
func (i *File) Release() error {
	inodes.Lock()
	defer inodes.Unlock()
	return i.drop()
}

// drop does the work of Release. The caller must hold the mutex of inodes.
func (i *File) drop() error {
	if i.users--; i.users > 0 {
		return nil
	}
	delete(inodes.open, i.key)
	errs := lists.Map(i.files, (*os.File).Close)
	return errors.Join(errs...)
}

// Lock locks a run in the database file, independent of the name under which the file was opened. It returns
// ErrTaken if the run is already locked.
func (i *File) Lock(run int64) error {
	inodes.Lock()
	defer inodes.Unlock()
	if i.runs[run] { // locks of the same descriptor do not exclude each other
		return ErrTaken
	}
	if err := lockRange(i.files[0], inodeByte+run, false); err != nil {
		return err
	}
	i.runs[run] = true
	return nil
}

// Unlock releases the lock of a run.
func (i *File) Unlock(run int64) error {
	inodes.Lock()
	defer inodes.Unlock()
	delete(i.runs, run)
	return unlockRange(i.files[0], inodeByte+run)
}
