// Package farmstate stores the state of a farm's coordinator in its own SQLite file: tests, workers, the update of
// the workers, and the number of starts. [Open] returns a [State]; [Copy] makes a backup, even while a coordinator
// writes to the file.
//
// A row has a bucket (the kind of the row), a name, a body and a revision. The body is data that the coordinator
// has encoded. The revision grows by one with each change. If two coordinators change the same row, the second
// change fails with [ErrStale]. Each row has a CRC-32C.
//
// The file also has the log of all actions on the farm, see [Action].
package farmstate

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/url"
	"os"

	"gogi/internal/lists"
	"gogi/results/file"
	"gogi/results/tables"
)

// ErrStale is the error of Put if another coordinator has changed the row since it was read.
var ErrStale = errors.New("another coordinator has changed it; only one may serve a farm")

// applicationID is "gogf" in ASCII. It is in the header of the file and identifies the file as a farm's
// state.
const applicationID = 0x676f6766

const schema = `CREATE TABLE IF NOT EXISTS state (
	bucket TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL,
	PRIMARY KEY (bucket, name)) STRICT, WITHOUT ROWID`

// State is an open state file of a farm's coordinator. Its methods are safe for concurrent use.
type State struct {
	db   *sql.DB
	path string
}

// Open opens the state at path and creates it if it does not exist. It returns an error if SQLite finds
// damage, or if a newer gogi or another program wrote the file.
func Open(ctx context.Context, path string) (*State, error) {
	// The mode is EXTRA, because without a write-ahead log a power cut could bring back the journal of the
	// last commit.
	db, err := file.Writer(path, "EXTRA")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &State{db: db, path: path}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(s.fail(err), db.Close())
	}
	return s, nil
}

func (s *State) prepare(ctx context.Context) error {
	return file.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if err := prepareRows(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, actionsSchema) // an earlier gogi has no such table, and ignores it
		return err
	})
}

func prepareRows(ctx context.Context, tx *sql.Tx) error {
	var id, version, tables int
	const asked = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version"
	if err := tx.QueryRowContext(ctx, asked).Scan(&id, &version, &tables); err != nil {
		return err
	}
	if tables == 0 && id == 0 && version == 0 {
		_, err := tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id=%d; PRAGMA user_version=1", schema,
			applicationID))
		return err
	}
	if id != applicationID || version != 1 {
		return fmt.Errorf("it is not the state of a farm, or a newer gogi wrote it (application %#x, version %d)", id,
			version)
	}
	found := ""
	if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return errors.New(found)
	}
	return nil
}

func (s *State) fail(err error) error {
	return fmt.Errorf("%s: %w; if it is damaged, restore the latest backup with `gogi farm restore`", s.path, err)
}

// Close closes the file.
func (s *State) Close() error { return s.db.Close() }

// Put replaces the body of a row if the parameter revision is the row's current revision. Revision 0 creates
// the row. Put adds the actions to the log in the same transaction. It returns the new revision when all of it
// is on the disk. After an error nothing has changed. If ctx ends, a running Put continues, because otherwise
// the caller would not know whether the row is stored.
func (s *State) Put(ctx context.Context, bucket, name string, body []byte, revision uint64, actions ...Action) (uint64,
	error) {
	next := revision + 1
	crc := checksum(bucket, name, body, next)
	ctx = context.WithoutCancel(ctx)
	err := file.InTx(ctx, s.db, func(tx *sql.Tx) error {
		var done sql.Result
		var err error
		if revision == 0 {
			done, err = tx.ExecContext(ctx,
				"INSERT INTO state (bucket, name, revision, body, crc) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", bucket, name,
				next, body, crc)
		} else {
			done, err = tx.ExecContext(ctx,
				"UPDATE state SET revision = ?, body = ?, crc = ? WHERE bucket = ? AND name = ? AND revision = ?", next, body, crc,
				bucket, name, revision)
		}
		if err != nil {
			return err
		}
		if rows, err := done.RowsAffected(); err != nil || rows == 0 {
			return errors.Join(err, ErrStale)
		}
		return addActions(ctx, tx, actions)
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %s %s: %w", s.path, bucket, name, err)
	}
	return next, nil
}

// Get returns the body of a row and its revision, or revision 0 if there is no such row.
func (s *State) Get(ctx context.Context, bucket, name string) (body []byte, revision uint64, err error) {
	var crc uint32
	err = s.db.QueryRowContext(ctx, "SELECT body, revision, crc FROM state WHERE bucket = ? AND name = ?", bucket,
		name).Scan(&body, &revision, &crc)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	if err == nil && crc != checksum(bucket, name, body, revision) {
		err = fmt.Errorf("the checksum of %s %s is wrong", bucket, name)
	}
	if err != nil {
		return nil, 0, s.fail(err)
	}
	return body, revision, nil
}

// Delete removes a row, and adds the actions to the log in the same transaction. A missing row is no error.
func (s *State) Delete(ctx context.Context, bucket, name string, actions ...Action) error {
	ctx = context.WithoutCancel(ctx)
	err := file.InTx(ctx, s.db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM state WHERE bucket = ? AND name = ?", bucket, name)
		return errors.Join(err, addActions(ctx, tx, actions))
	})
	if err != nil {
		return fmt.Errorf("%s: %s %s: %w", s.path, bucket, name, err)
	}
	return nil
}

type row struct {
	name     string
	body     []byte
	revision uint64
	crc      uint32
}

// Each calls f with all rows of a bucket, in the order of their names. f may call Put.
func (s *State) Each(ctx context.Context, bucket string,
	f func(name string, body []byte, revision uint64) error) error {
	all, err := s.rows(ctx, bucket)
	if err != nil {
		return s.fail(err)
	}
	return lists.Each(all, func(r row) error { return f(r.name, r.body, r.revision) })
}

// rows returns all rows of a bucket. It returns an error if the checksum of a row is wrong.
func (s *State) rows(ctx context.Context, bucket string) ([]row, error) {
	return tables.List(ctx, s.db, func(rows *sql.Rows, r *row) error {
		err := rows.Scan(&r.name, &r.body, &r.revision, &r.crc)
		if err == nil && r.crc != checksum(bucket, r.name, r.body, r.revision) {
			err = fmt.Errorf("the checksum of %s %s is wrong", bucket, r.name)
		}
		return err
	}, "SELECT name, body, revision, crc FROM state WHERE bucket = ? ORDER BY name", bucket)
}

// A Row is a row of a State.
type Row struct {
	Bucket   string `cbor:"b"`
	Name     string `cbor:"n"`
	Revision uint64 `cbor:"r"`
	Body     []byte `cbor:"d"`
}

// Rows calls f with all rows. f must not use the State.
func (s *State) Rows(ctx context.Context, f func(Row) error) error {
	all, err := tables.List(ctx, s.db, func(rows *sql.Rows, r *Row) error {
		var crc uint32
		err := rows.Scan(&r.Bucket, &r.Name, &r.Revision, &r.Body, &crc)
		if err == nil && crc != checksum(r.Bucket, r.Name, r.Body, r.Revision) {
			err = fmt.Errorf("the checksum of %s %s is wrong", r.Bucket, r.Name)
		}
		return err
	}, "SELECT bucket, name, revision, body, crc FROM state ORDER BY bucket, name")
	if err != nil {
		return s.fail(err)
	}
	return lists.Each(all, f)
}

// Replace replaces all rows and the whole log, whose actions have their IDs.
func (s *State) Replace(ctx context.Context, rows []Row, actions []Action) error {
	err := file.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM state; DELETE FROM actions"); err != nil {
			return err
		}
		for _, r := range rows {
			_, err := tx.ExecContext(ctx, "INSERT INTO state (bucket, name, revision, body, crc) VALUES (?, ?, ?, ?, ?)",
				r.Bucket, r.Name, r.Revision, r.Body, checksum(r.Bucket, r.Name, r.Body, r.Revision))
			if err != nil {
				return err
			}
		}
		return addActions(ctx, tx, actions)
	})
	if err != nil {
		return fmt.Errorf("%s: replacing the state: %w", s.path, err)
	}
	return nil
}

// checksum returns the CRC-32C of all fields of a row.
func checksum(bucket, name string, body []byte, revision uint64) uint32 {
	text := binary.BigEndian.AppendUint64([]byte(bucket+"\x00"+name+"\x00"), revision)
	return crc32.Checksum(append(text, body...), crc32.MakeTable(crc32.Castagnoli))
}

// Copy copies a snapshot of the state file source to the new file target. It returns fs.ErrNotExist if there is
// no state.
func Copy(ctx context.Context, source, target string) error {
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s not found; serve the farm once: %w", source, err)
	}
	db, err := file.Open(source, url.Values{"mode": {"rw"}}) // rw: a crash may have left a journal to roll back
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", target)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}
