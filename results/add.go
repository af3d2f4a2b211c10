package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gogi/match"
	"gogi/results/file"
	"gogi/results/tables"
)

// maxBatch is the largest number of requests in one transaction. It limits how long the first request waits.
// A pair takes a fraction of a millisecond.
const maxBatch = 256

// request is the data that one Add or PutAttempt stores.
type request struct {
	pair     *pairRows // nil: the request has only attempts
	take     int       // the pair is stored only if this is the number of its current take (see Run.Take); 0: always
	attempts []match.Attempt
	// answer receives one value from the writer when the request is stored or has failed. It is never closed.
	// Its capacity is one, so that the writer does not wait.
	answer chan answer
}

// answer is the result of a request. added is false if the pair was already stored. If err is not nil, added has no
// meaning.
type answer struct {
	added bool
	err   error
}

// Add stores a whole pair with its attempts and returns when the pair is stored durably (see Durability). If the
// pair is already stored, Add leaves it unchanged and returns added = false without an error. A caller that counts
// pairs must therefore count only pairs with added = true. Add rejects a pair that is not in the plan, and games
// that do not match the plan or have not ended. If ctx is cancelled before the writer takes the pair, nothing is
// stored; a later cancellation has no effect.
func (r *Run) Add(ctx context.Context, pair match.PairResult) (added bool, err error) {
	return r.add(ctx, pair, 0, nil)
}

// AddTake stores a pair like Add, but not if the pair was voided after it was assigned to a worker. It then
// returns ErrOldTake and stores nothing, so that a late result does not replace a voided pair. n is the number
// that [Run.Take] returned at the time of the assignment. In a tune, AddTake also stores states, which are the
// states that follow from the pair (see [Run.AddStates]).
func (r *Run) AddTake(ctx context.Context, pair match.PairResult, n int, states ...match.TuneState) (added bool,
	err error) {
	if n < 1 {
		return false, r.store.fail(fmt.Sprintf("run %q: storing pair %d", r.plan.Run, pair.Pair.ID),
			fmt.Errorf("take %d: expected at least 1", n))
	}
	return r.add(ctx, pair, n, states)
}

func (r *Run) add(ctx context.Context, pair match.PairResult, take int, states []match.TuneState) (added bool,
	err error) {
	rows, err := r.rows(pair)
	if err == nil {
		rows.states, err = stateRows(r.id, states)
	}
	if err == nil {
		added, err = r.submit(ctx, request{pair: rows, take: take, attempts: pair.Attempts})
	}
	if err != nil {
		return false, r.store.fail(fmt.Sprintf("run %q: storing pair %d", r.plan.Run, pair.Pair.ID), err)
	}
	return added, nil
}

// PutAttempt stores a failed attempt at a pair. If the attempt is already stored, nothing changes.
func (r *Run) PutAttempt(ctx context.Context, attempt match.Attempt) error {
	if _, err := r.submit(ctx, request{attempts: []match.Attempt{attempt}}); err != nil {
		return r.store.fail(fmt.Sprintf("run %q: storing an attempt at pair %d", r.plan.Run, attempt.Pair), err)
	}
	return nil
}

func (r *Run) submit(ctx context.Context, req request) (added bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, context.Cause(ctx)
	}
	req.answer = make(chan answer, 1)
	select {
	case r.requests <- req:
		a := <-req.answer
		return a.added, a.err
	case <-r.quit:
		return false, ErrClosed
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// writeAll runs in the goroutine that writes. It stores requests until the Run is closed and no request waits.
func (r *Run) writeAll(ctx context.Context) {
	defer close(r.done)
	added := filling{}
	for {
		select {
		case first := <-r.requests:
			batch := r.gather(first)
			r.writeBatch(ctx, batch)
			for _, block := range added.full(batch) {
				_, _ = pack(ctx, r.store, r.id, block) // an error is harmless: without the segment readers use the rows
			}
		case <-r.quit:
			for batch := r.gather(); len(batch) > 0; batch = r.gather() {
				r.writeBatch(ctx, batch)
			}
			return
		}
	}
}

// gather adds the requests that wait now to a batch. It does not wait for more, because they accumulate while
// the batch is committed.
func (r *Run) gather(batch ...request) []request {
	for len(batch) < maxBatch {
		select {
		case req := <-r.requests:
			batch = append(batch, req)
		default:
			return batch
		}
	}
	return batch
}

// writeBatch stores a batch in one transaction and sends the answer to each of its requests.
func (r *Run) writeBatch(ctx context.Context, batch []request) {
	answers := make([]answer, len(batch))
	err := file.InTx(ctx, r.store.write, func(tx *sql.Tx) error {
		s := r.stmts.in(ctx, tx)
		for i, req := range batch {
			var err error
			answers[i].added, err = r.write(ctx, s, req)
			if answers[i].err = nil; errors.Is(err, ErrOldTake) {
				answers[i].err, err = err, nil // an error of this pair only
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = r.store.inode.At(r.store.file) // SQLite can commit to a deleted file, but the data is lost
	}
	for i, req := range batch {
		if err != nil {
			answers[i].err = err
		}
		req.answer <- answers[i]
	}
}

func (r *Run) write(ctx context.Context, s statements, req request) (added bool, err error) {
	if req.take > 0 {
		if err := s.current(ctx, req); err != nil {
			return false, err
		}
	}
	if req.pair != nil {
		if added, err = s.addPair(ctx, req.pair); err != nil || !added {
			return false, err // the attempts of a stored pair are stored too
		}
	}
	for _, a := range req.attempts {
		if _, err := execSummed(ctx, s.attempt, "attempts", r.id, a.Pair, tables.Micros(a.Ended), a.Why); err != nil {
			return false, err
		}
	}
	return added, nil
}

type statements struct {
	opening, openingID, pair, game, record, attempt, worker, workerID, takes, state *sql.Stmt

	known // in a transaction
}

// A known has the numbers of the openings and of the workers that a transaction has used.
type known struct {
	openings map[openingKey]int64
	workers  map[[2]string]int64 // by name and owner
}

type openingKey struct {
	run  int64
	name string
	hash int64
}

func prepareStatements(ctx context.Context, db *sql.DB) (s statements, err error) {
	texts := []string{
		"INSERT INTO openings (run_id, name, start, moves, plies, hash, checksum) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		"SELECT id FROM openings WHERE run_id = ? AND name = ? AND hash = ?",
		"INSERT INTO pairs (run_id, pair, a, b, opening_id, seed, setting, stored, worker, epoch, scale, proof, options, reused, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, pair) DO NOTHING",
		tables.InsertGame(),
		"INSERT INTO records (game_id, start, event, site, plies, final, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
		"INSERT INTO attempts (run_id, pair, ended, why, checksum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		insertWorker,
		newestWorker,
		countTakes,
		insertState,
	}
	for i, field := range s.fields() {
		//nolint:sqlclosecheck // Run.Close closes them
		if *field, err = db.PrepareContext(ctx, texts[i]); err != nil {
			return s, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s *statements) fields() []**sql.Stmt {
	return []**sql.Stmt{&s.opening, &s.openingID, &s.pair, &s.game, &s.record, &s.attempt, &s.worker, &s.workerID,
		&s.takes, &s.state}
}

// in returns copies of the prepared statements for use inside the transaction tx. The end of the transaction closes
// them.
func (s *statements) in(ctx context.Context, tx *sql.Tx) statements {
	within := statements{known: known{openings: map[openingKey]int64{}, workers: map[[2]string]int64{}}}
	for i, field := range within.fields() {
		*field = tx.StmtContext(ctx, *s.fields()[i])
	}
	return within
}

func (s *statements) close() error {
	var errs []error
	for _, field := range s.fields() {
		if *field != nil {
			errs = append(errs, (*field).Close())
		}
	}
	return errors.Join(errs...)
}

// addPair stores a pair with its opening and games. added is false if the pair was stored already.
func (s *statements) addPair(ctx context.Context, p *pairRows) (added bool, err error) {
	openingID, err := s.addOpening(ctx, p)
	if err != nil {
		return false, err
	}
	provenance, err := s.provenance(ctx, p.played)
	if err != nil {
		return false, err
	}

	row := []any{p.run, p.pair.ID, p.pair.Players[0], p.pair.Players[1], openingID, int64(p.pair.Seed), p.setting,
		tables.Now()}
	row = append(row, provenance...)
	row = append(row, p.options, nil) // the last column, reused, is that of an earlier version
	result, err := execSummed(ctx, s.pair, "pairs", row...)
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}

	for i := range p.games {
		if err := s.addGame(ctx, &p.games[i], provenance[0]); err != nil {
			return false, fmt.Errorf("leg %d: %w", i, err)
		}
	}
	for _, state := range p.states {
		if _, err := execSummed(ctx, s.state, "tune_states", state...); err != nil {
			return false, fmt.Errorf("the state after %d blocks: %w", state[1], err)
		}
	}
	return true, nil
}

// addOpening returns the number of a pair's opening. It adds the opening to the database if it is unknown.
func (s *statements) addOpening(ctx context.Context, p *pairRows) (id int64, err error) {
	key := p.key
	if id, ok := s.openings[key]; ok {
		return id, nil
	}
	if err = s.openingID.QueryRowContext(ctx, key.run, key.name, key.hash).Scan(&id); errors.Is(err, sql.ErrNoRows) {
		if _, err = execSummed(ctx, s.opening, "openings", p.opening...); err == nil {
			err = s.openingID.QueryRowContext(ctx, key.run, key.name, key.hash).Scan(&id)
		}
	}
	if err == nil {
		s.openings[key] = id
	}
	return id, err
}

// addGame stores a game. worker is the number of the worker, or nil.
func (s *statements) addGame(ctx context.Context, g *gameRows, worker any) error {
	values, err := tables.Inserted(g.game, worker)
	if err != nil {
		return err
	}
	result, err := s.game.ExecContext(ctx, values...)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	_, err = execSummed(ctx, s.record, "records", append([]any{id}, g.record...)...)
	return err
}

// execSummed inserts a row of a table: the values, followed by their checksum.
func execSummed(ctx context.Context, stmt *sql.Stmt, table string, values ...any) (sql.Result, error) {
	current, err := tables.CurrentSchema()
	if err != nil {
		return nil, err
	}
	sum, err := tables.SumOf(table, tables.Shortened(values, current.Always[table], tables.Null)...)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, append(values, sum)...)
}
