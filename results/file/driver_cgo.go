//go:build cgo

package file

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/mattn/go-sqlite3"
)

// Connect opens a connection to the database.
func (c *connector) Connect(context.Context) (driver.Conn, error) {
	d := sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		for _, text := range c.setUp {
			if _, err := conn.Exec(text, nil); err != nil {
				return err
			}
		}
		return nil
	}}
	return d.Open(c.uri)
}

// Driver returns SQLite's driver.
func (c *connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

func troubleOf(err error) trouble {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return noTrouble
	}
	switch e.ExtendedCode {
	case sqlite3.ErrIoErrSHMOpen, sqlite3.ErrIoErrSHMSize, sqlite3.ErrIoErrSHMMap:
		// the disk has no space for the log's index
		return cannotOpen
	}
	return map[sqlite3.ErrNo]trouble{
		sqlite3.ErrCantOpen: cannotOpen, sqlite3.ErrReadonly: readOnly, sqlite3.ErrNotADB: notADatabase,
		sqlite3.ErrCorrupt: corrupt, sqlite3.ErrConstraint: constraint,
	}[e.Code]
}
