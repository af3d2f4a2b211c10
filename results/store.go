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

// readers is the number of simultaneous queries. A report may read one run with several connections and use
// one more to detect commits. A yield function may read a record at the same time.
const readers = 4 + scanners + 1

// Store is one database file. It is safe for concurrent use. Close every Run before the Store.
type Store struct {
	path  string     // as the caller gave it, for messages
	file  string     // absolute, without symbolic links, so that every name of the file gives the same lock file
	inode *file.File // the file itself
	here  holder     // this process
	// released makes sure that inode is released only once.
	released sync.Once
	// shared is the name of the file system if other machines may see the file, else "".
	shared string
	write  *sql.DB // nil for a reader; one connection, because SQLite has one writer
	read   *sql.DB
	// scanning is locked by a reader that uses several connections.
	scanning sync.Mutex
	latest   latestCast
}

// Durability decides which failures a pair survives after Add has returned.
type Durability string

// These are the values of Durability. They are SQLite's names for its modes of synchronisation.
const (
	Quick Durability = "NORMAL" // survives the death of the process, but the last commits may not survive a power cut
	// also survives a power cut; each commit waits for the disk. Use it to acknowledge pairs.
	Durable Durability = "FULL"
)

// Open opens the database at path for writing and reading. It creates a missing database and migrates an
// older one. If the file is not a database, belongs to another program or was written by a newer gogi, Open
// returns an error and changes nothing. The durability is Quick, unless how has another value.
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
		err = setUp(ctx, s)
	}
	if err == nil {
		s.read, err = file.Reader(ctx, s.file, readers)
	}
	return orClose(s, err)
}

// sparing limits SQLite's cache of pages for writing, in KiB. A pair changes few pages, and the system caches the file.
const sparing = 256

// Spare makes the Store take less memory while it writes pairs one by one: SQLite's cache of pages is smaller. Reports
// read with other connections, which keep their caches. A connection that replaces the writing one has the usual cache.
func (s *Store) Spare(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, fmt.Sprintf("PRAGMA cache_size=-%d", sparing)); err != nil {
		return fmt.Errorf("results: %s: limiting the cache: %w", s.path, err)
	}
	return nil
}

// Path returns the path of the database, as it was opened.
func (s *Store) Path() string { return s.path }

// Size returns the size of a database on the disk in bytes, with its write-ahead log. It returns 0 if path is
// not a file.
func Size(path string) (bytes int64) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return bytes
}

// OpenExisting opens the database at path for reading. It also works while another process writes to the
// database, and without permission to write to the file or its folder. It returns fs.ErrNotExist if there is
// no file. It reads a database of an older gogi without changing it.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	s, err := newStore(path, false)
	if err != nil {
		return nil, err
	}
	s.read, err = file.Reader(ctx, s.file, readers)
	return orClose(s, err)
}

// notFound is the error if a database or its folder does not exist. It unwraps to fs.ErrNotExist.
type notFound struct{ text string }

func (e *notFound) Error() string { return e.text }

func (*notFound) Unwrap() error { return fs.ErrNotExist }

// folderFound reports whether path exists. After an error other than "not found" it also returns true.
func folderFound(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// newStore returns a Store for the file at path, without open handles. If create is set, it creates a missing
// file.
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
	if s.here, err = thisProcess(); err == nil {
		s.inode, err = file.Hold(s.file, create)
	}
	if err != nil {
		return nil, s.fail("opening", err)
	}
	if s.shared, err = file.Shared(s.file); err != nil {
		return orClose(s, err)
	}
	return s, nil
}

// orClose returns the store and nil if err is nil. Otherwise it closes the store and returns err.
func orClose(s *Store, err error) (*Store, error) {
	if err == nil {
		return s, nil
	}
	_ = s.Close() // err has the reason
	return nil, s.fail("opening", err)
}

// Close closes the handles and releases the file. It does not wait for Runs, so close them first.
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

// fail returns err with two additions: the name of the file, and doing, a description of the failed action.
func (s *Store) fail(doing string, err error) error {
	return fmt.Errorf("results: %s: %s: %w", s.path, doing, file.Explain(err))
}

// Backup copies a snapshot of the database to a new file. The parameter to is the path of this file. Other processes
// may store pairs during the copy. Backup copies damaged rows unchanged (see package repair).
func (s *Store) Backup(ctx context.Context, to string) error {
	if err := file.Copy(ctx, s.file, to); err != nil {
		return s.fail(fmt.Sprintf("backing it up to %s", to), err)
	}
	return nil
}
