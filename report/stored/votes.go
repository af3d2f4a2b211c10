package stored

import (
	"context"
	"fmt"

	"gogi/ensemble/votes"
	"gogi/match"
	"gogi/results"
)

// Votes adds up how the councils of a run voted, in all its games. Every record is opened.
func Votes(ctx context.Context, store *results.Store, info *results.RunInfo) (*votes.Report, error) {
	r := &votes.Report{Head: votes.Head{Version: 1, Run: info.Name}}
	err := store.Games(ctx, info.ID, func(g match.Row) error {
		record, err := store.Record(ctx, info.ID, g.Pair, g.Leg)
		if err != nil {
			return err
		}
		voted, err := votes.OfGame(fmt.Sprintf("%d.%d", g.Pair, g.Leg), g.Plies-g.OpeningPlies, &record, "")
		if err == nil && len(voted.Votes) > 0 {
			r.Add(voted)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Finish()
	return r, nil
}
