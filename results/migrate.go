package results

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"gogi/results/file"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// setUp migrates the file to the current schema. A lock prevents two processes from doing this at the same
// time, because SQLite's switch to WAL mode does not wait for a busy database.
func setUp(ctx context.Context, s *Store) (err error) {
	texts, err := tables.MigrationTexts()
	if err != nil {
		return err
	}
	version, err := tables.SchemaVersion(ctx, s.write, len(texts))
	if err != nil {
		return err
	}
	if version == len(texts) {
		return useLog(ctx, s)
	}
	lock, err := file.LockBeside(s.file, schemaByte, true)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, lock.Close()) }()
	// Only an empty file accepts a page size.
	if _, err := s.write.ExecContext(ctx,
		fmt.Sprintf("PRAGMA page_size=%d; PRAGMA journal_mode=WAL", tables.PageSize)); err != nil {
		return fmt.Errorf("switching to WAL mode: %w", err)
	}
	// Another process may have migrated the file before this process got the lock, so it reads the version
	// again.
	if version, err = tables.SchemaVersion(ctx, s.write, len(texts)); err != nil {
		return err
	}
	// One transaction, so that a damaged file stays as it is.
	return file.InTx(ctx, s.write, func(tx *sql.Tx) error {
		for n := version; n < len(texts); n++ {
			if err := migrate(ctx, tx, n+1, texts[n]); err != nil {
				return fmt.Errorf("migrating to schema %d: %w", n+1, err)
			}
		}
		if version == 0 {
			return nil
		}
		return verifyEverything(ctx, tx)
	})
}

// verifyEverything compares every row with its checksum, also the moves of every game. It returns a *tables.Damaged for
// the first row that is damaged, and an error for the first game that readers would reject.
func verifyEverything(ctx context.Context, tx *sql.Tx) error {
	schema, err := tables.CurrentSchema()
	if err != nil {
		return err
	}
	for _, l := range schema.Tables {
		if l.Name == "games" || l.Name == "records" || !slices.Contains(l.Names(), "checksum") {
			continue // records reads the first two; their checksums cover other rows, too
		}
		err := tables.EachRow(ctx, tx, l.Name, func(r *tables.Row) error {
			if r.Verdict() == tables.Broken {
				return r.Damage()
			}
			return nil
		}, "")
		if err != nil {
			return err
		}
	}
	ids, err := tables.List(ctx, tx, func(rows *sql.Rows, id *int64) error { return rows.Scan(id) },
		"SELECT id FROM runs ORDER BY id")
	if err != nil {
		return err
	}
	for _, id := range ids {
		c, err := castOf(ctx, tx, id)
		if err == nil {
			err = records(ctx, tx, c, id, pairRange{0, math.MaxInt64}, func(*tables.Game, kifu.Record) error { return nil })
		}
		if err != nil {
			return tables.NameRun(ctx, tx, id, err)
		}
	}
	return nil
}

// useLog switches a database from another mode to WAL mode. Copies made by VACUUM and files of other programs
// have other modes.
func useLog(ctx context.Context, s *Store) (err error) {
	var mode string
	if err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil || mode == "wal" {
		return err
	}
	lock, err := file.LockBeside(s.file, schemaByte, true)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, lock.Close()) }()
	_, err = s.write.ExecContext(ctx, "PRAGMA journal_mode=WAL")
	return err
}

func migrate(ctx context.Context, tx *sql.Tx, version int, text string) error {
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return err
	}
	if version == tables.StoredSchema {
		if err := fillStored(ctx, tx); err != nil {
			return err
		}
	}
	// PRAGMA accepts no parameters.
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", tables.ApplicationID,
		version))
	return err
}

// fillStored fills the new table "stored" with the counts of the rows of an older gogi. Before that, it verifies that
// all rows can be found. Otherwise the counts would hide rows that are lost in a damaged file.
func fillStored(ctx context.Context, tx *sql.Tx) error {
	damage := ""
	if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&damage); err != nil {
		return err
	}
	if damage != "ok" {
		return &tables.Damaged{Table: "sqlite_schema", Pair: -1, Leg: -1, What: damage}
	}
	if err := tables.FillStored(ctx, tx); err != nil {
		return err
	}
	return tables.CountEverything(ctx, tx)
}

func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// GamesToUpgrade returns the number of games that Open verifies in the database at path, because an older gogi wrote
// it. It returns 0 if there is no such file, or if Open changes no schema. It changes nothing.
func GamesToUpgrade(ctx context.Context, path string) (games int, err error) {
	if Size(path) == 0 {
		return 0, nil
	}
	s, err := OpenExisting(ctx, path)
	if err != nil {
		return 0, err
	}
	defer func() { err = firstError(err, s.Close()) }()
	texts, err := tables.MigrationTexts()
	if err != nil {
		return 0, err
	}
	version, err := tables.SchemaVersion(ctx, s.read, len(texts))
	if err != nil || version == len(texts) || version == 0 {
		return 0, err
	}
	err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM games").Scan(&games)
	return games, err
}
