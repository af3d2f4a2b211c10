package stored

import (
	"context"
	"slices"

	"gogi/match"
	"gogi/report"
	"gogi/results"
	"gogi/shogi/kifu"
)

// countBooks adds each player's number of book moves to a report. Rows do not have it, so countBooks opens
// the games of a run if a player has a book.
func countBooks(ctx context.Context, store *results.Store, info *results.RunInfo, rep *report.Report) error {
	moves := map[string]*int{}
	for i := range info.Engines {
		if playsFromBook(info.Engines[i].Identity) {
			moves[info.Engines[i].Name] = new(int)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	err := store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		for i := range rows {
			r := &rows[i]
			black, white := moves[r.Black], moves[r.White]
			if black == nil && white == nil {
				continue
			}
			record, err := store.Record(ctx, info.ID, r.Pair, r.Leg)
			if err != nil {
				return err
			}
			if err := countBookMoves(&record, [2]*int{black, white}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range rep.Players {
		rep.Players[i].BookMoves = moves[rep.Players[i].Name]
	}
	return nil
}

// playsFromBook reports whether a player was given a book that gogi reads.
func playsFromBook(id match.Identity) bool {
	return slices.ContainsFunc(id.Files, func(f match.FileHash) bool { return f.Role == match.BookRole })
}

// countBookMoves adds the moves of a game that its players, by colour, have from their books; nil: a player
// without one.
func countBookMoves(record *kifu.Record, moves [2]*int) error {
	start, err := match.Opening{ID: "of the record", Start: record.Start}.Position()
	if err != nil {
		return err
	}
	mover := start.Side()
	for i := range record.Moves {
		if n := moves[mover]; n != nil && record.Moves[i].FromBook() {
			*n++
		}
		mover = mover.Opponent()
	}
	return nil
}
