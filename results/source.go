package results

import (
	"context"
	"database/sql"
	"errors"
)

// source is where whole rows come from: a database, or what is left of one.
type source interface {
	runs(ctx context.Context) ([]*rawRun, error)
	// pairs calls yield with the numbers of a run's pairs, in order.
	pairs(ctx context.Context, run int64, yield func(id int64) error) error
	// pair is everything of one; its error is of reading, not of what was read.
	pair(ctx context.Context, run, id int64) (*rawPair, error)
	// rows are those of attempts, voided, tune_states or tune_candidates, of a run.
	rows(ctx context.Context, table string, run int64, yield func(*rawRow) error) error
}

// stored is a database that SQLite can read.
type stored struct{ q querier }

func (s stored) runs(ctx context.Context) (list []*rawRun, err error) {
	err = eachRaw(ctx, s.q, "runs", func(r *rawRow) error {
		list = append(list, &rawRun{run: r.clone()})
		return nil
	}, "ORDER BY id")
	for _, run := range list {
		into := func(rows *[]*rawRow) func(*rawRow) error {
			return func(r *rawRow) error {
				*rows = append(*rows, r.clone())
				return nil
			}
		}
		err = errors.Join(err,
			eachRaw(ctx, s.q, "engines", into(&run.engines), "WHERE run_id = ? ORDER BY idx", run.id()),
			eachRaw(ctx, s.q, "settings_log", into(&run.settings), "WHERE run_id = ? ORDER BY id", run.id()))
	}
	return list, err
}

func (s stored) pairs(ctx context.Context, run int64, yield func(int64) error) error {
	return each(ctx, s.q, func(rows *sql.Rows) error {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		return yield(id)
	}, "SELECT pair FROM pairs WHERE run_id = ? ORDER BY pair", run)
}

func (s stored) pair(ctx context.Context, run, id int64) (*rawPair, error) {
	p := &rawPair{records: map[int64]*rawRow{}}
	err := eachRaw(ctx, s.q, "pairs", func(r *rawRow) error {
		p.pair = r.clone()
		return nil
	}, "WHERE run_id = ? AND pair = ?", run, id)
	if err == nil && p.pair == nil {
		err = ErrNoGame
	}
	if err != nil {
		return nil, err
	}
	err = eachRaw(ctx, s.q, "openings", func(r *rawRow) error {
		p.opening = r.clone()
		return nil
	}, "WHERE id = ?", p.pair.int("opening_id"))
	if err == nil {
		err = eachRaw(ctx, s.q, "games", func(r *rawRow) error {
			p.games = append(p.games, r.clone())
			return nil
		}, "WHERE run_id = ? AND pair = ? ORDER BY leg", run, id)
	}
	if err == nil && p.pair.value("worker") != nil {
		err = eachRaw(ctx, s.q, "workers", func(r *rawRow) error {
			p.worker = r.clone()
			return nil
		}, "WHERE id = ?", p.pair.int("worker"))
	}
	for _, g := range p.games {
		if err == nil {
			err = eachRaw(ctx, s.q, "records", func(r *rawRow) error {
				p.records[g.int("id")] = r.clone()
				return nil
			}, "WHERE game_id = ?", g.int("id"))
		}
	}
	return p, err
}

func (s stored) rows(ctx context.Context, table string, run int64, yield func(*rawRow) error) error {
	order := map[string]string{"attempts": "id", "voided": "pair, take", "tune_states": "blocks", "tune_candidates": "number"}[table]
	return eachRaw(ctx, s.q, table, yield, "WHERE run_id = ? ORDER BY "+order, run)
}
