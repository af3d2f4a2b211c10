package results

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"gogi/match"
	"gogi/match/tune"
	"gogi/results/tables"
)

const (
	insertState    = "INSERT INTO tune_states (run_id, blocks, pairs, centre, factor, checksum) VALUES (?, ?, ?, ?, ?, ?)"
	insertProposed = "INSERT INTO tune_candidates (run_id, number, blocks, point, run, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)"
)

// AddStates stores a pair of a tune like Add. In the same transaction it stores the states that follow from
// the pair, so that a stored state always has its results.
func (r *Run) AddStates(ctx context.Context, pair match.PairResult, states []match.TuneState) (added bool, err error) {
	return r.add(ctx, pair, 0, states)
}

// stateRows converts states of a tune to rows of the table tune_states, without their checksums.
func stateRows(run int64, states []match.TuneState) (rows [][]any, err error) {
	for _, s := range states {
		centre, err := json.Marshal(s.Centre)
		if err != nil {
			return nil, fmt.Errorf("the state after %d blocks: %w", s.Blocks, err)
		}
		rows = append(rows, []any{run, s.Blocks, s.Pairs, string(centre), s.Factor})
	}
	return rows, nil
}

// States returns the stored states of the tune, sorted by the number of blocks.
func (r *Run) States(ctx context.Context) ([]match.TuneState, error) {
	return TuneStates(ctx, r.store, r.id)
}

// Points calls see for each stored pair of the run, in order, with the options that the tune set for the
// pair.
func (r *Run) Points(ctx context.Context, see func(pair int, options [2][]match.Option) error) error {
	return TunePoints(ctx, r.store, r.id, see)
}

// TuneStates returns the stored states of a tune, sorted by the number of blocks.
func TuneStates(ctx context.Context, s *Store, runID int64) ([]match.TuneState, error) {
	return moment(ctx, s, "reading the states of a tune", func(m Moment) ([]match.TuneState, error) {
		return m.TuneStates(ctx, runID)
	})
}

func tuneStates(ctx context.Context, q tables.Querier, runID int64) ([]match.TuneState, error) {
	return ownRows(ctx, q, runID, "tune_states", func(r *tables.Row) (match.TuneState, error) {
		st := match.TuneState{Blocks: int(r.Int("blocks")), Pairs: int(r.Int("pairs"))}
		st.Factor, _ = r.Value("factor").(float64)
		if err := json.Unmarshal([]byte(r.Text("centre")), &st.Centre); err != nil {
			return st, fmt.Errorf("the state after %d blocks: %w", st.Blocks, err)
		}
		return st, nil
	}, " ORDER BY blocks")
}

// TunePoints calls see for each stored pair of a run, in order. options are the options that the tune set for each
// of the two players, in addition to the plan's options.
func TunePoints(ctx context.Context, s *Store, runID int64, see func(pair int, options [2][]match.Option) error) error {
	return s.Moment(ctx, "reading the points of a tune", func(m Moment) error {
		return m.PairRows(ctx, runID, 0, math.MaxInt, func(r *tables.Row) error {
			options, err := tables.Options(r.Value("options"))
			if err != nil {
				return fmt.Errorf("pair %d: %w", r.Int("pair"), err)
			}
			return see(int(r.Int("pair")), options)
		})
	})
}

// Propose stores the final values of a tune as a candidate with the next number, and returns the stored
// candidate. The run that validates the candidate has no games yet.
func (r *Run) Propose(ctx context.Context, c match.TuneCandidate) (match.TuneCandidate, error) {
	if err := r.open(); err != nil {
		return c, err
	}
	have, err := TuneCandidates(ctx, r.store, r.id)
	if err != nil {
		return c, err
	}
	c.Number, c.At = len(have)+1, tables.FromMicros(tables.Now())
	text, err := json.Marshal(tables.Flat(c.Point))
	if err == nil {
		values := []any{r.id, c.Number, c.Blocks, string(text), c.Run, tables.Micros(c.At)}
		var sum int64
		if sum, err = tables.SumOf("tune_candidates", values...); err == nil {
			_, err = r.store.write.ExecContext(ctx, insertProposed, append(values, sum)...)
		}
	}
	if err != nil {
		return c, r.store.fail(fmt.Sprintf("run %q: writing down candidate %d", r.plan.Run, c.Number), err)
	}
	return c, nil
}

// TuneCandidates returns the candidates of a tune, by number.
func TuneCandidates(ctx context.Context, s *Store, runID int64) ([]match.TuneCandidate, error) {
	return moment(ctx, s, "reading the candidates of a tune", func(m Moment) ([]match.TuneCandidate, error) {
		return tuneCandidates(ctx, m.Q, runID)
	})
}

func tuneCandidates(ctx context.Context, q tables.Querier, runID int64) ([]match.TuneCandidate, error) {
	return ownRows(ctx, q, runID, "tune_candidates", func(r *tables.Row) (c match.TuneCandidate, err error) {
		c = match.TuneCandidate{Number: int(r.Int("number")), Blocks: int(r.Int("blocks")),
			At: tables.FromMicros(r.Int("at")), Run: r.Text("run")}
		var words []string
		if err = json.Unmarshal([]byte(r.Text("point")), &words); err == nil {
			c.Point, err = tables.Paired(words)
		}
		return c, err
	}, " ORDER BY number")
}

// drawnFrom returns the number of the first pair whose options may depend on the result of the given pair. ok is false
// if the run is not a tune.
func drawnFrom(ctx context.Context, q tables.Querier, run int64, pair int) (first int, ok bool, err error) {
	var text string
	if err := q.QueryRowContext(ctx, "SELECT plan FROM runs WHERE id = ?", run).Scan(&text); err != nil {
		return 0, false, err
	}
	plan, err := match.ParseCanonical([]byte(text))
	if err != nil || len(plan.Tune) == 0 {
		return 0, false, err
	}
	t, err := tune.ParsePlan(string(plan.Tune))
	if err != nil {
		return 0, false, err
	}
	return t.Settings.FirstAfter(pair), true, nil
}
