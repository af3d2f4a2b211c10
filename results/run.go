package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"gogi/match"
	"gogi/results/file"
	"gogi/results/tables"
)

// Run is a run that is open for storing pairs. Only one Run of the same run can exist at a time, over all
// processes. Its methods are safe for concurrent use.
type Run struct {
	store *Store
	id    int64
	plan  *match.Plan
	lock  *hold
	// setting is the number of the row in the log of settings that is valid now.
	setting atomic.Int64
	// most is the largest target that the run ever had. A pair may have been in play when the target was
	// lowered.
	most  atomic.Int64
	stmts statements

	// requests carries requests from Add and PutAttempt to the writer. It is never closed. It has no
	// capacity, so that a closed Run can still reject a waiting request. The writer takes all waiting
	// requests together.
	requests chan request
	quit     chan struct{} // closed by Close; nothing is sent on it
	done     chan struct{} // closed by the writer at its end; nothing is sent on it
	closing  sync.Once
	closed   error // error of the first Close, after that Close has returned
}

// Begin creates the run that the plan names, or resumes it. It returns a *DifferentPlan if a run with that
// name has another plan hash, and ErrRunLocked if the run is being played. Settings that the plan hash does
// not cover may differ from the last start; Begin then replaces and logs them. The plan must not change while
// the Run is open. ctx applies only to Begin; the Run lives until Close.
func (s *Store) Begin(ctx context.Context, plan *match.Plan) (*Run, error) {
	run, err := begin(ctx, s, plan)
	if err != nil {
		return nil, s.fail(fmt.Sprintf("starting run %q", plan.Run), err)
	}
	go run.writeAll(context.WithoutCancel(ctx))
	return run, nil
}

func begin(ctx context.Context, s *Store, plan *match.Plan) (*Run, error) {
	switch {
	case s.write == nil:
		return nil, errors.New("the database was opened for reading only")
	case plan.Run == "":
		return nil, errors.New("the run has no name")
	case len(plan.Openings) == 0 || plan.Pairings() == 0:
		return nil, errors.New("the plan has no opening or nobody to play")
	}
	id, err := findOrCreate(ctx, s, plan)
	if err != nil {
		return nil, err
	}
	lock, err := holdRunOfDying(ctx, s, id)
	if errors.Is(err, ErrRunLocked) {
		return nil, fmt.Errorf("%w; to play beside it, give another name with --run", err)
	}
	if err != nil {
		return nil, err
	}
	run := &Run{
		store: s, id: id, plan: plan, lock: lock,
		requests: make(chan request), quit: make(chan struct{}), done: make(chan struct{}),
	}
	if err = run.set(ctx, settingOf(plan)); err == nil {
		run.stmts, err = prepareStatements(ctx, s.write)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return run, nil
}

// ID returns the run's number in the database, for methods of the Store such as Games.
func (r *Run) ID() int64 { return r.id }

// Finished returns the set of the pairs that are stored.
func (r *Run) Finished(ctx context.Context) (map[int]bool, error) {
	return r.store.Finished(ctx, r.id)
}

// Close waits until everything that Add has accepted is stored, and then releases the run. An Add that is
// still waiting may return ErrClosed. A second Close is not an error.
func (r *Run) Close() error {
	r.closing.Do(func() {
		close(r.quit)
		<-r.done
		packLast(r.store, r.id)
		if err := errors.Join(r.stmts.close(), r.lock.Close()); err != nil {
			r.closed = r.store.fail(fmt.Sprintf("closing run %q", r.plan.Run), err)
		}
	})
	return r.closed
}

// findOrCreate returns the number of the run that the plan names. If the run exists, findOrCreate compares
// the digests, else it creates the run.
func findOrCreate(ctx context.Context, s *Store, plan *match.Plan) (id int64, err error) {
	canonical, digest := plan.Canonical(), plan.Digest()
	err = file.InTx(ctx, s.write, func(tx *sql.Tx) error {
		var storedDigest, storedPlan string
		err := tx.QueryRowContext(ctx, "SELECT id, digest, plan FROM runs WHERE name = ?", plan.Run).Scan(&id, &storedDigest,
			&storedPlan)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if err := noRun(ctx, tx, plan.Run); !isNoRun(err) {
				return err
			}
			if id, err = insertRun(ctx, tx, plan, digest, canonical); err != nil {
				return err
			}
			// This also stores the players, although set stores them again. A reader may read, and the
			// creating process may be killed, between the two.
			if err := putEngines(ctx, tx, id, plan.Players); err != nil {
				return err
			}
			return sealRun(ctx, tx, id)
		case err != nil:
			return err
		case storedDigest != digest:
			return &DifferentPlan{Run: plan.Run, Differences: match.Differences([]byte(storedPlan), canonical)}
		}
		return nil
	})
	return id, err
}

func isNoRun(err error) bool {
	_, none := errors.AsType[*NoRun](err)
	return none
}

// sqlNow is an SQL expression for the current time in microseconds, by SQLite's clock.
const sqlNow = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"

func insertRun(ctx context.Context, tx *sql.Tx, plan *match.Plan, digest string, canonical []byte) (int64, error) {
	result, err := tx.ExecContext(ctx,
		"INSERT INTO runs (id, name, digest, plan, rules, legs, pairs, created) VALUES ("+nextRun+", ?, ?, ?, ?, ?, ?, "+
			sqlNow+")",
		plan.Run, digest, string(canonical), plan.Rules.Name, plan.Legs(), plan.Pairs)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// putEngines stores the players of a run. If they are already stored, it updates their paths.
func putEngines(ctx context.Context, tx *sql.Tx, id int64, players []match.Player) error {
	for i := range players {
		args, err := engineArgs(&players[i])
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO engines
			(run_id, idx, name, builtin, command, dir, env, options, profile, limits, restart, identity)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (run_id, idx) DO UPDATE SET
			builtin = excluded.builtin, command = excluded.command, dir = excluded.dir, identity = excluded.identity`,
			append([]any{id, i}, args...)...); err != nil {
			return fmt.Errorf("engine %s: %w", players[i].Name, err)
		}
	}
	return nil
}

// engineArgs returns the values of a player's columns, from the column name on.
func engineArgs(p *match.Player) ([]any, error) {
	var texts [4]string
	for i, v := range []any{list(p.Command), list(p.Env), list(p.Options), tables.PlayerFactsOf(p)} {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return []any{
		p.Name, p.Builtin, texts[0], p.Dir, texts[1], texts[2], p.Profile, p.Limits.String(), string(p.Restart), texts[3],
	}, nil
}

// list returns s, or an empty slice for nil, because JSON writes nil as null and not as [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
