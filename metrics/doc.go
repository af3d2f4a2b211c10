// Package metrics tells Prometheus of runs: of one that this process plays, or of all
// in a database and those that other processes play into it. What is told is the table
// of Families; docs/metrics.md explains it.
//
// A figure comes from where it cannot be counted twice. What counts is read from the
// state of the run when it is asked for, which begins with what is stored: it survives
// a restart, and only grows (as long as nobody takes stored pairs away). Moves are
// counted as they are made, in a subscription of the run's events; when that was cut,
// the state says what the games that ended meanwhile amount to, and the end of a game
// what its moves do. Only histograms miss the moves that nobody has seen.
//
// Labels are bounded: runs, their players and members of councils, and closed lists of
// words. Names are other people's text; the exposition formats escape them.
package metrics
