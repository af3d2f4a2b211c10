package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Resolve returns the absolute path that a path leads to, with symbolic links followed. The file need not
// exist.
func Resolve(path string) (string, error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 { // as the kernel does, whose limit it is
		resolved, err := filepath.EvalSymlinks(file)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return resolved, err
		}
		next, err := os.Readlink(file)
		if err != nil { // no link, and no file: only its folder can be resolved
			folder, err := filepath.EvalSymlinks(filepath.Dir(file))
			if errors.Is(err, fs.ErrNotExist) {
				return file, nil // opening it will return the error
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

// File is an open database file of this process, under any name. SQLite's own locks are POSIX locks,
// which end when the process closes any descriptor of the file. Our descriptors are therefore closed only
// after the last Store of the file has closed its handles.
type File struct {
	key   inodeKey
	users int            // Stores
	runs  map[int64]bool // that a Run of this process holds
	files []*os.File     // the first carries the locks; none: all Stores only read
}

// inodeKey identifies a file.
type inodeKey struct{ device, number uint64 }

// inodes are the database files that this process has open.
var inodes = struct {
	sync.Mutex
	open map[inodeKey]*File
}{open: map[inodeKey]*File{}}

const inodeByte = 1 << 62

// Hold finds the file for a Store, which releases it. A writer creates it if it does not exist. Hold
// rejects a file with two names, because SQLite names its log after the file. Under the other name the
// pairs in the log would be missing, and a writer of each name would destroy the database
// (sqlite.org/howtocorrupt.html, 2.4).
func Hold(file string, write bool) (*File, error) {
	inodes.Lock()
	defer inodes.Unlock()
	key, names, err := fileOf(file)
	known := err == nil && inodes.open[key] != nil && len(inodes.open[key].files) > 0
	var opened *os.File
	if write && !known {
		if opened, err = os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644); err == nil { //nolint:gosec // as SQLite creates it; the umask decides
			key, names, err = fileOfOpen(opened)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("unable to open it: %w", err)
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
		return nil, errors.Join(fmt.Errorf("the file has %d names (hard links), and SQLite's log belongs to one of them: leave one name, or use a copy", names), i.drop())
	}
	return i, nil
}

// ErrMoved is the error if a path no longer leads to the file that was opened by it.
var ErrMoved = errors.New("the file was deleted, moved or replaced while it was in use; what was stored since then is not in it. Restore a backup, or run the same command again to begin anew")

// At fails with ErrMoved unless a path still leads to the file.
func (i *File) At(file string) error {
	key, _, err := fileOf(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && key != i.key {
		return ErrMoved
	}
	return err
}

// Release gives the file up for one Store, whose handles are closed.
func (i *File) Release() error {
	inodes.Lock()
	defer inodes.Unlock()
	return i.drop()
}

// drop is Release with the table locked.
func (i *File) drop() error {
	if i.users--; i.users > 0 {
		return nil
	}
	delete(inodes.open, i.key)
	var errs []error
	for _, f := range i.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Lock locks a run of the file, under any name of it.
func (i *File) Lock(run int64) error {
	inodes.Lock()
	defer inodes.Unlock()
	if i.runs[run] { // the process has one descriptor, whose locks do not exclude each other
		return ErrTaken
	}
	if err := lockRange(i.files[0], inodeByte+run, false); err != nil {
		return err
	}
	i.runs[run] = true
	return nil
}

// Unlock gives a run of the file up.
func (i *File) Unlock(run int64) error {
	inodes.Lock()
	defer inodes.Unlock()
	delete(i.runs, run)
	return unlockRange(i.files[0], inodeByte+run)
}
