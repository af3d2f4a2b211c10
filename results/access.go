package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"

	"gogi/results/locks"
	"gogi/results/tables"
)

// connector opens connections to one file, each set up alike.
type connector struct {
	uri   string
	setUp []string // statements for each connection
}

func openHandle(file string, options url.Values, setUp ...string) (*sql.DB, error) {
	options.Set("_busy_timeout", strconv.Itoa(busyMillis))
	// database/sql gives a connection to one goroutine at a time. SQLite's own lock,
	// taken for each value that is read, would be a quarter of the time of a report.
	options.Set("_mutex", "no")
	// A path may hold ? and %, which mean something in a URI.
	uri := "file:" + (&url.URL{Path: locks.AsSQLite(file)}).EscapedPath() + "?" + options.Encode()
	return sql.OpenDB(&connector{uri, setUp}), nil
}

// openReader adds the handle for queries.
func (s *Store) openReader(ctx context.Context) error {
	// The mode is rw, not ro: a reader that comes after a crash must be able to recover
	// the log. query_only keeps it from changing anything else.
	err := s.readWith(ctx, url.Values{"mode": {"rw"}})
	if err == nil || !unwritable(err) {
		return err
	}
	options, err := s.asItStands()
	if err != nil {
		return err
	}
	return s.readWith(ctx, options)
}

// unwritable reports whether SQLite failed for want of a file that it must create
// or write to before it can read a database with a log.
func unwritable(err error) bool {
	t := troubleOf(err)
	return t == cannotOpen || t == readOnly
}

// asItStands are the options that read a database in a place where nothing can be
// written, so that nobody writes to it meanwhile: with its log where it has one,
// whose index is then kept in memory (which takes locking_mode=EXCLUSIVE, see
// sqlite.org/wal.html#noshm, and so a file system without locks), else as a file
// that does not change. A log that cannot be read is an error: it may hold pairs.
func (s *Store) asItStands() (url.Values, error) {
	log, err := os.Open(s.file + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return url.Values{"mode": {"ro"}, "immutable": {"1"}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("its log, which may hold pairs that are nowhere else, cannot be read: %w", err)
	}
	info, err := log.Stat()
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return url.Values{"mode": {"ro"}, "immutable": {"1"}}, nil
	}
	return url.Values{"mode": {"ro"}, "vfs": {locks.Lockless}, "_locking_mode": {"EXCLUSIVE"}}, nil
}

// readWith opens the handle for queries with these options, and makes an older
// database look like a current one.
func (s *Store) readWith(ctx context.Context, options url.Values) error {
	probe, err := openHandle(s.file, options, "PRAGMA query_only=on")
	if err != nil {
		return err
	}
	probe.SetMaxOpenConns(1)
	views, err := viewsOf(ctx, probe)
	if err := errors.Join(err, probe.Close()); err != nil {
		return err
	}
	if s.read, err = openHandle(s.file, options, append(views, "PRAGMA query_only=on")...); err == nil {
		s.read.SetMaxOpenConns(readers)
		err = s.read.PingContext(ctx)
	}
	return err
}

// viewsOf are the views that an older database needs; none for a current one.
func viewsOf(ctx context.Context, q tables.Querier) ([]string, error) {
	texts, err := tables.MigrationTexts()
	if err != nil {
		return nil, err
	}
	version, err := tables.Readable(ctx, q)
	if err != nil || version == len(texts) {
		return nil, err
	}
	current, err := tables.CurrentSchema()
	if err != nil {
		return nil, err
	}
	old, err := tables.ReadSchema(ctx, q, "main")
	if err != nil {
		return nil, err
	}
	return tables.ViewsFor(current, old), nil
}
