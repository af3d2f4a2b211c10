package tests

import (
	"context"
	"slices"

	"gogi/farm"
	"gogi/match"
)

// A Selection selects pairs that a worker played.
type Selection struct {
	Worker string
	Only   []int // if not nil, only these pairs of the worker
}

// Has reports whether the pair of a worker is selected.
func (s Selection) Has(worker string, pair int) bool {
	return worker == s.Worker && (s.Only == nil || slices.Contains(s.Only, pair))
}

// A Store stores the results of one run. A pair that it reports as stored is on disk.
type Store interface {
	// Add stores a pair with its take (how often the pair was voided before), together with the states of a tune
	// that result from the pair. added is false if the pair was stored before. Add returns an error if take is
	// not the current take.
	Add(ctx context.Context, r match.PairResult, take int, states ...match.TuneState) (added bool, err error)
	// PutAttempt stores an attempt at a pair, which does not count. Storing it again changes nothing.
	PutAttempt(ctx context.Context, a match.Attempt) error
	// Finished returns the set of the stored pairs.
	Finished(ctx context.Context) (map[int]bool, error)
	// Takes returns how often each voided pair was voided.
	Takes(ctx context.Context) (map[int]int, error)
	// Rows calls see for every stored pair in pair order, with its games by leg.
	Rows(ctx context.Context, see func(rows []match.Row) error) error
	// Pair returns a stored pair.
	Pair(ctx context.Context, id int) (match.PairResult, error)
	// Points calls see for each stored pair of a tune, in order, with the options of its players.
	Points(ctx context.Context, see func(pair int, options [2][]match.Option) error) error
	// States returns the stored states of a tune, ordered by blocks. It returns no states if the run is no tune.
	States(ctx context.Context) ([]match.TuneState, error)
	// Void removes the selected pairs from the run, and returns them. In a tune it also removes the pairs whose
	// parameters depend on the removed pairs.
	Void(ctx context.Context, which Selection, why, by string) (pairs []int, err error)
	// By returns the pairs that Void would remove.
	By(ctx context.Context, which Selection) (pairs []int, err error)
	// Voids returns the removed results of these pairs.
	Voids(ctx context.Context, ids []int) ([]farm.Void, error)
	// Sum returns the SHA-256 (hex) of the pairs in a range of numbers, in the form of a stable dump, and the
	// number of stored pairs in the range. The range excludes its upper end.
	Sum(ctx context.Context, from, below int) (sum string, stored int, err error)
	// SetProvisional stores why the verdict of the run's SPRT is not final; "" means that it is final.
	SetProvisional(ctx context.Context, why string) error
	// Close closes the store.
	Close() error
}
