package results

import (
	"database/sql"

	"gogi/match"
)

// What tests from outside see of the inside.

// SelectRecords is the query of records.
var SelectRecords = recordsQuery

// HolderSize is the number of bytes of the lock file that identify the holder of a run.
const HolderSize = holderSize

// Path is how the database was named.
func (s *Store) Path() string { return s.path }

// File is the database's own name.
func (s *Store) File() string { return s.file }

// Queries is the handle that reads.
func (s *Store) Queries() *sql.DB { return s.read }

// Writer is the handle that writes.
func (s *Store) Writer() *sql.DB { return s.write }

// On makes the store act as if this process plays it, on a file system that other machines use. shared is "" on a local
// file system.
func (s *Store) On(host, boot string, pid int, shared string) {
	s.here, s.shared = holder{Host: host, Boot: boot, PID: pid}, shared
}

// Here returns the process that plays with the store.
func (s *Store) Here() (boot string, pid int) { return s.here.Boot, s.here.PID }

// Plan is that of the run.
func (r *Run) Plan() *match.Plan { return r.plan }

// Setting is the row of the log of settings that holds.
func (r *Run) Setting() int64 { return r.setting.Load() }
