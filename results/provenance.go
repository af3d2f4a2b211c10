package results

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gogi/match"
	"gogi/results/tables"
)

// These statements store a worker, find the latest worker with a name and an owner, and count how often a pair was
// voided.
const (
	insertWorker = "INSERT INTO workers (name, key, owner, checksum) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
	newestWorker = "SELECT coalesce(max(id), 0) FROM workers WHERE name = ? AND owner = ?"
	countTakes   = "SELECT count(*) FROM voided WHERE run_id = ? AND pair = ?"
)

// Worker is a machine that has played pairs for this database.
type Worker struct {
	Name  string
	Owner string
	Key   string // public key as text; "" if unknown
}

// Enlist stores a worker with its public key. Pairs that the worker plays later get this key; earlier pairs keep
// the earlier key.
func Enlist(ctx context.Context, s *Store, w Worker) error {
	if s.write == nil {
		return s.fail("enlisting a worker", errors.New("the database was opened for reading only"))
	}
	if w.Name == "" {
		return s.fail("enlisting a worker", errors.New("it has no name"))
	}
	sum, err := tables.SumOf("workers", w.Name, w.Key, w.Owner)
	if err == nil {
		_, err = s.write.ExecContext(ctx, insertWorker, w.Name, w.Key, w.Owner, sum)
	}
	if err != nil {
		return s.fail(fmt.Sprintf("enlisting worker %s", w.Name), err)
	}
	return nil
}

// Workers returns all workers that have played or were enlisted, in the order in which they were added.
func (s *Store) Workers(ctx context.Context) (list []Worker, err error) {
	err = s.Moment(ctx, "reading the workers", func(m Moment) error {
		return eachWorker(ctx, m.Q, func(r *tables.Row) {
			list = append(list, Worker{Name: r.Text("name"), Owner: r.Text("owner"), Key: r.Text("key")})
		})
	})
	return list, err
}

// eachWorker calls yield for all workers in the order in which they were added. It returns an error if the
// row of a worker is damaged or missing.
func eachWorker(ctx context.Context, q tables.Querier, yield func(*tables.Row)) error {
	found := int64(0)
	err := tables.EachSound(ctx, q, "workers", func(r *tables.Row) error {
		found++
		yield(r)
		return nil
	}, "ORDER BY id")
	if err == nil {
		err = tables.CountWorkers(ctx, q, found)
	}
	return err
}

// playerTable has the names in a run's games: the players in the order of the plan, and the workers by
// number.
type playerTable struct {
	players []Engine
	workers map[int64]string
}

func castOf(ctx context.Context, q tables.Querier, run int64) (c playerTable, err error) {
	if c.players, err = engines(ctx, q, run); err != nil {
		return c, fmt.Errorf("the engines: %w", err)
	}
	c.workers = map[int64]string{}
	if err := eachWorker(ctx, q, func(r *tables.Row) { c.workers[r.Int("id")] = r.Text("name") }); err != nil {
		return c, fmt.Errorf("the workers: %w", err)
	}
	return c, nil
}

// latestCast caches the player table of the run whose record was read last. Without it, a reader of single
// records would read the players for each record. Only the names in it are valid, because the paths of
// players may have changed since.
type latestCast struct {
	mu  sync.Mutex
	run int64 // number of the run; 0: none
	playerTable
}

// of returns the player table of a run. kept reports whether the table comes from the cache.
func (l *latestCast) of(ctx context.Context, q tables.Querier, run int64) (c playerTable, kept bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run == run {
		return l.playerTable, true, nil
	}
	c, err = castOf(ctx, q, run)
	if err == nil {
		l.run, l.playerTable = run, c
	}
	return c, false, err
}

// reload reads the player table of a run from the database and stores it in the cache.
func (l *latestCast) reload(ctx context.Context, q tables.Querier, run int64) (playerTable, error) {
	l.mu.Lock()
	l.run = 0
	l.mu.Unlock()
	c, _, err := l.of(ctx, q, run)
	return c, err
}

// checkPlayed returns an error if the facts about who played a pair contradict each other.
func checkPlayed(p match.Provenance) error {
	switch {
	case p.Worker == "" && (p.Owner != "" || p.Epoch != 0 || p.Scale != 0 || len(p.Proof) > 0):
		return errors.New("it has an owner, a lease, a scale or a proof, and no worker")
	case math.IsNaN(p.Scale) || math.IsInf(p.Scale, 0) || p.Scale < 0:
		return fmt.Errorf("its clocks were scaled by %v: expected a positive number, or 0 where that is not known", p.Scale)
	}
	return nil
}

// provenance returns the columns worker, epoch, scale and proof of a pair. worker is the number of the worker, or nil.
// provenance adds the worker to the database if it is unknown.
func (s *statements) provenance(ctx context.Context, p match.Provenance) ([]any, error) {
	if p.Worker == "" {
		return []any{nil, nil, nil, nil}, nil
	}
	worker, err := s.workerNumber(ctx, p.Worker, p.Owner)
	if err != nil {
		return nil, err
	}

	var proof any
	if len(p.Proof) > 0 {
		proof = p.Proof
	}
	return []any{worker, int64(p.Epoch), p.Scale, proof}, nil
}

// workerNumber returns the number of a worker. It adds the worker to the database if it is unknown.
func (s *statements) workerNumber(ctx context.Context, name, owner string) (number int64, err error) {
	key := [2]string{name, owner}
	if number = s.workers[key]; number != 0 {
		return number, nil
	}

	err = s.workerID.QueryRowContext(ctx, name, owner).Scan(&number)
	if err == nil && number == 0 {
		if _, err = execSummed(ctx, s.worker, "workers", name, "", owner); err == nil {
			err = s.workerID.QueryRowContext(ctx, name, owner).Scan(&number)
		}
	}
	if err == nil {
		s.workers[key] = number
	}
	return number, err
}

// Take returns the number of a pair's current take (version). The first take is 1, and each void of the pair
// begins the next take. A process that assigns pairs stores this number with the assignment, and stores the result
// with [Run.AddTake].
func (r *Run) Take(ctx context.Context, pair int) (int, error) {
	n := 0
	if err := r.store.read.QueryRowContext(ctx, countTakes, r.id, pair).Scan(&n); err != nil {
		return 0, r.store.fail(fmt.Sprintf("run %q: counting the takes of pair %d", r.plan.Run, pair), err)
	}
	return n + 1, nil
}

// current returns ErrOldTake if the request's pair was voided after it was assigned.
func (s *statements) current(ctx context.Context, req request) error {
	voided := 0
	if err := s.takes.QueryRowContext(ctx, req.pair.run, req.pair.pair.ID).Scan(&voided); err != nil {
		return err
	}
	if req.take != voided+1 {
		return fmt.Errorf("take %d, and take %d is the one that counts: %w", req.take, voided+1, ErrOldTake)
	}
	return nil
}
