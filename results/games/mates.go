package games

import (
	"context"

	"gogi/match"
	"gogi/results"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// MateScales returns how the players of a run write mates as centipawns. It reads the first games that each player won
// by checkmate.
func MateScales(ctx context.Context, store *results.Store, run int64, players []string) (usi.MateScales, error) {
	scales := usi.MateScales{}
	for _, name := range players {
		search := results.Search{Player: name, Result: "win", Termination: match.Checkmate, Limit: usi.MateGames}
		err := store.Records(ctx, run, search, func(_ match.Row, r kifu.Record) error {
			scales.Won(name, &r)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return scales, nil
}
