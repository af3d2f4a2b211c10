package results

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	"gogi/match"
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

// packLast makes segments that a run lacks. What cannot be packed is damaged, as who reads
// it or checks it will be told.
func (s *Store) packLast(run int64) {
	ctx := context.Background() // a run is closed also when all else is cancelled
	blocks, err := segments.Missing(ctx, s.read, run, packedAtOnce)
	for _, block := range blocks {
		if err == nil {
			err = s.pack(ctx, run, block)
		}
	}
}

// pack makes the segment of a block.
func (s *Store) pack(ctx context.Context, run, block int64) error {
	return inTx(ctx, s.write, func(tx *sql.Tx) error { return packIn(ctx, tx, run, block) })
}

func packIn(ctx context.Context, tx *sql.Tx, run, block int64) error {
	rows, err := blockRows(ctx, tx, run, block)
	if err != nil {
		return err
	}
	return segments.Put(ctx, tx, run, block, rows)
}

// packAll makes all segments that are missing in a database.
func packAll(ctx context.Context, tx *sql.Tx) error {
	runs, err := runs(ctx, tx, selectRun)
	for i := range runs {
		var blocks []int64
		if err == nil {
			blocks, err = segments.Missing(ctx, tx, runs[i].ID, runs[i].Finished)
		}
		for _, block := range blocks {
			if err == nil {
				err = packIn(ctx, tx, runs[i].ID, block)
			}
		}
	}
	return err
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
var errStale = errors.New("a segment is not what the rows say: reports of it are wrong, gogi db repair makes it anew")

// segments compares a run's segments with the rows that they were made of.
func (c *checker) segments(ctx context.Context, run *tables.Run) error {
	return segments.Stored(ctx, c.q, run.ID(), func(block int64, values []driver.Value) error {
		_, err := segments.Open(run.ID(), block, values)
		if err != nil {
			c.problem(run.Name(), int(block)*segments.Pairs, err.Error()+": the rows are read instead, gogi db repair makes it anew")
			return ctx.Err()
		}
		rows, err := blockRows(ctx, c.q, run.ID(), block)
		if err != nil {
			return ctx.Err() // the pair has told it
		}
		blob, err := segments.Pack(rows)
		if stored, _ := values[0].([]byte); err == nil && string(stored) != string(blob) {
			err = errStale
		}
		if err != nil {
			c.problem(run.Name(), int(block)*segments.Pairs, err.Error())
		}
		return nil
	})
}
