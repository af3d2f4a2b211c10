// Package file opens the SQLite files of results. [Writer] opens a file for writing, and [Reader] for
// reading, even during a write or on a read-only disk. [Build] creates a new file as a whole. The package
// also resolves links, locks a database file, and reports whether other machines see the file. It does not
// use a results.Store.
//
// Locks cover single bytes: of a lock file next to the database, and of the database file itself, far behind
// its end.
package file

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strconv"

	"gogi/internal/disk"
	"gogi/results/sqlitefile"
	"gogi/results/tables"
)

type connector struct {
	uri   string
	setUp []string // statements for each connection
}

// busyMillis is how long, in milliseconds, a statement waits for the transaction of another process.
// Transactions take milliseconds, but a suspended process may block others for longer.
const busyMillis = 30_000

// Open returns a handle of a file. options has SQLite's URI parameters and the parameters of its Go driver.
// Each new connection first runs the statements setUp.
func Open(file string, options url.Values, setUp ...string) (*sql.DB, error) {
	options.Set("_busy_timeout", strconv.Itoa(busyMillis))
	// Package database/sql gives a connection to one goroutine at a time, so SQLite needs no lock of its own.
	// That lock would take a quarter of the time of a report, because it is taken for each value.
	options.Set("_mutex", "no")
	// Checks and dumps ask the same questions for each pair. SQLite parses a cached statement only once.
	options.Set("_stmt_cache_size", "32")
	// A path may have ? and %, which have a meaning in a URI.
	uri := "file:" + (&url.URL{Path: AsSQLite(file)}).EscapedPath() + "?" + options.Encode()
	return sql.OpenDB(&connector{uri, setUp}), nil
}

// Writer opens a handle with one connection for writing. It creates a missing file. synchronous is SQLite's
// mode of synchronisation, which controls how commits reach the disk.
func Writer(file, synchronous string) (*sql.DB, error) {
	db, err := Open(file, url.Values{
		"mode": {"rwc"}, "_txlock": {"immediate"}, "_synchronous": {synchronous}, "_foreign_keys": {"on"},
		// SQLite must overwrite deleted data, because repair searches for rows by their checksums and must
		// not find a voided pair.
		"_secure_delete": {"on"},
	})
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// Reader opens a handle for queries with at most connections connections. It works while another process
// writes to the file, and on a read-only disk. Its temporary views make an older database look like a current
// one.
func Reader(ctx context.Context, file string, connections int) (*sql.DB, error) {
	// The mode is rw, not ro, because after a crash the first reader must be able to recover the log.
	// query_only prevents all other changes.
	db, err := readWith(ctx, file, url.Values{"mode": {"rw"}}, connections)
	if err == nil || !unwritable(err) {
		return db, err
	}
	return ReaderAsItStands(ctx, file, connections)
}

// ReaderAsItStands opens a handle like Reader. No process may write to the file while the handle is open. The
// handle therefore also works in a folder where gogi cannot write (see AsItStands).
func ReaderAsItStands(ctx context.Context, file string, connections int) (*sql.DB, error) {
	options, err := AsItStands(file)
	if err != nil {
		return nil, err
	}
	return readWith(ctx, file, options, connections)
}

// unwritable reports whether SQLite failed because it could not create or write a file. SQLite needs such a
// file to read a database with a log.
func unwritable(err error) bool {
	t := troubleOf(err)
	return t == cannotOpen || t == readOnly
}

// AsItStands returns the options for reading a database in a folder where gogi cannot write. No other process may
// write to the database at the same time. If the database has a log, SQLite keeps the log's index in memory. This
// needs locking_mode=EXCLUSIVE (see sqlite.org/wal.html#noshm) and therefore a VFS without locks. If the database
// has no log, SQLite treats the file as one that never changes. AsItStands returns an error if it cannot read the
// log, because the log may have pairs.
func AsItStands(file string) (url.Values, error) {
	log, err := os.Open(file + "-wal")
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
	return url.Values{"mode": {"ro"}, "vfs": {Lockless}, "_locking_mode": {"EXCLUSIVE"}}, nil
}

// readWith opens a handle for queries with these options. Its temporary views make an older database look
// like a current one.
func readWith(ctx context.Context, file string, options url.Values, connections int) (*sql.DB, error) {
	probe, err := Open(file, options, "PRAGMA query_only=on")
	if err != nil {
		return nil, err
	}
	probe.SetMaxOpenConns(1)
	views, err := viewsOf(ctx, probe)
	if err := errors.Join(err, probe.Close()); err != nil {
		return nil, err
	}
	db, err := Open(file, options, append(views, "PRAGMA query_only=on")...)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close() // the file could not be read
		return nil, err
	}
	return db, nil
}

// viewsOf returns the statements that create the views for an older database. It returns nothing for a
// current database.
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

// soundLog returns an error if the log is damaged before its end. SQLite then reads only the frames before
// the damage and ignores the rest, so acknowledged pairs would be lost without an error.
func soundLog(file string) error {
	var first string
	for range 2 { // a frame that is being written looks damaged once
		log, err := sqlitefile.ReadLog(file + "-wal")
		if errors.Is(err, fs.ErrPermission) {
			return nil // AsItStands returns this error
		}
		if err == nil {
			err = log.Close()
		}
		found := log.Problem()
		if err != nil || found == "" || found == first {
			if err == nil && found != "" {
				err = fmt.Errorf("%s: what was stored last would be lost; gogi db repair saves it", found)
			}
			return err
		}
		first = found
	}
	return nil
}

// InTx runs do in a transaction and commits its changes. If do returns an error, InTx rolls back all changes
// and returns the error.
func InTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // SQLite may have rolled back already; err has the reason
		return err
	}
	return tx.Commit()
}

// Explain returns a readable error if SQLite's error code means that a file is not an SQLite database, is damaged
// or is read-only. It returns other errors unchanged.
func Explain(err error) error {
	switch troubleOf(err) {
	case notADatabase:
		return fmt.Errorf("it is not a SQLite database (%w)", err)
	case readOnly:
		return fmt.Errorf("the file or its folder may only be read (%w)", err)
	case corrupt:
		return fmt.Errorf("the database is damaged: see gogi db check (%w)", err)
	case constraint: // gogi compares stored rows first, so a row that it did not find blocks the new one
		return fmt.Errorf("the database is damaged: a row contradicts another one: see gogi db check (%w)", err)
	case cannotOpen:
		return fmt.Errorf("cannot open it (%w); check the permissions of the file and of its folder, and the free space of the disk", err)
	case noTrouble:
	}
	return err
}

// trouble is a kind of SQLite error for which gogi has its own message or handling.
type trouble int

const (
	noTrouble trouble = iota // another error of SQLite, or an error of something else
	cannotOpen
	readOnly
	notADatabase
	corrupt
	constraint
)

// ErrTaken is the error if another process has locked the byte.
var ErrTaken = errors.New("somebody else has locked it")

// LockBeside locks one byte of the lock file next to the database at path. The lock ends when the caller closes the
// returned file or the process ends, even if it is killed. If another process has locked the byte, LockBeside waits
// if wait is true, and otherwise returns ErrTaken.
func LockBeside(path string, offset int64, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o666) // the umask decides, as for the database
	if err != nil {
		return nil, disk.CannotWrite(path+"-lock", err)
	}
	if err := lockRange(f, offset, wait); err != nil {
		_ = f.Close() // nothing was written to it
		return nil, err
	}
	return f, nil
}
