// Package results keeps every game of every run in one SQLite file. Nobody but it and
// its rooms knows SQL: tables (what a row is), handle (files opened and made), dump (a run
// as text), mending (checked, repaired, merged).
//
// A [Store] is the file, a [Run] is the right to add to one run of it. The pair
// is the unit: [Run.Add] stores both games of a pair or nothing, and a pair that
// is stored already is left as it is, so a pair may be delivered any number of
// times; Add says which delivery was the one that counts. What is missing of a run is what [Run.Finished] does not name; resuming
// is [Store.Begin] with the same plan.
//
// Traps:
//
//   - What Add has stored is durable against the death of the process (kill -9)
//     when it returns. A power cut may take the last commits with it, never more:
//     the database is in WAL mode with synchronous=NORMAL, and the pairs are then
//     just played again. Who acknowledges to others opens it [Durable].
//   - Add compares a pair with the plan: its number, players, opening and seed. It
//     does not replay the games: for pairs that others played there is arbiter.Verify.
//   - The target may be lowered while pairs are in play. Add takes pairs up to the
//     greatest target that the run ever had, so none of them is lost.
//   - What came before the first game is told by the order of the log of settings
//     ([Store.FirstStored]), never by a player's clock.
//   - [Run.Void] takes pairs out: no reader but [Store.Voided] sees them any more,
//     and they are missing again.
//   - A run in WAL mode is three files (X, X-wal, X-shm), and X-lock beside them: copy
//     them with [Store.Backup]. X-lock stays: its bytes carry the locks (byte 0: the
//     schema, byte n: run n), and what stands in it tells who holds them. The database
//     file carries the same locks, far behind its end.
//   - Never open the database file but through this package while a Store of it is
//     open: closing any descriptor of it drops SQLite's own locks.
//   - Every row has a checksum (package tables); who changes a row by hand sets it to
//     NULL. A reader's error is then a [*tables.Damaged].
//   - Whole runs are read by segments (package segments), which triggers drop when a row
//     changes that they hold. Whoever drops a trigger drops the segments first.
//   - The plan's digest decides whether a run may be resumed; the target, paths
//     and concurrency may change and are logged ([Store.Settings]).
//   - [Store.Games] and [Store.Pairs] never touch the moves, which lie compressed
//     in a table of their own; [Store.Record] unpacks one game's. All may be called
//     from inside a yield function, because reading has connections of its own.
//   - What a record says of the players, the result and the start time comes back
//     from the game's row, not from the kifu.Record that was added. Times come back
//     in UTC and in whole microseconds; a score without HasScore comes back as 0,
//     and a principal variation is as long as the plan's PVPlies at most.
package results
