package results

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"gogi/kifu"
	"gogi/match"
	"gogi/results/tables"
)

// Filter narrows GamesWhere and Pairs down; the zero value passes every game.
type Filter struct {
	Engine      string            // it plays on either side; "" is any
	Termination match.Termination // NotEnded is any
	FromPair    int               // the first pair
	Pairs       int               // how many pair numbers from there on; 0 is all
}

// CROSS JOIN makes SQLite walk the games in the order of their index, so that the
// first row comes before the last one was read.
const fromGames = ` FROM games g
	CROSS JOIN pairs p ON p.run_id = g.run_id AND p.pair = g.pair
	CROSS JOIN openings o ON o.id = p.opening_id `

// How gamesQuery asks which game ended as the filter says.
const (
	thisLeg = "g.termination = ?"
	anyLeg  = "? IN (SELECT x.termination FROM games x WHERE x.run_id = g.run_id AND x.pair = g.pair)"
)

// Games calls yield for every game of a run, by pair and leg. The games are those
// of one moment: what is stored meanwhile is not among them. An error of yield
// ends the reading and comes back as it is.
func (s *Store) Games(ctx context.Context, runID int64, yield func(match.Row) error) error {
	return s.GamesWhere(ctx, runID, Filter{}, yield)
}

// GamesWhere is Games for the games that pass a filter.
func (s *Store) GamesWhere(ctx context.Context, runID int64, f Filter, yield func(match.Row) error) error {
	return s.scan(ctx, runID, f, thisLeg, func(rows []match.Row) error {
		for i := range rows {
			if err := yield(rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pairs calls yield for every pair of a run, in pair order, with all its games by
// leg. A pair is stored whole or not at all, so rows is never a part of one; with
// a filter a pair passes, whole, when any of its games does. The slice is yield's
// to keep and to change. As with Games, the pairs are those of one moment, and an
// error of yield ends the reading and comes back as it is.
func (s *Store) Pairs(ctx context.Context, runID int64, f Filter, yield func(rows []match.Row) error) error {
	return s.scan(ctx, runID, f, anyLeg, func(rows []match.Row) error {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && rows[n].Pair == rows[0].Pair {
				n++
			}
			if err := yield(rows[:n:n]); err != nil {
				return err
			}
			rows = rows[n:]
		}
		return nil
	})
}

// selectGames reads the rows of a filter by pair and leg.
func selectGames(ctx context.Context, q tables.Querier, runID int64, f Filter, ended string, yield func(match.Row) error) error {
	c, err := castOf(ctx, q, runID)
	if err != nil {
		return err
	}
	reader := newGameReader(c)
	err = tables.Each(ctx, q, func(rows *sql.Rows) error {
		g, err := reader.read(rows)
		if err != nil {
			return err
		}
		return yield(g)
	}, gamesQuery(ended), f.args(runID, c.players, f.all())...)
	return tables.NameRun(ctx, q, runID, err)
}

// gamesQuery asks for the games of a range of pairs, with the condition, in SQL, on
// the termination that a filter asks for.
func gamesQuery(ended string) string {
	return "SELECT " + tables.GameColumns() + fromGames + `
		WHERE g.run_id = ? AND g.pair >= ? AND g.pair < ?
		AND (? = 'not_ended' OR ` + ended + `) AND (? < 0 OR ? IN (g.black, g.white))
		ORDER BY g.pair, g.leg`
}

// pairRange is the pair numbers from the first one to before the end.
type pairRange struct{ first, end int64 }

// all are the pair numbers that the filter passes.
func (f Filter) all() pairRange {
	r := pairRange{int64(f.FromPair), math.MaxInt64}
	if f.Pairs > 0 && r.first < r.end-int64(f.Pairs) {
		r.end = r.first + int64(f.Pairs)
	}
	return r
}

// args are the parameters of gamesQuery.
func (f Filter) args(runID int64, players []Engine, r pairRange) []any {
	engine := int64(-1) // any
	if f.Engine != "" {
		engine = int64(len(players)) // none
		for i := range players {
			if players[i].Name == f.Engine {
				engine = int64(i)
			}
		}
	}
	termination := f.Termination.String()
	return []any{runID, r.first, r.end, termination, termination, engine, engine}
}

// Record is the whole record of one game; ErrNoGame where it is not stored.
func (s *Store) Record(ctx context.Context, runID int64, pair, leg int) (kifu.Record, error) {
	record, err := s.record(ctx, runID, pair, leg)
	if err != nil {
		return record, s.fail("reading a record", err)
	}
	return record, nil
}

func (s *Store) record(ctx context.Context, runID int64, pair, leg int) (record kifu.Record, err error) {
	c, kept, err := s.latest.of(ctx, s.read, runID)
	if err != nil {
		return record, err
	}
	record, err = oneRecord(ctx, s.read, c, runID, pair, leg)
	if err == nil || !kept {
		return record, err
	}
	// Somebody may have come since.
	if c, err = s.latest.anew(ctx, s.read, runID); err != nil {
		return record, err
	}
	return oneRecord(ctx, s.read, c, runID, pair, leg)
}

func oneRecord(ctx context.Context, q tables.Querier, c cast, runID int64, pair, leg int) (record kifu.Record, err error) {
	found := false
	err = records(ctx, q, c, func(_ *tables.Game, r kifu.Record) error {
		found, record = true, r
		return nil
	}, "WHERE g.run_id = ? AND g.pair = ? AND g.leg = ?", runID, pair, leg)
	if err == nil && !found {
		err = fmt.Errorf("pair %d, leg %d: %w", pair, leg, ErrNoGame)
	}
	return record, err
}

// Game is a game with its whole record; ErrNoGame where it is not stored.
func (s *Store) Game(ctx context.Context, runID int64, pair, leg int) (row match.Row, record kifu.Record, err error) {
	err = ErrNoGame
	scan := s.Records(ctx, runID, Search{Pairs: &[2]int{pair, pair}}, func(r match.Row, k kifu.Record) error {
		if r.Leg == leg {
			row, record, err = r, k, nil
		}
		return nil
	})
	if scan == nil && err != nil {
		scan = s.fail("reading a record", fmt.Errorf("pair %d, leg %d: %w", pair, leg, err))
	}
	return row, record, scan
}

// selectRecords is the query of records, without its condition.
func selectRecords() string {
	return "SELECT " + tables.GameColumns() + ", r.game_id, r.start, r.event, r.site, r.plies, r.final, r.checksum" + fromGames +
		"CROSS JOIN records r ON r.game_id = g.id "
}

// records calls yield for each game that the condition, in SQL, selects, with its
// whole record; the tables.Game is yield's until it returns.
func records(ctx context.Context, q tables.Querier, c cast, yield func(*tables.Game, kifu.Record) error, where string, args ...any) error {
	var head kifu.Record
	var blob []byte
	var id int64
	var stored sql.NullInt64
	reader := newGameReader(c, &id, &head.Start, &head.Event, &head.Site, &blob, &head.Final, &stored)
	err := tables.Each(ctx, q, func(rows *sql.Rows) error {
		g, err := reader.read(rows)
		if err != nil {
			return err
		}
		if sum, err := tables.SumOf("records", id, head.Start, head.Event, head.Site, blob, head.Final); err != nil || stored.Valid && stored.Int64 != sum {
			return &tables.Damaged{Table: "records", Pair: g.Pair, Leg: g.Leg}
		}
		r := head
		r.Black, r.White, r.Started = g.Black, g.White, g.Started
		r.Result, r.Winner = g.Termination.String(), g.Outcome.String()
		if r.Moves, err = kifu.Unpack(blob); err != nil {
			return fmt.Errorf("pair %d, leg %d: %w", g.Pair, g.Leg, err)
		}
		return yield(&reader.game, r)
	}, selectRecords()+where, args...)
	return tables.NameRun(ctx, q, reader.game.Run, err)
}
