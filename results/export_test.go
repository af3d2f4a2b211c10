package results

import (
	"database/sql"

	"gogi/match"
)

// What tests from outside see of the inside.

// SelectRecords is the query of records.
var SelectRecords = recordsQuery

// HolderSize is how many bytes of the lock file tell who holds a run.
const HolderSize = holderSize

// Path is how the database was named.
func (s *Store) Path() string { return s.path }

// File is the database's own name.
func (s *Store) File() string { return s.file }

// Queries is the handle that reads.
func (s *Store) Queries() *sql.DB { return s.read }

// Writer is the handle that writes.
func (s *Store) Writer() *sql.DB { return s.write }

// On makes the store believe that it is played by a process, on a file system that other
// machines see, or "".
func (s *Store) On(host, boot string, pid int, shared string) {
	s.here, s.shared = holder{Host: host, Boot: boot, PID: pid}, shared
}

// Here is who plays by the store.
func (s *Store) Here() (boot string, pid int) { return s.here.Boot, s.here.PID }

// Plan is that of the run.
func (r *Run) Plan() *match.Plan { return r.plan }

// Setting is the row of the log of settings that holds.
func (r *Run) Setting() int64 { return r.setting.Load() }
