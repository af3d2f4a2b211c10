package results

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"

	"gogi/results/locks"
)

// migrations are the steps from an empty database to the current schema; step n
// stands in the n-th file by name and leaves PRAGMA user_version at n. A step
// that was once published never changes. (go:embed knows variables only.)
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrationTexts are the steps in order.
func migrationTexts() ([]string, error) {
	entries, err := migrations.ReadDir("migrations") // sorted by name
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		text, err := migrations.ReadFile(path.Join("migrations", e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// querier is a handle or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schemaVersion is the version of the schema that the file has, 0 for an empty
// database. It fails for anything that is not ours.
func schemaVersion(ctx context.Context, q querier, newest int) (version int, err error) {
	var app, tables int
	if err := q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return 0, err
	}
	if err := q.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return 0, err
	}
	if err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	switch {
	case app == 0 && version == 0 && tables == 0:
		return 0, nil
	case app != applicationID:
		return 0, errors.New("it is a SQLite database of another program")
	case version < 1:
		return 0, fmt.Errorf("it says that its schema is version %d, and no gogi writes that: the file is damaged (see gogi db repair)", version)
	case version > newest:
		return 0, fmt.Errorf("it was written by a newer gogi (schema %d, this program knows %d): use that one", version, newest)
	}
	return version, nil
}

// readable is the version of the schema that the file has, for who only reads.
func readable(ctx context.Context, q querier) (version int, err error) {
	texts, err := migrationTexts()
	if err != nil {
		return 0, err
	}
	if version, err = schemaVersion(ctx, q, len(texts)); err == nil && version == 0 {
		err = errors.New("it is empty: no run was ever stored in it")
	}
	return version, err
}

// prepare brings the file to the current schema. The lock keeps two processes
// from doing so at once: SQLite's switch to WAL does not wait for a busy database.
func (s *Store) prepare(ctx context.Context) (err error) {
	texts, err := migrationTexts()
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, s.write, len(texts))
	if err != nil {
		return err
	}
	if version == len(texts) {
		return s.useLog(ctx)
	}
	lock, err := locks.LockBeside(s.file, schemaByte, true)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, lock.Close()) }()
	// A game's packed moves are some 2.5 KB, of which only one fits into a page of
	// the usual 4 KB: with 8 KB the file is 30% smaller. Only a new file takes it.
	if _, err := s.write.ExecContext(ctx, "PRAGMA page_size=8192; PRAGMA journal_mode=WAL"); err != nil {
		return fmt.Errorf("switching to WAL mode: %w", err)
	}
	// Another process may have been faster: only now is the version certain.
	if version, err = schemaVersion(ctx, s.write, len(texts)); err != nil {
		return err
	}
	for n := version; n < len(texts); n++ {
		if err := s.migrate(ctx, n+1, texts[n]); err != nil {
			return fmt.Errorf("migrating to schema %d: %w", n+1, err)
		}
	}
	return nil
}

// useLog switches to WAL mode what is in another: a copy that VACUUM made, or one of
// another program's.
func (s *Store) useLog(ctx context.Context) (err error) {
	var mode string
	if err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil || mode == "wal" {
		return err
	}
	lock, err := locks.LockBeside(s.file, schemaByte, true)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, lock.Close()) }()
	_, err = s.write.ExecContext(ctx, "PRAGMA journal_mode=WAL")
	return err
}

func (s *Store) migrate(ctx context.Context, version int, text string) error {
	return inTx(ctx, s.write, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
		// PRAGMA takes no parameters.
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, version))
		return err
	})
}

// inTx commits what do did, or nothing when it fails.
func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // SQLite may have rolled back by itself; err says why
		return err
	}
	return tx.Commit()
}

func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
