// Package metrics exports metrics of runs to Prometheus. The runs are a run that this process plays, all runs
// in a database, and runs that other processes play into it. [Families] is the table of all metrics. To add
// one, add a row there. docs/events.md explains the metrics.
//
// Every figure comes from a source that cannot count it twice. Counters come from the state of the run. This
// state begins with the stored games, so the counters survive a restart. A subscription to the run's events
// counts moves. If the Hub cuts the subscription, the state corrects the count, and only histograms miss the
// moves in between.
//
// Labels have limited values: runs, their players and members of councils, and fixed lists of words. The
// exposition formats escape names.
package metrics
