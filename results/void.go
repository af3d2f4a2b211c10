package results

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gogi/match"
	"gogi/results/file"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// Void voids the pairs of the run that have a game for which selects returns true. After an error it has voided
// none of them. gogi keeps voided pairs (see Voided), but no other method returns them, and gogi plays the pairs
// again. Void also stores why, the reason, and by, its author. It returns the numbers of the pairs in order. In a
// tune it also voids later pairs that depend on these pairs, and deletes the states that depend on voided pairs.
// selects must not use the Run, because the Run stores nothing during the call. A caller that has counted the
// pairs must count them again from the first one.
func (r *Run) Void(ctx context.Context, why, by string, selects func(match.Row) bool) (pairs []int, err error) {
	if err = r.open(); err == nil {
		pairs, err = void(ctx, r.store, r.id, why, by, selects)
	}
	if err != nil {
		return nil, r.store.fail(fmt.Sprintf("run %q: voiding pairs", r.plan.Run), err)
	}
	return pairs, nil
}

// Void does the work of Run.Void for a run that is not being played. It returns ErrRunLocked if the run is
// being played.
func (s *Store) Void(ctx context.Context, run *RunInfo, why, by string, selects func(match.Row) bool) (pairs []int,
	err error) {
	if s.write == nil {
		err = errors.New("the database was opened for reading only")
	} else {
		var lock *hold
		if lock, err = holdRun(s, run.ID); err == nil {
			pairs, err = void(ctx, s, run.ID, why, by, selects)
			err = errors.Join(err, lock.Close())
		}
	}
	if err != nil {
		return nil, s.fail(fmt.Sprintf("run %q: voiding pairs", run.Name), err)
	}
	return pairs, nil
}

// open returns ErrClosed after the run was closed, else nil.
func (r *Run) open() error {
	select {
	case <-r.quit:
		return ErrClosed
	default:
		return nil
	}
}

// voiding has the values that all pairs of one Void share.
type voiding struct {
	why, by string
	at      int64
}

func void(ctx context.Context, s *Store, run int64, why, by string, selects func(match.Row) bool) (pairs []int,
	err error) {
	if why == "" || by == "" {
		return nil, errors.New("expected a reason, and who voids them")
	}
	err = file.InTx(ctx, s.write, func(tx *sql.Tx) (err error) {
		pairs, err = voidPairs(ctx, tx, run, voiding{why, by, tables.Now()}, selects)
		return err
	})
	return pairs, err
}

func voidPairs(ctx context.Context, tx *sql.Tx, run int64, v voiding, selects func(match.Row) bool) ([]int, error) {
	var chosen []int
	err := selectGames(ctx, tx, run, Filter{}, func(g match.Row) error {
		if selects(g) {
			chosen = append(chosen, g.Pair)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	chosen = slices.Compact(chosen) // the pairs come in order
	if chosen, err = withDrawn(ctx, tx, run, chosen); err != nil {
		return nil, err
	}
	for _, id := range chosen {
		if err := voidPair(ctx, tx, run, id, v); err != nil {
			return nil, fmt.Errorf("pair %d: %w", id, err)
		}
	}
	return chosen, nil
}

// withDrawn adds to the chosen pairs those pairs of a tune that depend on them: all pairs whose options come from a
// state that depends on the first chosen pair. Without that pair these states no longer exist.
func withDrawn(ctx context.Context, tx tables.Querier, run int64, chosen []int) ([]int, error) {
	if len(chosen) == 0 {
		return nil, nil
	}
	first, tuned, err := drawnFrom(ctx, tx, run, chosen[0])
	if err != nil || !tuned {
		return chosen, err
	}
	drawn, err := tables.List(ctx, tx, func(rows *sql.Rows, pair *int) error { return rows.Scan(pair) },
		"SELECT pair FROM pairs WHERE run_id = ? AND pair >= ?", run, first)
	chosen = append(chosen, drawn...)
	slices.Sort(chosen)
	return slices.Compact(chosen), err
}

// Voidable returns the given pairs and all pairs that Void would void together with them. In a tune these are the
// pairs that depend on the given ones.
func (s *Store) Voidable(ctx context.Context, run *RunInfo, pairs []int) ([]int, error) {
	pairs, err := withDrawn(ctx, s.read, run.ID, pairs)
	if err != nil {
		return nil, s.fail("looking for what hangs on pairs", err)
	}
	return pairs, nil
}

func voidPair(ctx context.Context, tx *sql.Tx, run int64, id int, v voiding) error {
	pair, err := storedPair(ctx, tx, run, id)
	if err == nil {
		err = tables.VerifyRows(ctx, tx, "voided", "WHERE run_id = ? AND pair = ?", run, id)
	}
	if err != nil {
		return tables.NameRun(ctx, tx, run, err)
	}
	body, err := match.EncodePair(pair)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO voided (run_id, pair, take, at, why, voider, setting, stored, started, body)
		SELECT run_id, pair, (SELECT count(*) + 1 FROM voided v WHERE v.run_id = p.run_id AND v.pair = p.pair), ?, ?, ?, setting, stored, ?, ?
		FROM pairs p WHERE run_id = ? AND pair = ?`, v.at, v.why, v.by, tables.Micros(pair.Games[0].Started), body, run, id); err != nil {
		return err
	}
	if err := tables.Seal(ctx, tx, "voided", "WHERE run_id = ? AND pair = ?", run, id); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM records WHERE game_id IN (SELECT id FROM games WHERE run_id = ? AND pair = ?)",
		"DELETE FROM games WHERE run_id = ? AND pair = ?",
		"DELETE FROM pairs WHERE run_id = ? AND pair = ?",
		"DELETE FROM tune_states WHERE run_id = ? AND pairs > ?",
	} {
		if _, err := tx.ExecContext(ctx, text, run, id); err != nil {
			return err
		}
	}
	return nil
}

// Voided is a pair that was voided in a run.
type Voided struct {
	Pair int `json:"pair"`
	Take int `json:"take"` // number of this voided version of the pair, from 1
	// by the clock of the machine with the database; all pairs of one Void have the same time
	At     time.Time `json:"at"`
	Why    string    `json:"why"`
	By     string    `json:"by,omitempty"` // author of the reason; "" if an older gogi did not store it
	Stored time.Time `json:"-"`            // time of storage; zero if an older gogi did not store it
	Body   []byte    `json:"-"`            // the pair, in the form of match.DecodePair
}

// Voided returns the voided pairs of a run, sorted by pair and then by take (see Voided.Take).
func (s *Store) Voided(ctx context.Context, runID int64) ([]Voided, error) {
	return moment(ctx, s, "reading the voided pairs", func(m Moment) ([]Voided, error) { return m.Voided(ctx, runID) })
}

// VoidedPair returns all voided versions (takes) of one pair of a run, in order.
func (s *Store) VoidedPair(ctx context.Context, runID int64, pair int) ([]Voided, error) {
	return moment(ctx, s, fmt.Sprintf("reading the voided playings of pair %d", pair), func(m Moment) ([]Voided, error) {
		return voided(ctx, m.Q, runID, " AND pair = ?", pair)
	})
}

func voided(ctx context.Context, q tables.Querier, runID int64, more string, args ...any) ([]Voided, error) {
	return ownRows(ctx, q, runID, "voided", func(r *tables.Row) (Voided, error) {
		body, _ := r.Value("body").([]byte)
		return Voided{
			Pair: int(r.Int("pair")), Take: int(r.Int("take")), At: tables.FromMicros(r.Int("at")), Why: r.Text("why"),
			By:     r.Text("voider"),
			Stored: tables.FromMicros(r.Int("stored")), Body: body,
		}, nil
	}, more+" ORDER BY pair, take", args...)
}

// ownRows returns the rows of a run in a table. more is SQL text that follows the condition for the run, and args has
// the values for this text. ownRows returns an error for a damaged row, and if it does not find a stored row of the
// run.
func ownRows[T any](ctx context.Context, q tables.Querier, runID int64, table string,
	convert func(*tables.Row) (T, error), more string, args ...any) (list []T, err error) {
	err = tables.EachSound(ctx, q, table, func(r *tables.Row) error {
		value, err := convert(r)
		list = append(list, value)
		return err
	}, "WHERE run_id = ?"+more, append([]any{runID}, args...)...)
	if err == nil {
		err = counted(ctx, q, runID, table)
	}
	return list, tables.NameRun(ctx, q, runID, err)
}

// StoredTimes returns the time at which each pair of a run was stored, by the pair's number. The clock is
// that of the machine with the database. A time is zero if an older gogi did not store it.
func StoredTimes(ctx context.Context, s *Store, runID int64) (map[int]time.Time, error) {
	return moment(ctx, s, "reading when pairs were stored", func(m Moment) (map[int]time.Time, error) {
		times := map[int]time.Time{}
		return times, m.PairRows(ctx, runID, 0, math.MaxInt, func(r *tables.Row) error {
			times[int(r.Int("pair"))] = tables.FromMicros(r.Int("stored"))
			return nil
		})
	})
}

// Pair returns a stored pair with its games and attempts, or ErrNoGame if the pair is not stored. It equals
// the added pair except for the differences of records that doc.go lists.
func (s *Store) Pair(ctx context.Context, runID int64, pair int) (match.PairResult, error) {
	return moment(ctx, s, fmt.Sprintf("reading pair %d", pair), func(m Moment) (match.PairResult, error) {
		return m.Pair(ctx, runID, pair)
	})
}

func storedPair(ctx context.Context, q tables.Querier, runID int64, id int) (r match.PairResult, err error) {
	c, err := castOf(ctx, q, runID)
	if err == nil {
		r.Pair, r.Played, err = readPair(ctx, q, runID, id)
	}
	if err != nil {
		return r, tables.NameRun(ctx, q, runID, err)
	}
	err = records(ctx, q, c, runID, pairRange{int64(id), int64(id) + 1}, func(g *tables.Game, record kifu.Record) error {
		r.Games = append(r.Games, match.Result{
			Pair: g.Pair, Leg: g.Leg, Players: [2]int(g.Seats[:2]),
			Verdict: match.Verdict{Outcome: g.Outcome, Termination: g.Termination, Note: g.Note},
			Record:  record, Sides: g.Sides, Questions: g.Questions, Marked: g.Marked, Slot: g.Slot, Started: g.Started,
			Ended: g.Ended,
		})
		return nil
	})
	r.Pair.Legs = len(r.Games) // gogi stores a pair whole
	if err == nil {
		r.Attempts, err = attempts(ctx, q, runID, " AND pair = ?", id)
	}
	return r, err
}

// readPair returns a stored pair without its games, and the facts about the machine that played the pair. It
// verifies the rows of the pair, its opening and its worker.
func readPair(ctx context.Context, q tables.Querier, runID int64, id int) (p match.Pair, by match.Provenance,
	err error) {
	one := func(table, where string, args ...any) (row *tables.Row) {
		if err == nil {
			err = tables.EachSound(ctx, q, table, func(r *tables.Row) error {
				row = r.Clone()
				return nil
			}, where, args...)
		}
		return row
	}
	row := one("pairs", "WHERE run_id = ? AND pair = ?", runID, id)
	if row == nil {
		if err == nil {
			err = noGame(ctx, q, runID, id, 0)
		}
		if errors.Is(err, ErrNoGame) {
			err = ErrNoGame
		}
		return p, by, err
	}
	p = match.Pair{ID: id, Players: [2]int{int(row.Int("a")), int(row.Int("b"))}, Seed: uint64(row.Int("seed"))}
	opening := one("openings", "WHERE id = ?", row.Int("opening_id"))
	if opening == nil {
		return p, by, cmp.Or(err, error(&tables.Damaged{Table: "openings", Pair: id, Leg: -1,
			What: "a row that was stored is not found"}))
	}
	p.Opening.ID, p.Opening.Start = opening.Text("name"), opening.Text("start")
	if p.Opening.Moves, err = tables.Moves(opening.Text("moves")); err == nil {
		p.Options, err = tables.Options(row.Value("options"))
	}
	if worker := row.Int("worker"); worker != 0 {
		if w := one("workers", "WHERE id = ?", worker); w != nil {
			by.Worker, by.Owner, by.Epoch = w.Text("name"), w.Text("owner"), uint64(row.Int("epoch"))
			by.Scale, _ = row.Value("scale").(float64)
			by.Proof, _ = row.Value("proof").([]byte)
		}
	}
	return p, by, err
}
