// Package sources makes games to review from game records ([Files]) and stored runs ([Run]). It also adds the
// results of a review to records ([Annotate]).
package sources

import (
	"context"
	"io"
	"strconv"
	"strings"

	"gogi/lab/review"
	"gogi/match"
	"gogi/results"
	"gogi/results/games"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// FromRecord returns the game to review from a record, with the moves up to the first illegal move.
func FromRecord(r *kifu.Record) (*review.Game, error) {
	p, err := shogi.ParseSFEN(strings.TrimPrefix(r.Start, "sfen "))
	if err != nil {
		return nil, err
	}
	g := &review.Game{Event: r.Event, Names: r.Names(), Start: "sfen " + p.SFEN(), Moves: []string{}}
	if start := shogi.StartPos(); start.SFEN() == p.SFEN() {
		g.Start = "startpos"
	}
	for c, rating := range r.Ratings {
		if rating != 0 {
			g.Ranks[c] = strconv.FormatFloat(rating, 'f', -1, 64)
		}
	}
	g.Winner = map[string]string{"black": review.Black, "white": review.White, "draw": review.Draw}[r.Winner]
	var sides strings.Builder
	given := true
	for i := range r.Moves {
		m := &r.Moves[i]
		if p.CheckLegal(m.Move) != nil {
			break
		}
		if given = given && m.Opening; given {
			g.Given++
		}
		sides.WriteString([...]string{review.Black, review.White}[p.Side()])
		g.Moves = append(g.Moves, m.Move.String())
		p.Apply(m.Move)
	}
	g.Sides = sides.String()
	g.Identify()
	return g, nil
}

// Refused is the type of a callback for games that cannot be read. place describes where the game is in the
// files, and why is the reason.
type Refused func(place, why string)

// Files reads games from files, folders and archives. It calls the function see for each game, and the
// function refused for each unreadable game. It reads all formats that package results/games reads. stdin is
// the input for the file name "-".
func Files(ctx context.Context, paths []string, stdin io.Reader, refused Refused,
	see func(*review.Game, *kifu.Record) error) error {
	refuse := func(r games.Refusal) { refused(r.Place(), r.Why) }
	return games.Each(ctx, paths, stdin, refuse, func(r *kifu.Record, at games.Refusal) error {
		if r.Event == "" {
			r.Event = at.Place() // so that two games without an origin are not taken for one game
		}
		g, err := FromRecord(r)
		if err != nil {
			refused(at.Place(), err.Error())
			return nil
		}
		return see(g, r)
	})
}

// Run reads the games of a stored run. It calls the function see for each game that matches search.
func Run(ctx context.Context, store *results.Store, info *results.RunInfo, search results.Search,
	see func(*review.Game, *kifu.Record) error) error {
	completer, err := games.NewCompleter(info)
	if err != nil {
		return err
	}
	return store.Records(ctx, info.ID, search, func(row match.Row, r kifu.Record) error {
		completer.Complete(row, &r)
		g, err := FromRecord(&r)
		if err != nil {
			return err
		}
		return see(g, &r)
	})
}
