package stored

import (
	"context"

	"gogi/report"
	"gogi/report/effects"
	"gogi/results"
)

// Effects returns the table that shows in which games the difference between a run's first two players
// arises. rep is the run's report; it shows whether the run is finished, and whether it has a gate (a
// sequential test).
func Effects(ctx context.Context, store *results.Store, info *results.RunInfo, rep *report.Report) (*effects.Table, error) {
	run := effects.Run{Name: info.Name, A: info.Players[0], B: info.Players[1], Finished: rep.Finished}
	if rep.Gate != nil {
		run.Gate = rep.Gate.Design.String()
	}
	g := effects.New(run)
	if err := addPairs(ctx, store, info, g.Add); err != nil {
		return nil, err
	}
	return g.Table()
}
