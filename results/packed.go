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
	"gogi/results/file"
	"gogi/results/segments"
	"gogi/results/tables"
)

// The writer makes segments, when a block is full and at the end of a run; a missing segment costs only
// time.

// packedAtOnce is the largest number of segments made at the end of a run, each in a hundredth of a
// second. A long run of an older gogi gets its segments in several steps.
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

// packLast makes the newest missing segments of a run. Rows that cannot be packed are damaged, and a
// reader or a check will report them; without a segment the rows are read.
func (s *Store) packLast(run int64) {
	ctx := context.Background() // a run is closed also when all else is cancelled
	_ = s.packSome(ctx, run, packedAtOnce, func(packedBlock) {})
}

// Pack makes all segments that the runs of the database lack, which makes reading long runs
// quicker, and changes nothing else. It fails for damaged rows.
func (s *Store) Pack(ctx context.Context) error {
	runs, err := s.Runs(ctx)
	for i := range runs {
		if err == nil {
			err = s.packSome(ctx, runs[i].ID, runs[i].Finished, func(packedBlock) {})
		}
	}
	if err != nil {
		return s.fail("packing the games", err)
	}
	return nil
}

// PackedRun counts the packed data of a run.
type PackedRun struct {
	Name     string `json:"name"`
	Segments int    `json:"segments"`
	Pairs    int    `json:"pairs"`
	Games    int    `json:"games"`
}

// PackAll is Pack for a database without a player; otherwise it returns ErrRunLocked. It stores each
// segment as soon as it is made, so list has the packed segments also with an error. The rest can be
// packed at any time. It skips damaged rows and returns them as the error at the end. It calls progress,
// if not nil, with the number of packed pairs and the total.
func (s *Store) PackAll(ctx context.Context, progress func(done, of int)) (list []PackedRun, err error) {
	if s.write == nil {
		return nil, s.fail("packing the games", errors.New("the database was opened for reading only"))
	}
	runs, err := s.Runs(ctx)
	if err != nil {
		return nil, err
	}
	release, err := s.holdRuns(runs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	of, err := s.unpacked(ctx, runs)
	var damage error
	done := 0
	for i := range runs {
		if err != nil || ctx.Err() != nil {
			break
		}
		p := PackedRun{Name: runs[i].Name}
		failed := s.packSome(ctx, runs[i].ID, runs[i].Finished, func(b packedBlock) {
			if done += b.pairs; progress != nil {
				progress(done, of)
			}
			p.Segments, p.Pairs, p.Games = p.Segments+b.segments, p.Pairs+b.segments*b.pairs, p.Games+b.games
		})
		list = append(list, p)
		if _, damaged := errors.AsType[*tables.Damaged](failed); damaged {
			damage, failed = firstError(damage, failed), nil
		}
		err = failed
	}
	if err = firstError(firstError(err, ctx.Err()), damage); err != nil {
		err = s.fail("packing the games", err)
	}
	return list, err
}

// holdRuns keeps everybody from playing these runs, until release is called.
func (s *Store) holdRuns(runs []RunInfo) (release func() error, err error) {
	var held []*hold
	release = func() error {
		var errs []error
		for _, h := range held {
			errs = append(errs, h.Close())
		}
		return errors.Join(errs...)
	}
	for i := range runs {
		h, err := s.holdRun(runs[i].ID)
		if err != nil {
			return nil, errors.Join(s.fail(fmt.Sprintf("run %q", runs[i].Name), err), release())
		}
		held = append(held, h)
	}
	return release, nil
}

// unpacked counts the pairs that can be packed, and are not.
func (s *Store) unpacked(ctx context.Context, runs []RunInfo) (pairs int, err error) {
	for i := range runs {
		blocks, err := segments.Missing(ctx, s.read, runs[i].ID, runs[i].Finished)
		if err != nil {
			return 0, err
		}
		for _, b := range blocks {
			pairs += b.Pairs
		}
	}
	return pairs, nil
}

// packedBlock counts one block: one segment, or none if its rows are damaged.
type packedBlock struct{ segments, pairs, games int }

// packSome makes at most that many segments, and calls tell for each block. Damaged rows of one block do
// not stop the others; the first of them is its error.
func (s *Store) packSome(ctx context.Context, run int64, most int, tell func(packedBlock)) error {
	blocks, err := segments.Missing(ctx, s.read, run, most)
	var damage error
	for _, b := range blocks {
		if err != nil {
			break
		}
		games, failed := s.pack(ctx, run, b.Number)
		_, damaged := errors.AsType[*tables.Damaged](failed)
		switch {
		case damaged:
			damage = firstError(damage, failed)
			tell(packedBlock{pairs: b.Pairs})
		case failed != nil:
			err = failed
		default:
			tell(packedBlock{segments: 1, pairs: b.Pairs, games: games})
		}
	}
	return firstError(err, damage)
}

// pack makes the segment of a block, and counts its games.
func (s *Store) pack(ctx context.Context, run, block int64) (games int, err error) {
	err = file.InTx(ctx, s.write, func(tx *sql.Tx) error {
		rows, err := blockRows(ctx, tx, run, block)
		if err != nil {
			return err
		}
		games = len(rows)
		return segments.Put(ctx, tx, run, block, rows)
	})
	return games, err
}

// blockRows returns the values of a block's games; it fails for damaged ones.
func blockRows(ctx context.Context, q tables.Querier, run, block int64) (list [][]driver.Value, err error) {
	c, err := castOf(ctx, q, run)
	if err != nil {
		return nil, err
	}
	reader := newGameReader(c)
	err = reader.each(ctx, q, run, pairRange{block * segments.Pairs, (block + 1) * segments.Pairs}, func(match.Row) error {
		list = append(list, slices.Clone(reader.values[:reader.own]))
		return nil
	})
	return list, err
}

// segment reads a range of pairs, within one block, from the block's segment. known is false without a
// segment, and with a damaged one, which check reports; the caller then reads the rows.
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
	if err != nil { // the rows give the same error, or another gogi packed other columns
		return nil, false, nil
	}
	return games, true, nil
}

// errStale is the error for a segment that differs from its rows.
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
		return nil // the pair is already reported
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
