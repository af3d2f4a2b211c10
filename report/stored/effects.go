package stored

import (
	"context"
	"fmt"
	"strings"

	"gogi/configs"
	"gogi/match"
	"gogi/report"
	"gogi/report/effects"
	"gogi/results"
	"gogi/shogi/kifu"
)

// Effects returns the table of effects for the games of a run's first two players. It reads the records of
// one pair at a time. rep is the run's report; it shows whether the run is finished, and whether it has a
// gate.
func Effects(ctx context.Context, store *results.Store, info *results.RunInfo, rep *report.Report) (*effects.Table, error) {
	run := effects.Run{Name: info.Name, A: info.Players[0], B: info.Players[1], Finished: rep.Finished}
	if rep.Gate != nil {
		run.Gate = rep.Gate.Design.String()
	}
	plan, err := info.ParsePlan()
	if err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	for player := range run.Clocks {
		for colour, name := range []string{"black", "white"} {
			run.Clocks[player][colour] = mainClock(info.Engines[player].Limits, plan.Clocks[name])
		}
	}
	g := effects.New(run)
	err = store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		if !g.Wants(rows) {
			return nil
		}
		var records []kifu.Record
		for _, r := range rows {
			record, err := store.Record(ctx, info.ID, r.Pair, r.Leg)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		return g.Add(rows, records)
	})
	if err != nil {
		return nil, err
	}
	return g.Table()
}

// mainClock returns a player's clock if it has main time, else the zero value. limits and ofColour are texts
// from match.Limits.String. ofColour has the limits for the player's colour, and overrides limits.
func mainClock(limits, ofColour string) match.TimeControl {
	for _, part := range append([]string{ofColour}, strings.Split(limits, ", ")...) {
		if clock, err := configs.ParseTimeControl(part); err == nil {
			return clock
		}
		if part == ofColour && part != "" {
			break
		}
	}
	return match.TimeControl{}
}
