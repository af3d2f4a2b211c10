package results

import (
	"context"
	"database/sql"
	"fmt"

	"gogi/match"
	"gogi/results/tables"
)

// Reused returns the set of a run's pairs that an earlier version of gogi copied from stored games of another run.
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
