package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"gogi/results/file"
)

// readers is the number of simultaneous queries. Several connections and their witness may read one run,
// and a yield function may read a record at the same time.
const readers = 4 + scanners + 1

// Store is one database file. It is safe for concurrent use. Close every Run before the Store.
type Store struct {
	path  string     // as it was given, for messages
	file  string     // absolute, and no symbolic link: other names of the file must find its lock
	inode *file.File // the file itself
	here  holder     // this process
	// released gives up the inode, once.
	released sync.Once
	// shared names a file system that other machines see, too; "" for others.
	shared string
	write  *sql.DB // nil for a reader; one connection, because SQLite has one writer
	read   *sql.DB
	// scanning is locked by a reader with several connections.
	scanning sync.Mutex
	latest   latestCast
}

// Durability is the kind of failure that an acknowledged pair survives.
type Durability string

// The choices of Durability, as SQLite calls its modes of synchronisation.
const (
	Quick   Durability = "NORMAL" // the death of the process; a power cut takes the last commits, which are just played again
	Durable Durability = "FULL"   // also a power cut: for a store that acknowledges pairs to other programs; each commit waits for the disk
)

// Open opens the database at path for writing and reading, creates it if it does not exist, and migrates
// an older one. It rejects a file that is not a database, a database of another program and one of a
// newer gogi, and does not change them. It is Quick unless the last of how differs.
func Open(ctx context.Context, path string, how ...Durability) (*Store, error) {
	sync := Quick
	for _, sync = range how {
		if sync != Quick && sync != Durable {
			return nil, fmt.Errorf("results: %s: durability %q: expected %s or %s", path, sync, Quick, Durable)
		}
	}
	s, err := newStore(path, true)
	if err != nil {
		return nil, err
	}
	if s.write, err = file.Writer(s.file, string(sync)); err == nil {
		err = s.prepare(ctx)
	}
	if err == nil {
		s.read, err = file.Reader(ctx, s.file, readers)
	}
	return s.orClose(err)
}

// Size returns the size of a database on the disk in bytes, with its write-ahead log. It is 0 for a
// missing file, and for anything that is no file.
func Size(path string) (bytes int64) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return bytes
}

// OpenExisting opens the database at path for reading, also while another process writes to it, and
// without permission to write to the file or its folder. It never creates one: it returns fs.ErrNotExist
// without a file. It reads a database of an older gogi without changing it.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	s, err := newStore(path, false)
	if err != nil {
		return nil, err
	}
	s.read, err = file.Reader(ctx, s.file, readers)
	return s.orClose(err)
}

// notFound is the error for a database or its folder that does not exist. It unwraps to fs.ErrNotExist.
type notFound struct{ text string }

func (e *notFound) Error() string { return e.text }

func (*notFound) Unwrap() error { return fs.ErrNotExist }

// folderFound reports false only if nothing of that name exists.
func folderFound(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// newStore finds the file; only a writer may create it.
func newStore(path string, create bool) (*Store, error) {
	s := &Store{path: path}
	var err error
	if s.file, err = file.Resolve(path); err != nil {
		return nil, s.fail("opening", err)
	}
	if folder := filepath.Dir(s.file); !folderFound(folder) {
		return nil, &notFound{fmt.Sprintf("cannot open %s: the folder %s does not exist", path, folder)}
	}
	if _, err := os.Stat(s.file); !create && errors.Is(err, fs.ErrNotExist) {
		return nil, &notFound{fmt.Sprintf("%s not found. Run `gogi match` first, or name a database with --db FILE.", path)}
	}
	if err := file.SoundLog(s.file); err != nil {
		return nil, s.fail("opening", err)
	}
	if s.here, err = thisProcess(); err == nil {
		s.inode, err = file.Hold(s.file, create)
	}
	if err != nil {
		return nil, s.fail("opening", err)
	}
	if s.shared, err = file.Shared(s.file); err != nil {
		return s.orClose(err)
	}
	return s, nil
}

// orClose returns the store, or the error of opening it, and the store closed.
func (s *Store) orClose(err error) (*Store, error) {
	if err == nil {
		return s, nil
	}
	_ = s.Close() // return the reason why it cannot be used
	return nil, s.fail("opening", err)
}

// Close releases the file. It does not wait for Runs: close them first.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	s.released.Do(func() { errs = append(errs, s.inode.Release()) })
	if err := errors.Join(errs...); err != nil {
		return s.fail("closing", err)
	}
	return nil
}

// fail wraps an error with the file and doing.
func (s *Store) fail(doing string, err error) error {
	return fmt.Errorf("results: %s: %s: %w", s.path, doing, file.Explain(err))
}
