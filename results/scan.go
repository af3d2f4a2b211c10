package results

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"gogi/match"
	"gogi/results/segments"
	"gogi/results/tables"
)

// scanPairs is the number of pair numbers in one query, and the size of a segment. It is large enough to make
// the cost of a query negligible, and small enough to limit the memory.
const scanPairs = segments.Pairs

// part is a range of pairs that one connection reads, with the games that it has read.
type part struct {
	pairs pairRange
	rows  []match.Row // before the read: memory for the rows, or nil
	err   error
	done  chan struct{} // closed when rows and err are set
}

type scanned struct{}

// GamesScanned is a key for a context. Its value is an *atomic.Int64, to which a Store adds the number of
// games that it reads for Games, GamesWhere and Pairs.
var GamesScanned scanned

// scan calls yield with the games that pass the filter, by pair and leg, several pairs in each call. The rows are valid
// until yield returns, because scan reads later games into the same memory. scan returns an error if it does not find a
// stored game.
func scan(ctx context.Context, s *Store, runID int64, f Filter, yield func([]match.Row) error) error {
	var stopped error // the error that yield returned
	err := scanParts(ctx, s, runID, f, func(rows []match.Row) error {
		if n, counting := ctx.Value(GamesScanned).(*atomic.Int64); counting {
			n.Add(int64(len(rows)))
		}
		stopped = yield(rows)
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	if err != nil {
		return s.fail("reading the games", err)
	}
	return nil
}

func scanParts(ctx context.Context, s *Store, runID int64, f Filter, yield func([]match.Row) error) (err error) {
	last, err := lastPair(ctx, s.read, runID)
	if err != nil {
		return err
	}
	view, err := newSnapshot(ctx, s, int((last-int64(f.FromPair))/scanPairs+1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, view.end()) }()
	return view.scan(ctx, runID, f, yield)
}

// scan does the same as Store.scan, in this snapshot.
func (view *snapshot) scan(ctx context.Context, runID int64, f Filter, yield func([]match.Row) error) error {
	who, err := castOf(ctx, view.conns[0], runID)
	if err != nil {
		return err
	}
	all := f.all()
	inventory, err := tables.ReadInventory(ctx, view.conns[0], runID, all.first, all.end)
	if err != nil {
		return err
	}
	all.end = min(all.end, inventory.After())
	c := scanner{playerTable: who, run: runID, query: gamesQuery, inventory: inventory, step: scanPairs}
	err = c.scan(ctx, view.conns, all, yield)
	return tables.NameRun(ctx, view.conns[0], runID, err)
}

// lastPair returns the largest stored pair number, or -1 without pairs. In a damaged file the number may be
// wrong, which affects only the number of connections.
func lastPair(ctx context.Context, q tables.Querier, runID int64) (last int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT coalesce(max(pair), -1) FROM pairs WHERE run_id = ?", runID).Scan(&last)
	return last, err
}

// scanner reads the games of one run.
type scanner struct {
	playerTable
	run       int64
	query     string            // selects the games of a range of pairs
	inventory *tables.Inventory // the rows that must be found
	step      int64             // number of pair numbers in one query
}

// scan reads a range of pairs in parts and yields the parts in order. Connections read at most a few parts
// ahead of yield. scan returns when all connections are idle.
func (c *scanner) scan(ctx context.Context, conns []*sql.Conn, all pairRange, yield func([]match.Row) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	ahead := make(chan *part, 2*len(conns))        // in order, for yield
	todo := make(chan *part)                       // the same parts, for the connections; closed with ahead
	used := make(chan []match.Row, 2*len(conns)+2) // the memory of yielded parts
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel(nil)
	for _, conn := range conns {
		reading.Go(func() {
			if err := c.serve(ctx, conn, todo); err != nil {
				cancel(err) // no one would read the parts of a failed connection
			}
		})
	}
	reading.Go(func() { c.deal(ctx, all, used, ahead, todo) })
	for p := range ahead {
		select {
		case <-p.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if p.err != nil {
			return p.err
		}
		if err := yield(p.rows); err != nil {
			return err
		}
		select {
		case used <- p.rows:
		default:
		}
	}
	return context.Cause(ctx)
}

// deal divides a range of pairs into parts, and sends each part to both channels. The connections take parts from
// todo and read them. scan takes the parts from ahead, in order, and waits until each is read. A part gets memory from
// used, if there is any.
func (c *scanner) deal(ctx context.Context, all pairRange, used <-chan []match.Row, ahead, todo chan<- *part) {
	defer close(ahead)
	defer close(todo)
	for first := all.first; first < all.end; first += c.step - first%c.step {
		p := &part{pairs: pairRange{first, min(all.end, first+c.step-first%c.step)}, done: make(chan struct{})}
		select {
		case p.rows = <-used:
		default:
		}
		for _, to := range []chan<- *part{ahead, todo} {
			select {
			case to <- p:
			case <-ctx.Done():
				return
			}
		}
	}
}

// serve reads parts on one connection until there are no more parts. It calls SQLite's driver directly,
// because the conversion of values in database/sql took a third of the time.
func (c *scanner) serve(ctx context.Context, conn *sql.Conn, todo <-chan *part) error {
	return conn.Raw(func(raw any) (err error) {
		preparer, ok := raw.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T, which prepares nothing", raw)
		}
		statement, err := prepare(ctx, preparer, c.query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, statement.Close()) }()
		packed, err := prepare(ctx, preparer, segments.Query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, packed.Close()) }()
		reader := newGameReader(c.playerTable)
		for p := range todo {
			p.err = c.read(ctx, reader, packed, statement, p)
			close(p.done)
		}
		return nil
	})
}

// read reads the games of a part, which is in one block (the pairs of one segment). It reads the segment of the block.
// If there is no valid segment, it reads the rows. It returns an error unless it finds all stored games.
func (c *scanner) read(ctx context.Context, reader *gameReader, packed, statement asked, p *part) error {
	rows, known, err := reader.segment(ctx, packed, c.run, p.pairs, p.rows)
	if p.rows = rows; err != nil || known && compared(c.inventory, p.pairs, rows) == nil {
		return err
	}
	if p.rows, err = reader.all(ctx, statement, []any{c.run, p.pairs.first, p.pairs.end}, rows[:0]); err != nil {
		return err
	}
	return compared(c.inventory, p.pairs, p.rows)
}

// compared returns an error unless rows are exactly the games of a range of pairs that the inventory lists as
// stored.
func compared(inventory *tables.Inventory, pairs pairRange, rows []match.Row) error {
	expected := inventory.Expect(pairs.first, pairs.end)
	for i := range rows {
		if err := expected.Game(rows[i].Pair, rows[i].Leg); err != nil {
			return err
		}
	}
	return expected.End()
}

// asked is a prepared statement that returns rows.
type asked interface {
	driver.Stmt
	driver.StmtQueryContext
}

func prepare(ctx context.Context, preparer driver.ConnPrepareContext, query string) (asked, error) {
	prepared, err := preparer.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	statement, ok := prepared.(asked)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's statement is a %T, which asks nothing", prepared), prepared.Close())
	}
	return statement, nil
}

// ask runs a query and calls yield for each row. Before each call it stores the row in values.
func ask(ctx context.Context, statement driver.StmtQueryContext, args []any, values []driver.Value,
	yield func() error) (err error) {
	named := make([]driver.NamedValue, len(args))
	for i, value := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	rows, err := statement.QueryContext(ctx, named)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		if err := rows.Next(values); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := yield(); err != nil {
			return err
		}
	}
}

// all appends all games that a query selects to games.
func (r *gameReader) all(ctx context.Context, statement driver.StmtQueryContext, args []any,
	games []match.Row) ([]match.Row, error) {
	err := ask(ctx, statement, args, r.values, func() error {
		g, err := r.take()
		games = append(games, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	return games, nil
}
