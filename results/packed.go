package results

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"gogi/match"
	"gogi/results/handle"
	"gogi/results/segments"
	"gogi/results/tables"
)

// Segments are made by whoever writes, when a block is full and at the end; one that is not
// there costs time and nothing else.

// packedAtOnce is how many segments the end of a run makes at most, each in a hundredth of
// a second: a long run of an older gogi gets its own a part at a time.
const packedAtOnce = 64

// filling counts the pairs that were added to each block.
type filling map[int64]int

// full counts a batch, and gives the blocks that it filled.
func (f filling) full(batch []request) (blocks []int64) {
	for i := range batch {
		if batch[i].pair == nil {
			continue
		}
		block := batch[i].pair.pair / segments.Pairs
		if f[block]++; f[block] == segments.Pairs {
			blocks = append(blocks, block)
			delete(f, block)
		}
	}
	return blocks
}

// packLast makes the newest segments that a run lacks. What cannot be packed is damaged, as
// who reads it or checks it will be told; without a segment the rows are read.
func (s *Store) packLast(run int64) {
	ctx := context.Background() // a run is closed also when all else is cancelled
	_ = s.packSome(ctx, run, packedAtOnce)
}

// Pack makes all segments that the runs of the database lack, which makes reading long runs
// quicker, and changes nothing else. It fails for damaged rows.
func (s *Store) Pack(ctx context.Context) error {
	runs, err := s.Runs(ctx)
	for i := range runs {
		if err == nil {
			err = s.packSome(ctx, runs[i].ID, runs[i].Finished)
		}
	}
	if err != nil {
		return s.fail("packing the games", err)
	}
	return nil
}

// packSome makes so many at most.
func (s *Store) packSome(ctx context.Context, run int64, most int) error {
	blocks, err := segments.Missing(ctx, s.read, run, most)
	for _, block := range blocks {
		if err == nil {
			err = s.pack(ctx, run, block)
		}
	}
	return err
}

// pack makes the segment of a block.
func (s *Store) pack(ctx context.Context, run, block int64) error {
	return handle.InTx(ctx, s.write, func(tx *sql.Tx) error {
		rows, err := blockRows(ctx, tx, run, block)
		if err != nil {
			return err
		}
		return segments.Put(ctx, tx, run, block, rows)
	})
}

// blockRows are the values of a block's games; it fails for damaged ones.
func blockRows(ctx context.Context, q tables.Querier, run, block int64) (list [][]driver.Value, err error) {
	c, err := castOf(ctx, q, run)
	if err != nil {
		return nil, err
	}
	reader := newGameReader(c)
	f := Filter{FromPair: int(block) * segments.Pairs, Pairs: segments.Pairs}
	err = tables.Each(ctx, q, func(rows *sql.Rows) error {
		_, err := reader.read(rows)
		list = append(list, slices.Clone(reader.values[:reader.own]))
		return err
	}, gamesQuery(thisLeg), f.args(run, c.players, f.all())...)
	return list, err
}

// segment reads a range of pairs, within one block, out of the block's segment. It is not
// known where there is none, or a damaged one, which check tells of: then there are the
// rows.
func (r *gameReader) segment(ctx context.Context, statement driver.StmtQueryContext, run int64, pairs pairRange) (games []match.Row, known bool, err error) {
	block := pairs.first / segments.Pairs
	values := make([]driver.Value, 2)
	var s *segments.Segment
	err = ask(ctx, statement, []any{run, block}, values, func() error {
		s, _ = segments.Open(run, block, values)
		return nil
	})
	if err != nil || s == nil {
		return nil, false, err
	}
	games = make([]match.Row, 0, s.Len())
	err = s.Each(r.targets[:r.own], func() error {
		if pair := int64(r.game.Pair); pair < pairs.first || pair >= pairs.end {
			return nil
		}
		if err := r.name(); err != nil {
			return err
		}
		games = append(games, r.game.Row)
		return nil
	})
	if err != nil { // the rows say so themselves, or another gogi packed other columns
		return nil, false, nil
	}
	return games, true, nil
}

// errStale says that a segment is none of the rows as they are.
var errStale = errors.New("a segment is not what the rows say, and reports read it (gogi db repair makes it anew)")

// Segments compares a run's segments with the rows that they were made of, and calls wrong
// with the first pair of each that differs.
func (m Moment) Segments(ctx context.Context, runID int64, wrong func(pair int, why error)) error {
	return segments.Stored(ctx, m.Q, runID, func(block int64, values []driver.Value) error {
		if err := m.segment(ctx, runID, block, values); err != nil {
			wrong(int(block)*segments.Pairs, err)
		}
		return ctx.Err()
	})
}

func (m Moment) segment(ctx context.Context, run, block int64, values []driver.Value) error {
	if _, err := segments.Open(run, block, values); err != nil {
		return fmt.Errorf("%w: the rows are read instead (gogi db repair makes it anew)", err)
	}
	rows, err := blockRows(ctx, m.Q, run, block)
	if _, damaged := errors.AsType[*tables.Damaged](err); damaged {
		return nil // the pair is told of
	}
	if err != nil {
		return err
	}
	blob, err := segments.Pack(rows)
	if stored, _ := values[0].([]byte); err == nil && !bytes.Equal(stored, blob) {
		err = errStale
	}
	return err
}
