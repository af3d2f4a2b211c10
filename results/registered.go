package results

import (
	"context"
	"fmt"

	"gogi/match"
)

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
