package results

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"gogi/match"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// Filter selects games by the numbers of their pairs. The zero value selects all games.
type Filter struct {
	FromPair int // the first pair
	Pairs    int // number of pair numbers from FromPair on; 0: all
}

// fromGames has CROSS JOIN, so that SQLite reads the games in the order of their index. So SQLite returns the first row
// before it has read all rows.
const fromGames = ` FROM games g
	CROSS JOIN pairs p ON p.run_id = g.run_id AND p.pair = g.pair
	CROSS JOIN openings o ON o.id = p.opening_id `

// Games calls yield for every game of a run, by pair and leg. It reads a snapshot of the database, without
// games stored during the call. If yield returns an error, Games stops and returns that error unchanged.
func (s *Store) Games(ctx context.Context, runID int64, yield func(match.Row) error) error {
	return s.GamesWhere(ctx, runID, Filter{}, yield)
}

// GamesWhere calls yield, like Games, for the games that pass a filter.
func (s *Store) GamesWhere(ctx context.Context, runID int64, f Filter, yield func(match.Row) error) error {
	return scan(ctx, s, runID, f, func(rows []match.Row) error {
		for i := range rows {
			if err := yield(rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pairs calls yield for every pair of a run, in order, with all its games by leg. rows always has all games
// of the pair, because gogi stores a pair whole or not at all. The slice is valid until yield returns. Like Games,
// Pairs reads a snapshot, and stops if yield returns an error.
func (s *Store) Pairs(ctx context.Context, runID int64, f Filter, yield func(rows []match.Row) error) error {
	return scan(ctx, s, runID, f, func(rows []match.Row) error {
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

// selectGames calls yield for the games that pass a filter, by pair and leg. It uses one connection.
func selectGames(ctx context.Context, q tables.Querier, runID int64, f Filter, yield func(match.Row) error) error {
	c, err := castOf(ctx, q, runID)
	if err == nil {
		err = newGameReader(c).each(ctx, q, runID, f.all(), yield)
	}
	return tables.NameRun(ctx, q, runID, err)
}

// each reads the games of a range of pairs. It returns an error if it does not find a stored game.
func (r *gameReader) each(ctx context.Context, q tables.Querier, runID int64, pairs pairRange,
	yield func(match.Row) error) error {
	inventory, err := tables.ReadInventory(ctx, q, runID, pairs.first, pairs.end)
	if err != nil {
		return err
	}
	expected := inventory.Expect(pairs.first, pairs.end)
	err = tables.Each(ctx, q, func(rows *sql.Rows) error {
		g, err := r.read(rows)
		if err == nil {
			err = expected.Game(g.Pair, g.Leg)
		}
		if err != nil {
			return err
		}
		return yield(g)
	}, gamesQuery, runID, pairs.first, pairs.end)
	if err == nil {
		err = expected.End()
	}
	return err
}

// gamesQuery selects the games of a range of pairs. It has no other condition, because a condition on a
// damaged value would skip a row before its checksum is compared.
var gamesQuery = "SELECT " + tables.GameColumns() + fromGames + inRange

// inRange is the condition of gamesQuery.
const inRange = "WHERE g.run_id = ? AND g.pair >= ? AND g.pair < ? ORDER BY g.pair, g.leg"

// pairRange is the range of pairs with first ≤ number < end.
type pairRange struct{ first, end int64 }

// all returns the range of pair numbers that the filter selects.
func (f Filter) all() pairRange {
	r := pairRange{int64(f.FromPair), math.MaxInt64}
	if f.Pairs > 0 && r.first < r.end-int64(f.Pairs) {
		r.end = r.first + int64(f.Pairs)
	}
	return r
}

// Record returns the whole record of one game, or ErrNoGame if it is not stored.
func (s *Store) Record(ctx context.Context, runID int64, pair, leg int) (kifu.Record, error) {
	record, err := record(ctx, s, runID, pair, leg)
	if err != nil {
		return record, s.fail("reading a record", err)
	}
	return record, nil
}

func record(ctx context.Context, s *Store, runID int64, pair, leg int) (record kifu.Record, err error) {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return record, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	c, kept, err := s.latest.of(ctx, tx, runID)
	if err != nil {
		return record, err
	}
	record, err = oneRecord(ctx, tx, c, runID, pair, leg)
	if err == nil || !kept {
		return record, err
	}
	// A new worker may have been added since.
	if c, err = s.latest.reload(ctx, tx, runID); err != nil {
		return record, err
	}
	return oneRecord(ctx, tx, c, runID, pair, leg)
}

func oneRecord(ctx context.Context, q tables.Querier, c playerTable, runID int64, pair, leg int) (record kifu.Record,
	err error) {
	found := false
	err = selectRecords(ctx, q, c, runID, func(_ *tables.Game, r kifu.Record) error {
		found, record = true, r
		return nil
	}, "WHERE g.run_id = ? AND g.pair = ? AND g.leg = ?", runID, pair, leg)
	if err == nil && !found {
		err = noGame(ctx, q, runID, pair, leg)
	}
	return record, err
}

// noGame returns the error for a game that was not found. Either the game was never stored, or its row was
// lost.
func noGame(ctx context.Context, q tables.Querier, runID int64, pair, leg int) error {
	inventory, err := tables.ReadInventory(ctx, q, runID, int64(pair), int64(pair)+1)
	if err != nil {
		return err
	}
	if inventory.Has(int64(pair)) && leg >= 0 && leg < inventory.Legs() {
		return tables.NameRun(ctx, q, runID, inventory.Expect(int64(pair), int64(pair)+1).End())
	}
	return fmt.Errorf("pair %d, leg %d: %w", pair, leg, ErrNoGame)
}

// Game returns a game with its whole record, or ErrNoGame if it is not stored.
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

func recordsQuery() string {
	return "SELECT " + tables.GameColumns() + ", r.game_id, r.start, r.event, r.site, r.plies, r.final, r.checksum" +
		fromGames +
		"CROSS JOIN records r ON r.game_id = g.id "
}

// records calls yield for each game of a range of pairs, by pair and leg, with its whole record. It returns
// an error if it does not find a stored game. The tables.Game is valid until yield returns.
func records(ctx context.Context, q tables.Querier, c playerTable, runID int64, pairs pairRange,
	yield func(*tables.Game, kifu.Record) error) error {
	inventory, err := tables.ReadInventory(ctx, q, runID, pairs.first, pairs.end)
	if err != nil {
		return err
	}
	expected := inventory.Expect(pairs.first, pairs.end)
	err = selectRecords(ctx, q, c, runID, func(g *tables.Game, r kifu.Record) error {
		if err := expected.Game(g.Pair, g.Leg); err != nil {
			return err
		}
		return yield(g, r)
	}, inRange, runID, pairs.first, pairs.end)
	if err == nil {
		err = tables.NameRun(ctx, q, runID, expected.End())
	}
	return err
}
