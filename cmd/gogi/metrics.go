package main

import (
	"context"
	"fmt"

	"gogi/metrics"
	"gogi/players"
	"gogi/results"
)

// measure begins to count what happens in a run that is going to be played.
func measure(ctx context.Context, db string, o *players.Opener, store *results.Store) (*metrics.Run, error) {
	info, err := store.FindRun(ctx, o.Plan.Run)
	if err != nil {
		return nil, err
	}
	run := metrics.New(db).Run(metrics.AboutStored(info))
	run.Attend(o.Records)
	return run, nil
}

// keepMetrics writes a run's metrics into a file, where there is to be one, until stop
// is called.
func keepMetrics(env *environment, run *metrics.Run, file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	end, err := run.Set().KeepFile(file)
	if err != nil {
		return nil, err
	}
	return func() {
		if err := end(); err != nil { // which changes no result
			fmt.Fprintln(env.err, "warning:", err)
		}
	}, nil
}
