// Package tables defines the tables of a database: the migrations, the columns of each row, and the values
// that a row's checksum covers. To add a column, start here. [SchemaOf] returns the schema of a version,
// [EachRow] reads rows, and [Seal] writes checksums. The packages that read and write databases use it.
package tables

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
)

// ApplicationID is "gogi" in ASCII. It is in the header of the file, so that gogi rejects another
// program's database.
const ApplicationID = 0x676f6769

// PageSize is the page size of gogi's files in bytes. A game's packed moves take some 2.5 KB, and only one
// such value fits into a page of the usual 4 KB. With 8 KB pages the file is 30% smaller.
const PageSize = 8192

// migrations has the steps from an empty database to the current schema. Step n is the n-th file by name and sets
// PRAGMA user_version to n. A published step never changes. An embedded folder must be a variable, but no code assigns
// it.
//
//go:embed migrations/*.sql
var migrations embed.FS

// MigrationTexts returns the SQL texts of the migrations in order.
func MigrationTexts() ([]string, error) {
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

// Querier is a database handle, a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// SchemaVersion returns the version of the schema in the file, or 0 for an empty database. It returns an
// error if another program or a gogi with a version above newest wrote the file.
func SchemaVersion(ctx context.Context, q Querier, newest int) (version int, err error) {
	var app, tables int
	// One statement sees one state of the file, which another process may be creating.
	const asked = "SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version FROM pragma_application_id, pragma_user_version"
	if err := q.QueryRowContext(ctx, asked).Scan(&tables, &app, &version); err != nil {
		return 0, err
	}
	switch {
	case app == 0 && version == 0 && tables == 0:
		return 0, nil
	case app != ApplicationID:
		return 0, errors.New("it is a SQLite database of another program")
	case version < 1:
		return 0,
			fmt.Errorf("it says that its schema is version %d, and no gogi writes that: the file is damaged (see gogi db repair)", version)
	case version > newest:
		return 0, fmt.Errorf("it was written by a newer gogi (schema %d, this program knows %d): use that one", version,
			newest)
	}
	return version, nil
}

// Readable returns the version of the file's schema. It returns an error if this gogi cannot read that
// version, or if the database is empty.
func Readable(ctx context.Context, q Querier) (version int, err error) {
	texts, err := MigrationTexts()
	if err != nil {
		return 0, err
	}
	if version, err = SchemaVersion(ctx, q, len(texts)); err == nil && version == 0 {
		err = errors.New("it is empty: no run was ever stored in it")
	}
	return version, err
}

// List calls scan for each row of a query and returns the scanned values. After an error, the list has the
// values of the rows before the error.
func List[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, query string, args ...any) (list []T,
	err error) {
	err = Each(ctx, q, func(rows *sql.Rows) error {
		var value T
		err := scan(rows, &value)
		list = append(list, value)
		return err
	}, query, args...)
	return list, err
}

// Each calls scan for every row of a query.
func Each(ctx context.Context, q Querier, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // reading ends here, and Err has returned the reason
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
