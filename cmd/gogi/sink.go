package main

import (
	"context"

	"gogi/match"
	"gogi/results"
	"gogi/runner"
)

// runSink stores what is played under a lease in the one run of a store: leases
// of a local series all belong to it.
type runSink struct{ run *results.Run }

// Put stores a whole pair.
func (s runSink) Put(ctx context.Context, _ runner.Lease, r match.PairResult) (added bool, err error) {
	// A run hands out each pair that is missing once, so what it puts is new.
	return true, s.run.Put(ctx, r)
}

// PutAttempt stores a try at a pair that is given up.
func (s runSink) PutAttempt(ctx context.Context, _ runner.Lease, a match.Attempt) error {
	return s.run.PutAttempt(ctx, a)
}
