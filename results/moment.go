package results

import (
	"context"

	"gogi/match"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// Moment is a snapshot of the database for several reads that must be consistent. It is valid until the
// function that received it returns.
type Moment struct {
	Q tables.Querier // for queries that read rows
}

// Moment calls read with a snapshot of the database. doing describes the action of the function read, such as
// "reading the settings". Moment adds the name of the file and this description to an error.
func (s *Store) Moment(ctx context.Context, doing string, read func(Moment) error) error {
	tx, err := s.read.BeginTx(ctx, nil)
	if err == nil {
		err = read(Moment{tx})
		_ = tx.Rollback() // nothing was written
	}
	if err != nil {
		return s.fail(doing, err)
	}
	return nil
}

// moment calls read with a snapshot of the database and returns the result.
func moment[T any](ctx context.Context, s *Store, doing string, read func(Moment) (T, error)) (result T, err error) {
	err = s.Moment(ctx, doing, func(m Moment) (err error) {
		result, err = read(m)
		return err
	})
	return result, err
}

// FindRun returns the run with a name. If there is none, it returns a *NoRun with the names of all runs.
func (m Moment) FindRun(ctx context.Context, name string) (*RunInfo, error) {
	return findRun(ctx, m.Q, name)
}

// Attempts returns the failed attempts at a run's pairs, sorted by pair and then by time.
func (m Moment) Attempts(ctx context.Context, runID int64) ([]match.Attempt, error) {
	return attempts(ctx, m.Q, runID, "")
}

// Voided returns the voided pairs of a run, sorted by pair and then by take (the number of the pair's voided version).
func (m Moment) Voided(ctx context.Context, runID int64) ([]Voided, error) {
	return voided(ctx, m.Q, runID, "")
}

// TuneStates returns the stored states of a tune, sorted by the number of blocks.
func (m Moment) TuneStates(ctx context.Context, runID int64) ([]match.TuneState, error) {
	return tuneStates(ctx, m.Q, runID)
}

// Pair returns a whole stored pair, like Store.Pair.
func (m Moment) Pair(ctx context.Context, runID int64, pair int) (match.PairResult, error) {
	return storedPair(ctx, m.Q, runID, pair)
}

// Games calls yield for the games of a run that pass a filter, by pair and leg.
func (m Moment) Games(ctx context.Context, runID int64, f Filter, yield func(match.Row) error) error {
	return selectGames(ctx, m.Q, runID, f, yield)
}

// Records calls yield for the games of the pairs with from ≤ number < below, by pair and leg, with their whole
// records.
func (m Moment) Records(ctx context.Context, runID int64, from, below int,
	yield func(match.Row, kifu.Record) error) error {
	c, err := castOf(ctx, m.Q, runID)
	if err != nil {
		return err
	}
	return records(ctx, m.Q, c, runID, pairRange{int64(from), int64(below)}, func(g *tables.Game, r kifu.Record) error {
		return yield(g.Row, r)
	})
}

// PairRows calls yield for the rows of the pairs with from ≤ number < below, in order. It returns an error for a
// damaged row, and if it does not find a stored row.
func (m Moment) PairRows(ctx context.Context, runID int64, from, below int, yield func(*tables.Row) error) error {
	inventory, err := tables.ReadInventory(ctx, m.Q, runID, int64(from), int64(below))
	if err != nil {
		return err
	}
	expected := inventory.Expect(int64(from), int64(below))
	err = tables.EachRow(ctx, m.Q, "pairs", func(r *tables.Row) error {
		if r.Verdict() == tables.Broken {
			return r.Damage()
		}
		if err := expected.Pair(r.Int("pair")); err != nil {
			return err
		}
		return yield(r)
	}, "WHERE run_id = ? AND pair >= ? AND pair < ? ORDER BY pair", runID, from, below)
	if err == nil {
		err = expected.End()
	}
	return tables.NameRun(ctx, m.Q, runID, err)
}

// counted returns an error unless it finds as many rows of a run in these tables as the database has stored.
func counted(ctx context.Context, q tables.Querier, runID int64, table ...string) error {
	inventory, err := tables.ReadInventory(ctx, q, runID, 0, 0)
	if err == nil {
		err = inventory.CountRows(ctx, q, table...)
	}
	return err
}

// SameFile reports whether both Stores have the same file open, possibly under different names.
func (s *Store) SameFile(other *Store) bool { return s.inode == other.inode }
