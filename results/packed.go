package results

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/results/file"
	"gogi/results/segments"
	"gogi/results/tables"
)

// The writer packs a block of pairs into a segment (see package segments) when the block is full, and packs
// the rest at the end of a run. If a segment is missing, readers use the rows, which only takes longer.

// packedAtOnce is the largest number of segments that gogi makes at the end of a run. Each takes a hundredth
// of a second. A long run of an older gogi gets its segments over several starts.
const packedAtOnce = 64

// filling counts, for each block (the pairs of one segment), the pairs that this process has added.
type filling map[int64]int

// full adds the pairs of a batch to the counts. It returns the blocks that have all their pairs now.
func (f filling) full(batch []request) (blocks []int64) {
	for i := range batch {
		if batch[i].pair == nil {
			continue
		}
		block := int64(batch[i].pair.pair.ID) / segments.Pairs
		if f[block]++; f[block] == segments.Pairs {
			blocks = append(blocks, block)
			delete(f, block)
		}
	}
	return blocks
}

// packLast makes the newest missing segments of a run. It ignores errors, because only damaged rows cannot be
// packed, and a reader or a check reports those.
func packLast(s *Store, run int64) {
	ctx := context.Background() // Close also runs after a cancellation
	_ = packSome(ctx, s, run, packedAtOnce, func(packedBlock) {})
}

// Pack makes all missing segments of all runs in the database. A segment is a packed copy of many consecutive
// pairs (package segments). Reports on long runs then take less time. Pack changes nothing else. It returns an
// error for damaged rows.
func Pack(ctx context.Context, s *Store) error {
	runs, err := s.Runs(ctx)
	for i := range runs {
		if err == nil {
			err = packSome(ctx, s, runs[i].ID, runs[i].Finished, func(packedBlock) {})
		}
	}
	if err != nil {
		return s.fail("packing the games", err)
	}
	return nil
}

// PackedRun has the numbers of segments that were made for a run, and of the pairs and games in them.
type PackedRun struct {
	Name     string `json:"name"`
	Segments int    `json:"segments"` // number of packed parts
	Pairs    int    `json:"pairs"`
	Games    int    `json:"games"`
}

// PackAll makes all missing segments, like Pack. If a run of the database is being played, it returns
// ErrRunLocked. It stores each segment as soon as it is made, so list counts the finished segments even after an
// error. PackAll skips damaged rows and returns them as the error at the end. It calls progress, if not nil, with
// the number of packed pairs and the total.
func PackAll(ctx context.Context, s *Store, progress func(done, of int)) (list []PackedRun, err error) {
	if s.write == nil {
		return nil, s.fail("packing the games", errors.New("the database was opened for reading only"))
	}
	runs, err := s.Runs(ctx)
	if err != nil {
		return nil, err
	}
	release, err := holdRuns(s, runs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	of, err := unpacked(ctx, s, runs)
	var damage error
	done := 0
	for i := range runs {
		if err != nil || ctx.Err() != nil {
			break
		}
		p := PackedRun{Name: runs[i].Name}
		failed := packSome(ctx, s, runs[i].ID, runs[i].Finished, func(b packedBlock) {
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

// holdRuns locks these runs, so that no other process can play them until the caller calls release.
func holdRuns(s *Store, runs []RunInfo) (release func() error, err error) {
	var held []*hold
	release = func() error {
		errs := lists.Map(held, (*hold).Close)
		return errors.Join(errs...)
	}
	for i := range runs {
		h, err := holdRun(s, runs[i].ID)
		if err != nil {
			return nil, errors.Join(s.fail(fmt.Sprintf("run %q", runs[i].Name), err), release())
		}
		held = append(held, h)
	}
	return release, nil
}

// unpacked returns the number of pairs that are not packed yet and can be packed.
func unpacked(ctx context.Context, s *Store, runs []RunInfo) (pairs int, err error) {
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

// packedBlock has the numbers for one block. segments is 1, or 0 if the rows of the block are damaged.
type packedBlock struct{ segments, pairs, games int }

// packSome makes segments of a run and calls report for each block. most is the largest number of segments to make.
// If a block has damaged rows, packSome continues with the next one, and returns the first such error at the end.
func packSome(ctx context.Context, s *Store, run int64, most int, report func(packedBlock)) error {
	blocks, err := segments.Missing(ctx, s.read, run, most)
	var damage error
	for _, b := range blocks {
		if err != nil {
			break
		}
		games, failed := pack(ctx, s, run, b.Number)
		_, damaged := errors.AsType[*tables.Damaged](failed)
		switch {
		case damaged:
			damage = firstError(damage, failed)
			report(packedBlock{pairs: b.Pairs})
		case failed != nil:
			err = failed
		default:
			report(packedBlock{segments: 1, pairs: b.Pairs, games: games})
		}
	}
	return firstError(err, damage)
}

// pack makes the segment of a block and returns the number of its games.
func pack(ctx context.Context, s *Store, run, block int64) (games int, err error) {
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

// blockRows returns the values of the games in a block. It returns an error for damaged rows.
func blockRows(ctx context.Context, q tables.Querier, run, block int64) (list [][]driver.Value, err error) {
	c, err := castOf(ctx, q, run)
	if err != nil {
		return nil, err
	}
	reader := newGameReader(c)
	err = reader.each(ctx, q, run, pairRange{block * segments.Pairs, (block + 1) * segments.Pairs}, func(match.Row) error {
		list = append(list, slices.Clone(reader.values[:reader.inGames]))
		return nil
	})
	return list, err
}

// segment returns the games of a range of pairs from the segment that has all of them. It uses the memory of games. If
// this segment is missing or damaged, known is false, and the caller must read the rows. gogi db check reports damaged
// segments.
func (r *gameReader) segment(ctx context.Context, statement driver.StmtQueryContext, run int64, pairs pairRange,
	games []match.Row) (_ []match.Row, known bool, err error) {
	block := pairs.first / segments.Pairs
	values := make([]driver.Value, 2)
	err = ask(ctx, statement, []any{run, block}, values, func() error {
		known = r.unpacked.Open(run, block, values) == nil
		return nil
	})
	if err != nil || !known {
		return games, false, err
	}
	games = slices.Grow(games[:0], r.unpacked.Len())
	err = r.unpacked.Each(r.targets[:r.inGames], func() error {
		if pair := int64(r.game.Pair); pair < pairs.first || pair >= pairs.end {
			return nil
		}
		if err := r.name(); err != nil {
			return err
		}
		games = append(games, r.game.Row)
		return nil
	})
	if err != nil { // the caller reads the rows, which give the same error, unless another gogi packed other columns
		return games, false, nil
	}
	return games, true, nil
}

// errStale is the error for a segment that differs from its rows.
var errStale = errors.New("a segment is not what the rows say, and reports read it (gogi db repair makes it again)")

// Segments compares a run's segments (packed copies of pairs, see package segments) with the rows from which they
// were made, except those that known selects by the number of their first pair. For each segment that differs, it calls
// the function wrong with the number of the segment's first pair and the reason.
func (m Moment) Segments(ctx context.Context, runID int64, known func(pair int) bool,
	wrong func(pair int, why error)) error {
	return segments.Stored(ctx, m.Q, runID, known, func(block int64, values []driver.Value) error {
		if err := m.segment(ctx, runID, block, values); err != nil {
			wrong(int(block)*segments.Pairs, err)
		}
		return ctx.Err()
	})
}

// SameSegment reports whether the segment of a pair has exactly these rows. rows has the values of all games of the
// segment, in the order of tables.Game.Columns. It returns false if there is no such segment.
func (m Moment) SameSegment(ctx context.Context, runID int64, pair int, rows [][]any) bool {
	var s segments.Segment
	values, err := segments.Read(ctx, m.Q, runID, int64(pair)/segments.Pairs)
	return err == nil && s.Open(runID, int64(pair)/segments.Pairs, values) == nil && s.Equal(rows)
}

func (m Moment) segment(ctx context.Context, run, block int64, values []driver.Value) error {
	if err := new(segments.Segment).Open(run, block, values); err != nil {
		return fmt.Errorf("%w: the rows are read instead (gogi db repair makes it again)", err)
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
