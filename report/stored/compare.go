package stored

import (
	"context"
	"fmt"

	"gogi/match"
	"gogi/match/openings"
	"gogi/report"
	"gogi/report/compare"
	"gogi/results"
)

// Compare compares runs in which versions of an engine played against one opponent. names lists the runs, the
// oldest version first. opponent is the opponent's name in the first run; "" means the second player of the
// first run. margin is the field Margin of [compare.Gatherer], in Elo.
func Compare(ctx context.Context, store *results.Store, names []string, opponent string,
	margin float64) (*compare.Report, error) {
	var infos []*results.RunInfo
	var runs []compare.Run
	for _, name := range names {
		info, err := store.FindRun(ctx, name)
		if err != nil {
			return nil, err
		}
		run, err := comparedRun(ctx, store, info)
		if err != nil {
			return nil, err
		}
		infos, runs = append(infos, info), append(runs, run)
	}
	g, err := compare.New(runs, opponent)
	if err != nil {
		return nil, err
	}
	g.Margin = margin
	for i, info := range infos {
		if err := addPairs(ctx, store, info,
			func(o match.Opening, rows []match.Row) error { return g.Add(i, o, rows) }); err != nil {
			return nil, err
		}
	}
	return g.Report(), nil
}

// comparedRun returns the facts of a stored run that a comparison needs.
func comparedRun(ctx context.Context, store *results.Store, info *results.RunInfo) (compare.Run, error) {
	run := compare.Run{Name: info.Name}
	var err error
	if run.Plan, err = info.ParsePlan(); err != nil {
		return run, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	end, err := ReadEnd(ctx, store, info)
	run.Finished, run.Gate = end.Finished, end.Gate
	return run, err
}

// End has the facts about the end of a run that comparisons need.
type End struct {
	Finished bool   // no more pairs will come
	Gate     string // text that describes the run's sequential test; "" without one
}

// EndOf returns the facts about the end of a run from its report.
func EndOf(rep *report.Report) End {
	end := End{Finished: rep.Finished}
	if rep.Gate != nil {
		end.Gate = rep.Gate.Design.String()
	}
	return end
}

// ReadEnd returns the facts about the end of a stored run. It reads the pairs only if they decide when the run ends,
// because that takes most of the time of a report. It returns an error in the cases in which [Gather] does, or if it
// cannot read the pairs.
func ReadEnd(ctx context.Context, store *results.Store, info *results.RunInfo) (End, error) {
	g, err := Gather(ctx, store, info.Name)
	if err != nil {
		return End{}, err
	}
	if g.run.Gate.Design.IsZero() && g.run.Tournament == nil {
		return End{Finished: g.info.Finished >= g.info.Pairs}, nil
	}
	rep, err := g.rest(ctx, store)
	if err != nil {
		return End{}, err
	}
	return EndOf(rep), nil
}

// addPairs calls the function add for each pair of a run, with the pair's opening. It reads one record for each
// opening, because the books of two runs may number their openings differently.
func addPairs(ctx context.Context, store *results.Store, info *results.RunInfo,
	add func(match.Opening, []match.Row) error) error {
	type name struct { // two books of imported runs may use the same ID
		id   string
		hash uint64
	}
	openings := map[name]match.Opening{}
	return store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		r := rows[0]
		key := name{r.OpeningID, r.OpeningHash}
		opening, known := openings[key]
		if !known {
			record, err := store.Record(ctx, info.ID, r.Pair, r.Leg)
			if err != nil {
				return err
			}
			opening = match.PlayedOpening(r, record)
			openings[key] = opening
		}
		return add(opening, rows)
	})
}

// Worth returns statistics that show how useful each opening of the runs is for measuring strength.
func Worth(ctx context.Context, store *results.Store, infos []*results.RunInfo) (*openings.OpeningStats, error) {
	g := openings.NewGatherer()
	for _, info := range infos {
		if err := addPairs(ctx, store, info, func(o match.Opening, rows []match.Row) error {
			g.Add(o, rows)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return g.Stats(), nil
}
