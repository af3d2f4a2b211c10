package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gogi/match"
	"gogi/report"
	"gogi/results"
)

// readReport reads all pairs of a run once, and shows each to the watchers, too.
func readReport(ctx context.Context, store *results.Store, run string, watch ...func([]match.Row)) (*report.Report, error) {
	info, err := store.FindRun(ctx, run)
	if err != nil {
		return nil, err
	}
	recorded, err := readGate(ctx, store, info.ID, time.Time{})
	if err != nil {
		return nil, err
	}
	g, err := report.New(reportRunOf(info, recorded.design))
	if err != nil {
		return nil, err
	}
	err = store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		for _, see := range watch {
			see(rows)
		}
		return g.Add(rows)
	})
	if err != nil {
		return nil, err
	}
	return g.Report(), nil
}

// reportRunOf is a stored run as a report knows it.
func reportRunOf(info *results.RunInfo, design match.Gate) report.Run {
	run := report.Run{Name: info.Name, Rules: info.Rules, Pairs: info.Pairs, Gate: design}
	for _, e := range info.Engines {
		run.Players = append(run.Players, report.Player{Name: e.Name, Identity: e.Identity.String(), Limits: e.Limits})
	}
	return run
}

// aboutOf is what the forms of a report tell of a stored run beside its games.
func aboutOf(ctx context.Context, store *results.Store, info *results.RunInfo) (report.About, error) {
	a := report.About{Digest: info.Digest, Rules: info.Rules, Created: info.Created}
	if err := json.Unmarshal(info.Plan, &a.Plan); err != nil {
		return a, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	for i := range info.Engines {
		e := &info.Engines[i]
		a.Engines = append(a.Engines, report.Engine{
			Name: e.Name, Identity: e.Identity.String(), Limits: e.Limits, Options: e.Options,
			Profile: e.Profile, Restart: string(e.Restart), Files: e.Identity.Files,
		})
	}
	settings, err := store.Settings(ctx, info.ID)
	if err != nil {
		return a, err
	}
	for _, s := range settings {
		a.Starts = append(a.Starts, report.Start{
			At: s.At, Changes: s.Changes,
			Retargeted: slices.ContainsFunc(s.Changes, func(c string) bool { return strings.HasPrefix(c, "pairs: ") }),
		})
	}
	return a, nil
}

// measureDivergence compares the two games of each pair of A and B.
func measureDivergence(ctx context.Context, store *results.Store, run int64, a, b string) (*report.Divergence, error) {
	d := &report.Divergence{}
	err := store.Pairs(ctx, run, results.Filter{}, func(rows []match.Row) error {
		r := rows[0]
		if len(rows) < 2 || r.PairA != a || r.PairB != b {
			return nil
		}
		one, err := store.Record(ctx, run, r.Pair, 0)
		if err != nil {
			return err
		}
		two, err := store.Record(ctx, run, r.Pair, 1)
		if err != nil {
			return err
		}
		d.Compare(one.USIMoves()[r.OpeningPlies:], two.USIMoves()[r.OpeningPlies:])
		return nil
	})
	return d, err
}
