//go:build cgo

package tables

import _ "github.com/mattn/go-sqlite3" // CurrentSchema runs the migrations in memory
