package tables

import (
	"context"
	"database/sql"
	"errors"
	"math"
)

// ErrNoPair is the error if the source does not have the requested pair.
var ErrNoPair = errors.New("the game is not stored")

// Source is a source of whole rows: a database that SQLite can read, or the undamaged rows of a damaged
// database.
type Source interface {
	Runs(ctx context.Context) ([]*Run, error)
	// Pairs calls yield with the number of each pair of a run, in order.
	Pairs(ctx context.Context, run int64, yield func(id int64) error) error
	// Pair returns all rows of a pair. Its error reports a failed read; Pair does not verify the data.
	Pair(ctx context.Context, run, id int64) (*Pair, error)
	// Rows calls yield for the rows of a run in the table attempts, voided, tune_states or tune_candidates.
	Rows(ctx context.Context, table string, run int64, yield func(*Row) error) error
}

// Stored is a database that SQLite can read.
type Stored struct{ Q Querier }

// Runs returns the runs of the database, oldest first.
func (s Stored) Runs(ctx context.Context) (list []*Run, err error) {
	err = EachRow(ctx, s.Q, "runs", func(r *Row) error {
		list = append(list, &Run{Row: r.Clone()})
		return nil
	}, "ORDER BY id")
	err = errors.Join(err, CountRuns(ctx, s.Q))
	for _, run := range list {
		err = errors.Join(err,
			s.rows(ctx, &run.Engines, "engines", "WHERE run_id = ? ORDER BY idx", run.ID()),
			s.rows(ctx, &run.Settings, "settings_log", "WHERE run_id = ? ORDER BY id", run.ID()))
		inventory, wrong := WholeInventory(ctx, s.Q, run.ID())
		if wrong == nil {
			wrong = errors.Join(inventory.Count("engines", int64(len(run.Engines))),
				inventory.Count("settings_log", int64(len(run.Settings))))
		}
		err = errors.Join(err, wrong)
	}
	return list, err
}

// rows appends the rows of a table to a list; where is an SQL clause that selects them.
func (s Stored) rows(ctx context.Context, to *[]*Row, table, where string, args ...any) error {
	return EachRow(ctx, s.Q, table, func(r *Row) error {
		*to = append(*to, r.Clone())
		return nil
	}, where, args...)
}

// Pairs calls yield with the number of each pair of a run, in order. At the end it returns an error if it did
// not find all stored pairs.
func (s Stored) Pairs(ctx context.Context, run int64, yield func(int64) error) error {
	var missing error
	inventory, err := WholeInventory(ctx, s.Q, run)
	if err != nil {
		inventory, missing = &Inventory{}, err
	}
	expected := inventory.Expect(0, math.MaxInt64)
	err = Each(ctx, s.Q, func(rows *sql.Rows) error {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if missing == nil {
			missing = expected.Pair(id)
		}
		return yield(id)
	}, "SELECT pair FROM pairs WHERE run_id = ? ORDER BY pair", run)
	if missing == nil {
		missing = expected.End()
	}
	if err == nil {
		err = NameRun(ctx, s.Q, run, missing)
	}
	return err
}

// Pair returns all rows of a pair, or ErrNoPair if the pair does not exist.
func (s Stored) Pair(ctx context.Context, run, id int64) (*Pair, error) {
	p := &Pair{Records: map[int64]*Row{}}
	var err error
	last := func(table, where string, args ...any) (row *Row) {
		var rows []*Row
		if err == nil {
			err = s.rows(ctx, &rows, table, where, args...)
		}
		if n := len(rows); n > 0 {
			row = rows[n-1]
		}
		return row
	}
	if p.Row = last("pairs", "WHERE run_id = ? AND pair = ?", run, id); err == nil && p.Row == nil {
		err = ErrNoPair
	}
	if err != nil {
		return nil, err
	}
	p.Opening = last("openings", "WHERE id = ?", p.Row.Int("opening_id"))
	if err == nil {
		err = s.rows(ctx, &p.Games, "games", "WHERE run_id = ? AND pair = ? ORDER BY leg", run, id)
	}
	if p.Row.Value("worker") != nil {
		p.Worker = last("workers", "WHERE id = ?", p.Row.Int("worker"))
	}
	for _, g := range p.Games {
		if r := last("records", "WHERE game_id = ?", g.Int("id")); r != nil {
			p.Records[g.Int("id")] = r
		}
	}
	return p, err
}

// ofBlock has the SQL clauses that select the rows of the pairs of a run in a range of numbers, by table.
var ofBlock = map[string]string{
	"pairs":    inBlock,
	"games":    inBlock + " ORDER BY pair, leg",
	"openings": "WHERE id IN (SELECT opening_id FROM pairs " + inBlock + ")",
	"workers":  "WHERE id IN (SELECT worker FROM pairs " + inBlock + ")",
	"records":  "WHERE game_id IN (SELECT id FROM games " + inBlock + ")",
}

const inBlock = "WHERE run_id = ? AND pair >= ? AND pair < ?"

// Block returns the pairs of a run with first ≤ number < end, by number. It reads each table with one query, which is
// much faster than Pair for each of them. In a damaged file Block may miss rows that Pair finds, and return an error
// although Pair can read some of these pairs.
func (s Stored) Block(ctx context.Context, run, first, end int64) (map[int64]*Pair, error) {
	rows := map[string][]*Row{}
	for table, where := range ofBlock {
		var list []*Row
		if err := s.rows(ctx, &list, table, where, run, first, end); err != nil {
			return nil, err
		}
		rows[table] = list
	}
	openings, workers, records := byNumber(rows["openings"], "id"), byNumber(rows["workers"], "id"),
		byNumber(rows["records"], "game_id")
	pairs := map[int64]*Pair{}
	for _, r := range rows["pairs"] {
		pairs[r.Int("pair")] = &Pair{Row: r, Opening: openings[r.Int("opening_id")], Worker: workers[r.Int("worker")],
			Records: records}
	}
	for _, g := range rows["games"] {
		if p := pairs[g.Int("pair")]; p != nil {
			p.Games = append(p.Games, g)
		}
	}
	return pairs, nil
}

// byNumber returns rows by the number in a column.
func byNumber(rows []*Row, column string) map[int64]*Row {
	found := make(map[int64]*Row, len(rows))
	for _, r := range rows {
		found[r.Int(column)] = r
	}
	return found
}

// Rows calls yield for the rows of a run in a table, in the order in which they were stored. At the end it
// returns an error if it did not find all stored rows.
func (s Stored) Rows(ctx context.Context, table string, run int64, yield func(*Row) error) error {
	order := map[string]string{"attempts": "id", "voided": "pair, take", "tune_states": "blocks",
		"tune_candidates": "number"}[table]
	found := int64(0)
	err := EachRow(ctx, s.Q, table, func(r *Row) error {
		found++
		return yield(r)
	}, "WHERE run_id = ? ORDER BY "+order, run)
	if err != nil {
		return err
	}
	inventory, err := WholeInventory(ctx, s.Q, run)
	if err == nil {
		err = inventory.Count(table, found)
	}
	return NameRun(ctx, s.Q, run, err)
}
