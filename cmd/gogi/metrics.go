package main

import (
	"context"
	"fmt"

	"gogi/metrics"
	"gogi/players"
	"gogi/results"
)

// measure begins to count what happens in the run, if anybody is to be told; else its
// result is nil, which counts nothing.
func (c *matchCommand) measure(ctx context.Context, o *players.Opener, store *results.Store) (*metrics.Run, error) {
	if c.HTTP == "" && c.MetricsFile == "" {
		return nil, nil //nolint:nilnil // nobody is told
	}
	info, err := store.FindRun(ctx, o.Plan.Run)
	if err != nil {
		return nil, err
	}
	run := metrics.New(c.DB).Run(metrics.AboutStored(info))
	run.Attend(o.Records)
	return run, nil
}

// keepMetrics writes the file of --metrics-file until stop is called.
func (c *matchCommand) keepMetrics(env *environment, run *metrics.Run) (stop func(), err error) {
	if c.MetricsFile == "" {
		return func() {}, nil
	}
	end, err := run.Set().KeepFile(c.MetricsFile)
	if err != nil {
		return nil, err
	}
	return func() {
		if err := end(); err != nil { // which changes no result
			fmt.Fprintln(env.err, "warning:", err)
		}
	}, nil
}
