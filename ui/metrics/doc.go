// Package metrics exports metrics of runs to Prometheus: of one that this process plays, of all
// runs in a database, and of those that other processes play into it. [Families] is the table
// of all metrics. To add one, add a row there. docs/events.md explains the metrics.
//
// Every figure comes from a source that cannot count it twice. Counters are read from the state
// of the run, which begins with the stored games, so they survive a restart. Moves are counted
// as they are made, from a subscription to the run's events. If the Hub cuts the subscription,
// the state corrects the count. Only histograms miss the moves in between.
//
// Labels are bounded: runs, their players and members of councils, and closed lists of words.
// The exposition formats escape names.
package metrics
