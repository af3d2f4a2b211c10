package games

import (
	"context"

	"gogi/match"
	"gogi/results"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// MateScales returns how the players of a run write mates as centipawns. It reads the first games that each player won by
// checkmate.
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

// rescale turns the scores of a record that are mates on the players' scales into mates.
func rescale(row *match.Row, r *kifu.Record, scales usi.MateScales) error {
	if len(scales) == 0 {
		return nil
	}
	start, err := match.Opening{ID: "of the record", Start: r.Start}.Position()
	if err != nil {
		return err
	}
	mover := start.Side()
	for i := range r.Moves {
		m := &r.Moves[i]
		if scale := scales[[2]string{row.Black, row.White}[mover]]; scale != nil && m.HasScore {
			m.Score = scale.Number(m.Score)
		}
		mover = mover.Opponent()
	}
	return nil
}
