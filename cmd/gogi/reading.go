package main

import (
	"context"
	"fmt"

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
	recorded, err := readGate(ctx, store, info.ID, 0)
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
	var err error
	if a.Plan, err = match.ParseCanonical(info.Plan); err != nil {
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
		a.Starts = append(a.Starts, report.Start{At: s.At, Changes: s.Changes})
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

// recordedGate is the design that was written into a run before its first game.
type recordedGate struct {
	design  match.Gate
	pairs   int
	changes []string // of the design or the target after the first game
}

// readGate reads the design from the run's log of settings. first is the setting
// at which the first pair was stored (Store.FirstStored); 0 where there is none.
func readGate(ctx context.Context, store *results.Store, run, first int64) (*recordedGate, error) {
	settings, err := store.Settings(ctx, run)
	if err != nil {
		return nil, err
	}
	var g recordedGate
	for _, now := range settings {
		if first != 0 && now.ID > first {
			g.note(now.Gate, now.Pairs)
			continue
		}
		g.design, g.pairs = now.Gate, now.Pairs
	}
	return &g, nil
}

// note writes down what differs from the design, once each.
func (g *recordedGate) note(design match.Gate, pairs int) {
	if design != g.design {
		g.changes = append(g.changes, fmt.Sprintf("the test was changed from %s to %s after the first game", g.design, design))
	}
	if pairs != g.pairs {
		g.changes = append(g.changes, fmt.Sprintf("the maximum was changed from %d to %d pairs after the first game", g.pairs, pairs))
	}
}
