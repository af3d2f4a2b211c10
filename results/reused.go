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

// Register stores a plan in the log of settings, encoded by match.EncodePlan. It is the plan of the match that
// validates the final values of a tune. If such a plan is already registered, Register changes nothing.
func (r *Run) Register(ctx context.Context, plan *match.Plan) error {
	have, err := r.store.Registered(ctx, r.id)
	if err != nil || have != "" {
		return err
	}
	text, err := match.EncodePlan(plan)
	if err == nil {
		now := settingOf(r.plan)
		now.Validation = string(text)
		err = r.set(ctx, now)
	}
	if err != nil {
		return r.store.fail(fmt.Sprintf("run %q: registering its validation", r.plan.Run), err)
	}
	return nil
}

// Registered returns the text that Register stored for a run, or "" without such a text.
func (s *Store) Registered(ctx context.Context, runID int64) (string, error) {
	list, err := s.Settings(ctx, runID)
	if err != nil {
		return "", err
	}
	for _, l := range list {
		if l.Validation != "" {
			return l.Validation, nil
		}
	}
	return "", nil
}
