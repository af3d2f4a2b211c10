//go:build cgo

package tables

import _ "github.com/mattn/go-sqlite3" // what the migrations make is found in memory
