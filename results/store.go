package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mattn/go-sqlite3"
)

const (
	// applicationID is "gogi" in ASCII. It stands in the header of the file, so
	// that another program's database is not taken for ours.
	applicationID = 0x676f6769
	// busyMillis is how long a statement waits for another process's transaction.
	// They take milliseconds; a suspended process may hold one for longer.
	busyMillis = 30_000
	// readers is how many queries may run at once: a yield function may ask for a
	// record while its games are being read.
	readers = 4
)

// Store is one database file. It is safe for concurrent use. Close every Run
// before the Store.
type Store struct {
	path  string  // as it was given, for messages
	file  string  // absolute: the working directory may change
	write *sql.DB // nil for a reader; one connection, because SQLite has one writer
	read  *sql.DB
}

// Durability is what an acknowledged pair survives.
type Durability string

// The choices of Durability, as SQLite calls its modes of synchronisation.
const (
	Quick   Durability = "NORMAL" // the death of the process; a power cut takes the last commits, which are just played again
	Durable Durability = "FULL"   // a power cut, too: for who acknowledges to others what is stored; each commit waits for the disk
)

// Open opens the database at path for writing and reading, creates it where there
// is none, and migrates an older one. A file that is not a database, a database of
// another program and one of a newer gogi are refused and left untouched. It is
// Quick unless the last of how says otherwise.
func Open(ctx context.Context, path string, how ...Durability) (*Store, error) {
	sync := Quick
	for _, sync = range how {
		if sync != Quick && sync != Durable {
			return nil, fmt.Errorf("results: %s: durability %q: expected %s or %s", path, sync, Quick, Durable)
		}
	}
	s, err := newStore(path)
	if err != nil {
		return nil, err
	}
	if s.write, err = openHandle(s.file, "rwc", url.Values{
		"_txlock": {"immediate"}, "_synchronous": {string(sync)}, "_foreign_keys": {"on"},
	}); err != nil {
		return nil, s.fail("opening", err)
	}
	s.write.SetMaxOpenConns(1)
	if err := s.prepare(ctx); err != nil {
		_ = s.write.Close() // the reason why it cannot be used is the error to tell
		return nil, s.fail("opening", err)
	}
	return s.withReader(ctx)
}

// OpenExisting opens the database at path for reading, also while another process
// writes to it. It never creates one: the error is fs.ErrNotExist where there is
// no file. One of an older gogi is brought up to date first.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	s, err := newStore(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: %s: there is no such database: %w", path, fs.ErrNotExist)
	}
	opened, err := s.withReader(ctx)
	if errors.Is(err, errOlder) {
		return upgrade(ctx, path)
	}
	return opened, err
}

// upgrade migrates a database, and opens it for reading.
func upgrade(ctx context.Context, path string) (*Store, error) {
	writer, err := Open(ctx, path)
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		return nil, err
	}
	s, err := newStore(path)
	if err != nil {
		return nil, err
	}
	return s.withReader(ctx)
}

func newStore(path string) (*Store, error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("results: %s: %w", path, err)
	}
	return &Store{path: path, file: file}, nil
}

// withReader adds the handle for queries and closes the store if that fails. Its
// mode is rw, not ro: a reader that comes after a crash must be able to recover
// the log. query_only keeps it from changing anything else.
func (s *Store) withReader(ctx context.Context) (*Store, error) {
	var err error
	if s.read, err = openHandle(s.file, "rw", url.Values{"_query_only": {"on"}}); err == nil {
		s.read.SetMaxOpenConns(readers)
		err = checkCurrent(ctx, s.read)
	}
	if err != nil {
		_ = s.Close() // the reason why it cannot be used is the error to tell
		return nil, s.fail("opening", err)
	}
	return s, nil
}

func openHandle(file, mode string, options url.Values) (*sql.DB, error) {
	options.Set("mode", mode)
	options.Set("_busy_timeout", strconv.Itoa(busyMillis))
	// A path may hold ? and %, which mean something in a URI.
	uri := "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + options.Encode()
	return sql.Open("sqlite3", uri)
}

// Close releases the file. It does not wait for Runs: close them first.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return s.fail("closing", err)
	}
	return nil
}

// fail wraps an error with the file and what was being done.
func (s *Store) fail(doing string, err error) error {
	return fmt.Errorf("results: %s: %s: %w", s.path, doing, explain(err))
}

// explain turns SQLite's code for a foreign file into words.
func explain(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && e.Code == sqlite3.ErrNotADB {
		return fmt.Errorf("it is not a SQLite database (%w)", err)
	}
	return err
}
