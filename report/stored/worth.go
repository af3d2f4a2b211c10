package stored

import (
	"context"

	"gogi/match"
	"gogi/match/openings"
	"gogi/results"
)

// Worth returns the statistics of the openings in the games of runs.
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
