package mirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"gogi/farm"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/results"
	"gogi/results/dump"
)

// ErrDiffers means that the copy differs from the farm's test, or that the farm has sent an impossible pair.
var ErrDiffers = errors.New("the copy and the farm differ")

// A Replica copies a farm's tests into a database. It is not safe for concurrent use.
type Replica struct {
	Store *results.Store
	Ask   Ask
	Log   *slog.Logger
	Tests []string                      // names or digests of the tests to copy. If empty, all approved tests are copied.
	Skip  func(t *farm.TestStatus) bool // excludes a test; nil excludes none

	copied map[string]state // the state of each test at its last copy, by digest
}

// A state describes a test at the time of its last copy.
type state struct {
	run    string // its name in the database
	stored int
	log    int // number of lines of the test's log. It grows when pairs become void.
	pairs  int // planned pairs
	ended  bool

	provisional string // see farm.TestStatus
}

// Round copies the new pairs of each test and returns the results for the tests that have changed. It replays each
// pair by the rules, and returns ErrDiffers for an impossible pair. An error in one test does not stop the other
// tests; failed joins all errors.
func (f *Replica) Round(ctx context.Context) (moved []Moved, failed error) {
	tests, err := f.list(ctx)
	if err != nil {
		return nil, err
	}
	if f.copied == nil {
		f.copied = map[string]state{}
	}
	for i := range tests {
		t := &tests[i]
		if f.Skip != nil && f.Skip(t) {
			delete(f.copied, t.Run) // so that Compare does not ask for it
			continue
		}
		if was, known := f.copied[t.Run]; known && was.stored == t.Stored && was.log == len(t.Log) &&
			was.provisional == t.Provisional {
			continue
		}
		got, err := f.copy(ctx, t)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("test %s: %w", t.Name, err))
		} else {
			moved = append(moved, got)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return moved, failed
}

func (f *Replica) list(ctx context.Context) ([]farm.TestStatus, error) {
	if len(f.Tests) == 0 {
		var s farm.Status
		err := f.Ask(ctx, "list", farm.Order{}, &s)
		return slices.DeleteFunc(s.Tests, func(t farm.TestStatus) bool { return t.State == farm.Submitted }), err
	}
	tests := make([]farm.TestStatus, len(f.Tests))
	for i, name := range f.Tests {
		if err := f.Ask(ctx, "show", farm.Order{Run: name}, &tests[i]); err != nil {
			return nil, err
		}
	}
	return tests, nil
}

func (f *Replica) copy(ctx context.Context, t *farm.TestStatus) (got Moved, err error) {
	now := state{stored: t.Stored, log: len(t.Log), ended: t.State.Final(), provisional: t.Provisional}
	if got, _, err = pull(ctx, f.Store, f.Ask, t.Run, verify); err != nil {
		return Moved{}, err
	}
	if got.Added+got.Voided > 0 {
		f.Log.Info("copied", "test", t.Name, "as", got.Run, "new", got.Added, "made void", got.Voided, "stored", got.Stored,
			"of", got.Pairs)
	}
	now.run, now.pairs = got.Run, got.Pairs
	f.copied[t.Run] = now
	return got, nil
}

// Ended reports whether the latest copy of the test with this digest was made after the end of the test. Then the copy
// has all pairs on which the end depends.
func (f *Replica) Ended(digest string) bool { return f.copied[digest].ended }

func verify(plan *match.Plan, p *match.PairResult) error {
	if err := arbiter.Verify(plan, p); err != nil {
		return fmt.Errorf("%w: the farm's pair %d cannot have been played: %w", ErrDiffers, p.Pair.ID, err)
	}
	return nil
}

// Compare compares the copies with the farm by checksums. If a test differs, Compare copies the test once
// more, because the farm may have made pairs void since the last copy. If it still differs, the error wraps
// ErrDiffers and names the first range of pairs that differs. pairs is the number of equal pairs.
func (f *Replica) Compare(ctx context.Context) (pairs int, err error) {
	for _, digest := range slices.Sorted(maps.Keys(f.copied)) {
		n, failed := f.test(ctx, digest)
		if errors.Is(failed, ErrDiffers) {
			delete(f.copied, digest)
			_, again := f.Round(ctx) // errors of other tests are joined below
			if _, copied := f.copied[digest]; copied {
				n, failed = f.test(ctx, digest)
			}
			failed = errors.Join(failed, again)
		}
		pairs += n
		if err = errors.Join(err, failed); ctx.Err() != nil {
			break
		}
	}
	return pairs, err
}

// test compares the copied pairs of one test with the farm. pairs is the number of equal pairs. It compares spans in
// which the copy has every pair, so new pairs of the farm do not prevent a comparison.
func (f *Replica) test(ctx context.Context, digest string) (pairs int, err error) {
	c := f.copied[digest]
	info, err := f.Store.FindRun(ctx, c.run)
	if err != nil {
		return 0, err
	}
	stored, err := f.Store.Finished(ctx, info.ID)
	if err != nil {
		return 0, err
	}
	for _, s := range spans(stored, c.pairs) {
		for from := s.First; from <= s.Last; from += farm.MaxSummed {
			n, err := f.compare(ctx, digest, info, from, min(from+farm.MaxSummed, s.Last+1))
			if pairs += n; err != nil {
				return pairs, err
			}
		}
	}
	return pairs, nil
}

// compare compares the pairs with from ≤ number < below of a test with the farm, by a checksum. same is the number
// of these pairs in the copy, all equal to the farm's. If the farm has more pairs in the range, compare returns 0
// and no error, because the next copy gets those pairs. Any other difference is ErrDiffers.
func (f *Replica) compare(ctx context.Context, digest string, info *results.RunInfo, from, below int) (same int,
	err error) {
	here, stored, err := dump.StableSum(ctx, f.Store, info.ID, from, below)
	if err != nil || stored == 0 {
		return 0, err
	}
	var there farm.Sum
	if err := f.Ask(ctx, "sum", farm.SumOf{Run: digest, From: from, Below: below}, &there); err != nil {
		return 0, err
	}
	switch {
	case there.Pairs < stored:
		return 0,
			fmt.Errorf("%w: run %s has %d pairs from %d to %d here, and the farm has %d: was it restored? gogi farm mirror --push sends them to it",
				ErrDiffers, info.Name, stored, from, below-1, there.Pairs)
	case there.Pairs > stored:
		return 0, nil
	case there.SHA256 != here:
		return 0, fmt.Errorf("%w: run %s, pairs %d to %d: SHA-256 %s here, %s there", ErrDiffers, info.Name, from, below-1,
			here, there.SHA256)
	}
	return stored, nil
}
