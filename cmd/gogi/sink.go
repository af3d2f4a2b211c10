package main

import (
	"context"

	"gogi/match"
	"gogi/results"
)

// storeSink puts what a run plays into the store.
type storeSink struct{ run *results.Run }

// Put stores a pair; one that is stored already is left as it is.
func (s storeSink) Put(ctx context.Context, r match.PairResult) error {
	_, err := s.run.Add(ctx, r)
	return err
}

// PutAttempt stores an attempt that does not count.
func (s storeSink) PutAttempt(ctx context.Context, a match.Attempt) error {
	return s.run.PutAttempt(ctx, a)
}
