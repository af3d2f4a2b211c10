package repair

import (
	"context"
	"errors"

	"gogi/match"
	"gogi/match/tune"
	"gogi/results"
	"gogi/results/tables"
)

// tuneOf returns the tune in the plan of a stored run, or nil if the run is not a tune.
func tuneOf(run *tables.Run) (*tune.Plan, error) {
	plan, err := match.ParseCanonical([]byte(run.Row.Text("plan")))
	if err != nil || len(plan.Tune) == 0 {
		return nil, err
	}
	return tune.ParsePlan(string(plan.Tune))
}

// tune calculates the options and states of a tune from its results, and compares them with the stored ones.
func (c *checker) tune(ctx context.Context, run *tables.Run) error {
	plan, err := tuneOf(run)
	if err != nil || plan == nil {
		return c.reading(run.Name(), "the tune", err)
	}
	states, err := c.moment.TuneStates(ctx, run.ID())
	var w *tune.Walk
	if err == nil {
		w, err = tune.NewWalk(plan.Settings, states, -1)
	}
	if err == nil {
		err = c.walk(ctx, run.ID(), w)
	}
	if err != nil {
		return c.reading(run.Name(), "the tune", err)
	}
	w.End()
	for _, what := range w.Differences {
		c.problem(run.Name(), -1, what)
	}
	return nil
}

func (c *checker) walk(ctx context.Context, run int64, w *tune.Walk) error {
	points := map[int]any{}
	err := tables.EachRow(ctx, c.q, "pairs", func(r *tables.Row) error {
		points[int(r.Int("pair"))] = r.Value("options")
		return nil
	}, "WHERE run_id = ?", run)
	if err != nil {
		return err
	}
	var rows []match.Row
	pair := func() error {
		if len(rows) == 0 {
			return nil
		}
		options, err := tables.Options(points[rows[0].Pair])
		if err == nil {
			w.Pair(rows, options)
		}
		rows = rows[:0]
		return err
	}
	err = c.moment.Games(ctx, run, results.Filter{}, func(r match.Row) error {
		if len(rows) > 0 && rows[0].Pair != r.Pair {
			if err := pair(); err != nil {
				return err
			}
		}
		rows = append(rows, r)
		return nil
	})
	return errors.Join(err, pair())
}
