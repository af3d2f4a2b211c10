package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"gogi/match"
	"gogi/results/tables"
)

// GameSource names a stored game of another run of the same database.
type GameSource struct {
	Run  string `json:"run"`
	Pair int    `json:"pair"`
	Leg  int    `json:"leg"`
}

// AddReused stores a pair like Add, but marks it as a copy of stored games. from has the source of each game, by leg.
func (r *Run) AddReused(ctx context.Context, pair match.PairResult, from []GameSource) (added bool, err error) {
	rows, err := r.rows(pair)
	if err == nil {
		var text []byte
		text, err = json.Marshal(from)
		rows.reused = string(text)
	}
	if err == nil {
		added, err = r.submit(ctx, request{pair: rows})
	}
	if err != nil {
		return false, r.store.fail(fmt.Sprintf("run %q: storing pair %d of earlier games", r.plan.Run, pair.Pair.ID), err)
	}
	return added, nil
}

// Reused returns the set of a run's pairs that are copies of stored games, see Run.AddReused.
func (s *Store) Reused(ctx context.Context, runID int64) (map[int]bool, error) {
	return moment(ctx, s, "reading which pairs are reused", func(m Moment) (map[int]bool, error) {
		reused := map[int]bool{}
		return reused, tables.Each(ctx, m.Q, func(rows *sql.Rows) error {
			var pair int
			err := rows.Scan(&pair)
			reused[pair] = true
			return err
		}, "SELECT pair FROM pairs WHERE run_id = ? AND reused IS NOT NULL", runID)
	})
}
