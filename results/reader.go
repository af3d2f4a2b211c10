package results

import (
	"database/sql"
	"database/sql/driver"
	"fmt"

	"gogi/match"
	"gogi/results/segments"
	"gogi/results/tables"
)

// gameReader converts database rows to games. A row has the columns of tables.GameColumns and further columns
// of the query.
type gameReader struct {
	playerTable
	game    tables.Game
	targets []any
	inGames int // the first inGames targets are columns of the table games

	unpacked segments.Segment // the segment that was read last

	values   []driver.Value // values of the current row, by target
	pointers []any          // pointers to scanned, for Scan
	scanned  []any

	stored sql.NullInt64 // the checksum stored in the row
	sum    tables.Checksum
}

func newGameReader(c playerTable, more ...any) *gameReader {
	r := &gameReader{playerTable: c}
	for _, c := range r.game.Columns() {
		r.targets = append(r.targets, c.Value)
	}
	r.inGames = len(r.targets)
	r.targets = append(append(r.targets, &r.stored), more...)
	r.values, r.scanned = make([]driver.Value, len(r.targets)), make([]any, len(r.targets))
	for i := range r.scanned {
		r.pointers = append(r.pointers, &r.scanned[i])
	}
	return r
}

// read returns the current row of rows. It returns a *tables.Damaged if the row's checksum is wrong.
func (r *gameReader) read(rows *sql.Rows) (match.Row, error) {
	if err := rows.Scan(r.pointers...); err != nil {
		return r.game.Row, err
	}
	for i, v := range r.scanned {
		r.values[i] = v
	}
	return r.take()
}

// take converts the current values to a game and verifies its checksum.
func (r *gameReader) take() (match.Row, error) {
	g := &r.game
	for i, target := range r.targets {
		if err := tables.Assign(target, r.values[i]); err != nil {
			return g.Row, err
		}
	}
	if err := r.verify(); err != nil {
		return g.Row, err
	}
	return g.Row, r.name()
}

// name sets the names of the players and the worker, because the row only has their numbers.
func (r *gameReader) name() error {
	g := &r.game
	for i, name := range []*string{&g.Black, &g.White, &g.PairA, &g.PairB} {
		if g.Seats[i] < 0 || g.Seats[i] >= len(r.players) {
			return fmt.Errorf("pair %d has player number %d of %d", g.Pair, g.Seats[i], len(r.players))
		}
		*name = r.players[g.Seats[i]].Name
	}
	worker, known := r.workers[g.By]
	if !known && g.By != 0 {
		return fmt.Errorf("pair %d was played by worker number %d, of which nothing is known", g.Pair, g.By)
	}
	g.Worker = worker
	return nil
}

// verify compares the row with its checksum, if the row has one.
func (r *gameReader) verify() error {
	if !r.stored.Valid {
		return nil
	}
	r.sum.Reset("games")
	for _, v := range tables.Shortened(r.values[:r.inGames], r.inGames-tables.LateColumns, tables.Null) {
		if err := r.sum.Add(v); err != nil {
			return err
		}
	}
	if r.sum.Sum() != r.stored.Int64 {
		return &tables.Damaged{Table: "games", Pair: r.game.Pair, Leg: r.game.Leg}
	}
	return nil
}
