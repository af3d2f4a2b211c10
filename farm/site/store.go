package site

import (
	"context"
	"errors"
	"slices"

	"gogi/farm"
	"gogi/farm/coordinator/tests"
	"gogi/match"
	"gogi/results"
	"gogi/results/dump"
)

// Stores returns a function for coordinator.Config.Open, which opens a run in the database s. The database
// must be durable, because workers delete acknowledged results.
func Stores(s *results.Store) func(ctx context.Context, p *match.Plan) (tests.Store, error) {
	return func(ctx context.Context, p *match.Plan) (tests.Store, error) {
		here := *p
		var err error
		if here.Run, err = s.NameOf(ctx, p.Run, p.Digest()); err != nil {
			return nil, err
		}
		run, err := s.Begin(ctx, &here)
		if err != nil {
			return nil, err
		}
		return &stored{Run: run, store: s}, nil
	}
}

// StoredPairs returns a function that counts the stored pairs of each run, by plan hash.
func StoredPairs(s *results.Store) func(ctx context.Context) (map[string]int, error) {
	return func(ctx context.Context) (map[string]int, error) {
		runs, err := s.Runs(ctx)
		counts := map[string]int{}
		for i := range runs {
			counts[runs[i].Digest] = runs[i].Finished
		}
		return counts, err
	}
}

// stored implements tests.Store for one run of the database.
type stored struct {
	*results.Run
	store *results.Store
}

// Add implements tests.Store. take is the number of times that the pair was made void before. The
// database counts from 1, so Add passes take+1.
func (s *stored) Add(ctx context.Context, r match.PairResult, take int, states ...match.TuneState) (bool, error) {
	return s.AddTake(ctx, r, take+1, states...)
}

// Takes implements tests.Store.
func (s *stored) Takes(ctx context.Context) (map[int]int, error) {
	list, err := s.store.Voided(ctx, s.ID())
	takes := map[int]int{}
	for _, v := range list {
		takes[v.Pair]++
	}
	return takes, err
}

// Rows implements tests.Store.
func (s *stored) Rows(ctx context.Context, see func(rows []match.Row) error) error {
	return s.store.Pairs(ctx, s.ID(), results.Filter{}, see)
}

// of returns a function that reports whether a game is selected. If the selection names no worker, it returns an error,
// because "" is the worker of all games that were played outside a farm.
func of(which tests.Selection) (func(match.Row) bool, error) {
	if which.Worker == "" {
		return nil, errors.New("no worker is named")
	}
	return func(r match.Row) bool { return which.Has(r.Worker, r.Pair) }, nil
}

// By implements tests.Store. It returns the selected pairs. In a tune it also returns the
// pairs whose parameters depend on results of these pairs.
func (s *stored) By(ctx context.Context, which tests.Selection) (pairs []int, err error) {
	is, err := of(which)
	if err != nil {
		return nil, err
	}
	err = s.Rows(ctx, func(rows []match.Row) error {
		if slices.ContainsFunc(rows, is) {
			pairs = append(pairs, rows[0].Pair)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.store.Voidable(ctx, &results.RunInfo{ID: s.ID()}, pairs)
}

// Void implements tests.Store.
func (s *stored) Void(ctx context.Context, which tests.Selection, why, by string) ([]int, error) {
	is, err := of(which)
	if err != nil {
		return nil, err
	}
	return s.Run.Void(ctx, why, by, is)
}

// Pair returns a stored pair, for the answer to a farm.Pull.
func (s *stored) Pair(ctx context.Context, id int) (match.PairResult, error) {
	return s.store.Pair(ctx, s.ID(), id)
}

// Voids returns the void results of the pairs ids, for the answer to a farm.Pull. It omits a void result that
// was stored again and now counts.
func (s *stored) Voids(ctx context.Context, ids []int) (list []farm.Void, err error) {
	for _, id := range ids {
		of, err := s.store.VoidedPair(ctx, s.ID(), id)
		if err != nil {
			return nil, err
		}
		current, err := s.Pair(ctx, id)
		if err != nil && !errors.Is(err, results.ErrNoGame) {
			return nil, err
		}
		counts := playing(&current)
		for _, v := range of {
			p, err := match.DecodePair(v.Body, farm.MaxPair)
			if err != nil {
				return nil, err
			}
			if void := playing(&p); void != counts {
				void.Why, void.By = v.Why, v.By
				list = append(list, void)
			}
		}
	}
	return list, nil
}

// playing returns the fields that identify one playing of a pair.
func playing(p *match.PairResult) farm.Void {
	v := farm.Void{Pair: p.Pair.ID, Worker: p.Played.Worker, Epoch: p.Played.Epoch}
	if len(p.Games) > 0 {
		v.Started = p.Games[0].Started.UTC()
	}
	return v
}

// Sum returns the checksum and the number of the stored pairs from from to below-1, for the answer to a
// farm.SumOf.
func (s *stored) Sum(ctx context.Context, from, below int) (sum string, pairs int, err error) {
	return dump.StableSum(ctx, s.store, s.ID(), from, below)
}
