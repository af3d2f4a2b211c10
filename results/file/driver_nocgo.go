//go:build !cgo

package file

import (
	"context"
	"database/sql/driver"
	"errors"
)

// errNoSQLite is the error of every database call in a program that was built without a C compiler. Such a
// build can compile and check types, but it cannot play.
var errNoSQLite = errors.New("this gogi was built without cgo, so SQLite is not in it: build it with CGO_ENABLED=1 and a C compiler")

// Connect returns errNoSQLite.
func (c *connector) Connect(context.Context) (driver.Conn, error) { return nil, errNoSQLite }

// Driver returns a driver whose Open always returns errNoSQLite.
func (c *connector) Driver() driver.Driver { return c }

// Open returns errNoSQLite.
func (c *connector) Open(string) (driver.Conn, error) { return nil, errNoSQLite }

func troubleOf(error) trouble { return noTrouble }
