package main

import (
	"context"
	"errors"
	"fmt"

	"gogi/compare"
	"gogi/internal/format"
	"gogi/match"
	"gogi/results"
)

// compareCommand holds runs against one opponent against each other.
type compareCommand struct {
	Runs     []string `arg:"" name:"run" help:"Two runs or more of versions against one opponent, the oldest version first."`
	DB       string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	Opponent string   `placeholder:"NAME" help:"Who the versions played against, by its name in the first run (default: that run's second player)."`
	JSON     bool     `name:"json" help:"One JSON object."`
}

// Run prints the difference of two runs, or the trend of more.
func (c *compareCommand) Run(ctx context.Context, env *environment) error {
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	rep, err := c.compare(ctx, store)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.out, rep)
	}
	rep.Print(env.out)
	return nil
}

func (c *compareCommand) compare(ctx context.Context, store *results.Store) (*compare.Report, error) {
	var infos []*results.RunInfo
	var runs []compare.Run
	for _, name := range c.Runs {
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
	g, err := compare.New(runs, c.Opponent)
	if err != nil {
		return nil, err
	}
	for i, info := range infos {
		if err := addPairs(ctx, store, info, func(o match.Opening, rows []match.Row) error { return g.Add(i, o, rows) }); err != nil {
			return nil, err
		}
	}
	return g.Report(), nil
}

// comparedRun is a stored run as a comparison knows it.
func comparedRun(ctx context.Context, store *results.Store, info *results.RunInfo) (compare.Run, error) {
	run := compare.Run{Name: info.Name}
	var err error
	if run.Plan, err = match.ParseCanonical(info.Plan); err != nil {
		return run, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	rep, err := readReport(ctx, store, info.Name)
	if err != nil {
		return run, err
	}
	run.Finished = rep.Finished
	if rep.Gate != nil {
		run.Gate = rep.Gate.Design.String()
	}
	return run, nil
}

// addPairs gives each pair of a run its opening, for which one record of each opening
// is read: books of two runs may count their lines differently.
func addPairs(ctx context.Context, store *results.Store, info *results.RunInfo, add func(match.Opening, []match.Row) error) error {
	openings := map[string]match.Opening{}
	return store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		r := rows[0]
		opening, known := openings[r.OpeningID]
		if !known {
			record, err := store.Record(ctx, info.ID, r.Pair, r.Leg)
			if err != nil {
				return err
			}
			opening = match.PlayedOpening(r, record)
			openings[r.OpeningID] = opening
		}
		return add(opening, rows)
	})
}
