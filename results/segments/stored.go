package segments

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"gogi/results/tables"
)

const (
	// Pairs is the number of consecutive pair numbers in a segment. The triggers of the schema have the same number.
	Pairs = 512
	// Least is the smallest number of stored pairs for which gogi packs a block into a segment. The rows of fewer
	// pairs are read fast enough.
	Least = Pairs / 2
)

// Query is the SQL query for the values that Segment.Open needs. Its parameters are the run and the block.
const Query = "SELECT games, checksum FROM segments WHERE run_id = ? AND block = ?"

// errDamaged is the error for a segment that differs from what was stored.
var errDamaged = errors.New("the segment is not what was stored")

// Open does the same as Unpack for the stored segment of a run's block. values are the columns of Query. It returns an
// error if the segment is damaged.
func (s *Segment) Open(run, block int64, values []driver.Value) error {
	blob, _ := values[0].([]byte)
	sum, err := tables.SumOf("segments", run, block, blob)
	if err != nil {
		return err
	}
	if values[1] != sum {
		return errDamaged
	}
	return s.Unpack(blob)
}

// Put packs and stores the segment of a run's block. rows must have all games of the block, by pair and leg.
func Put(ctx context.Context, tx *sql.Tx, run, block int64, rows [][]driver.Value) error {
	blob, err := Pack(rows)
	if err != nil {
		return err
	}
	sum, err := tables.SumOf("segments", run, block, blob)
	if err == nil {
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO segments (run_id, block, games, checksum) VALUES (?, ?, ?, ?)",
			run, block, blob, sum)
	}
	return err
}

// Block is a range of Pairs consecutive pair numbers in a run: the pairs that one segment can have.
type Block struct {
	Number int64 // from 0
	Pairs  int   // number of stored pairs in the block
}

// Missing returns the blocks of a run that have enough pairs for a segment, but no segment. The newest blocks come
// first. most is the largest number of blocks to return.
func Missing(ctx context.Context, q tables.Querier, run int64, most int) ([]Block, error) {
	return tables.List(ctx, q, func(rows *sql.Rows, b *Block) error {
		return rows.Scan(&b.Number, &b.Pairs)
	}, `SELECT p.pair / ? AS block, count(*) FROM pairs p WHERE p.run_id = ? GROUP BY block
		HAVING count(*) >= ? AND NOT EXISTS (SELECT 1 FROM segments s WHERE s.run_id = ? AND s.block = p.pair / ?)
		ORDER BY block DESC LIMIT ?`, Pairs, run, Least, run, Pairs, most)
}

// Stored calls yield for every block of a run that has a segment, except those whose first pairs known selects. values
// are the columns of Query.
func Stored(ctx context.Context, q tables.Querier, run int64, known func(pair int) bool,
	yield func(block int64, values []driver.Value) error) error {
	blocks, err := tables.List(ctx, q, func(rows *sql.Rows, block *int64) error { return rows.Scan(block) },
		"SELECT block FROM segments WHERE run_id = ? ORDER BY block", run)
	for _, block := range blocks {
		if known(int(block) * Pairs) {
			continue
		}
		var values []driver.Value
		if err == nil {
			values, err = Read(ctx, q, run, block)
		}
		if err == nil {
			err = yield(block, values)
		}
	}
	return err
}

// Read returns the columns of Query for the segment of a run's block.
func Read(ctx context.Context, q tables.Querier, run, block int64) ([]driver.Value, error) {
	var blob []byte
	var sum int64
	err := q.QueryRowContext(ctx, Query, run, block).Scan(&blob, &sum)
	return []driver.Value{blob, sum}, err
}
