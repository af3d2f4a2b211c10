// Package metrics exports metrics of runs to Prometheus. It covers the run that this process plays, all runs
// in a database, and runs that other processes play into this database. [Families] is the table of all
// metrics. To add one, add a row there. docs/events.md explains the metrics.
//
// No game or move is counted twice. Counters come from the state of the run, which begins with the stored
// games, so they survive a restart. Moves come from a subscription to the run's events. If the subscription
// falls behind, gogi ends it and subscribes again. The first event then has the state of the run and corrects
// the counts, but histograms miss the moves in between.
//
// Labels have limited values: runs, their players and members of councils, and fixed lists of words. The
// exposition formats escape names.
package metrics
