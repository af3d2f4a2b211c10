// Package results stores every game of every run in one SQLite file. [Open] opens a [Store];
// [Store.Begin] starts or resumes a [Run] with its plan; [Run.Add] stores a pair. Reading methods of
// Store return rows, records and settings. Only this package and its subpackages know SQL.
//
// The pair is the unit: Add stores both games of a pair or nothing, and ignores a pair that is stored
// already, so a pair may be sent any number of times. Add reports whether it stored the pair. The missing pairs
// of a run are those that [Run.Finished] does not list.
//
// # Traps
//
//   - A pair that Add stored survives the death of the process (kill -9). A power cut may lose the last
//     commits, because the database is in WAL mode with synchronous=NORMAL; gogi then plays those pairs
//     again. Open the store [Durable] if you acknowledge pairs to other programs.
//   - Add compares a pair with the plan: its number, players, opening and seed. It does not replay the
//     games; use arbiter.Verify for pairs from other machines.
//   - The target (the number of pairs to play) may be lowered while pairs are in play. Add takes pairs up to
//     the greatest target that the run ever had.
//   - [Store.FirstStored] finds the settings before the first game by their order in the log of settings.
//     It uses no clock, except for pairs of an older gogi.
//   - [Run.Void] hides pairs from every reader except [Store.Voided]. They count as missing, so gogi plays
//     them again.
//   - A database in WAL mode consists of three files (X, X-wal, X-shm), and gogi adds the lock file X-lock.
//     Copy a database with [Store.Backup]. A process locks byte n of X-lock to play run n, and byte 0 to
//     change the schema. The text in X-lock names the processes that play. To play a run, a process also
//     locks a byte of the database file, far behind its end.
//   - Open the database file only through this package while a Store of it is open: closing any
//     descriptor of it drops SQLite's own locks.
//   - Every row has a checksum (package results/tables). If you change a row by hand, set its checksum to
//     NULL; otherwise a reader returns a [*tables.Damaged].
//   - Readers of whole runs use segments (package results/segments). Triggers drop a segment if a row in
//     it changes. Drop the segments before you drop a trigger.
//   - The plan's digest decides whether a run may be resumed. The target, paths and concurrency may
//     change and are logged ([Store.Settings]).
//   - [Store.Games] and [Store.Pairs] never read the moves, which are compressed in their own table;
//     [Store.Record] unpacks those of one game. You may call all of them from inside a yield function,
//     because readers have their own connections.
//   - A record's players, result and start time come from the game's row, not from the kifu.Record that
//     was added. Times return in UTC and in whole microseconds, a score without HasScore returns as 0,
//     and a principal variation has at most PVPlies moves.
package results
