package results

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"gogi/kifu"
	"gogi/match"
)

// Filter narrows GamesWhere and Pairs down; the zero value passes every game.
type Filter struct {
	Engine      string            // it plays on either side; "" is any
	Termination match.Termination // NotEnded is any
	FromPair    int               // the first pair
	Pairs       int               // how many pair numbers from there on; 0 is all
}

const gameColumns = `g.pair, g.leg, g.black, g.white, p.a, p.b, g.outcome, g.termination, g.note,
	g.black_points, g.white_points, g.plies, o.name, o.plies, o.hash, o.start, g.marked, g.moves_hash, g.last_sfen, g.slot, g.started, g.ended,
	g.black_plies, g.black_nodes, g.black_us, g.black_depth_sum, g.black_depth_plies, g.black_overrun_us, g.black_ponder_hits, g.black_ponder_misses, g.black_incomplete,
	g.white_plies, g.white_nodes, g.white_us, g.white_depth_sum, g.white_depth_plies, g.white_overrun_us, g.white_ponder_hits, g.white_ponder_misses, g.white_incomplete`

// CROSS JOIN makes SQLite walk the games in the order of their index, so that the
// first row comes before the last one was read.
const fromGames = ` FROM games g
	CROSS JOIN pairs p ON p.run_id = g.run_id AND p.pair = g.pair
	CROSS JOIN openings o ON o.id = p.opening_id `

// Games calls yield for every game of a run, by pair and leg. The games are those
// of one moment: what is stored meanwhile is not among them. An error of yield
// ends the reading and comes back as it is.
func (s *Store) Games(ctx context.Context, runID int64, yield func(match.Row) error) error {
	return s.GamesWhere(ctx, runID, Filter{}, yield)
}

// GamesWhere is Games for the games that pass a filter.
func (s *Store) GamesWhere(ctx context.Context, runID int64, f Filter, yield func(match.Row) error) error {
	return s.games(ctx, runID, f, "g.termination = ?", yield)
}

// Pairs calls yield for every pair of a run, in pair order, with all its games by
// leg. A pair is stored whole or not at all, so rows is never a part of one; with
// a filter a pair passes, whole, when any of its games does. The slice is yield's
// to keep and to change. As with Games, the pairs are those of one moment, and an
// error of yield ends the reading and comes back as it is.
func (s *Store) Pairs(ctx context.Context, runID int64, f Filter, yield func(rows []match.Row) error) error {
	var pair []match.Row
	end := func() error {
		if len(pair) == 0 {
			return nil
		}
		whole := pair
		pair = nil
		return yield(whole)
	}
	const anyLeg = "? IN (SELECT x.termination FROM games x WHERE x.run_id = g.run_id AND x.pair = g.pair)"
	err := s.games(ctx, runID, f, anyLeg, func(r match.Row) error {
		if len(pair) > 0 && pair[0].Pair != r.Pair {
			if err := end(); err != nil {
				return err
			}
		}
		pair = append(pair, r)
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// games is GamesWhere with the condition, in SQL, on the termination that the
// filter asks for.
func (s *Store) games(ctx context.Context, runID int64, f Filter, ended string, yield func(match.Row) error) error {
	players, err := engines(ctx, s.read, runID)
	if err != nil {
		return s.fail("reading the engines", err)
	}
	var stopped error // what yield said
	err = each(ctx, s.read, func(rows *sql.Rows) error {
		g, err := scanGame(rows, players)
		if err != nil {
			return err
		}
		stopped = yield(g)
		return stopped
	}, "SELECT "+gameColumns+fromGames+`
		WHERE g.run_id = ? AND g.pair >= ? AND g.pair - ? < ?
		AND (? = 'not_ended' OR `+ended+`) AND (? < 0 OR ? IN (g.black, g.white))
		ORDER BY g.pair, g.leg`, f.args(runID, players)...)
	if stopped != nil {
		return stopped
	}
	if err != nil {
		return s.fail("reading the games", err)
	}
	return nil
}

// args are the parameters of the query in games.
func (f Filter) args(runID int64, players []Engine) []any {
	engine := -1 // any
	if f.Engine != "" {
		engine = len(players) // none
		for i := range players {
			if players[i].Name == f.Engine {
				engine = i
			}
		}
	}
	pairs := int64(math.MaxInt64)
	if f.Pairs > 0 {
		pairs = int64(f.Pairs)
	}
	termination := f.Termination.String()
	return []any{runID, f.FromPair, f.FromPair, pairs, termination, termination, engine, engine}
}

// scanGame reads a row of gameColumns, and what else the query asks for.
func scanGame(rows *sql.Rows, players []Engine, more ...any) (g match.Row, err error) {
	var seats [4]int // black, white, A, B
	var outcome, termination string
	var hash, opening, started, ended int64
	targets := []any{
		&g.Pair, &g.Leg, &seats[0], &seats[1], &seats[2], &seats[3], &outcome, &termination, &g.Note,
		&g.Points[0], &g.Points[1], &g.Plies, &g.OpeningID, &g.OpeningPlies, &opening, &g.Start, &g.Marked, &hash, &g.LastSFEN, &g.Slot, &started, &ended,
	}
	var nodes, spent, overrun [2]int64
	for i := range g.Sides {
		s := &g.Sides[i]
		targets = append(targets, &s.Plies, &nodes[i], &spent[i], &s.DepthSum, &s.DepthPlies, &overrun[i], &s.PonderHits, &s.PonderMisses, &s.Incomplete)
	}
	if err := rows.Scan(append(targets, more...)...); err != nil {
		return g, err
	}
	for i := range g.Sides {
		s := &g.Sides[i]
		s.Nodes, s.Time, s.WorstOverrun = uint64(nodes[i]), time.Duration(spent[i])*time.Microsecond, time.Duration(overrun[i])*time.Microsecond
	}
	for i, name := range []*string{&g.Black, &g.White, &g.PairA, &g.PairB} {
		if seats[i] < 0 || seats[i] >= len(players) {
			return g, fmt.Errorf("pair %d has player number %d of %d", g.Pair, seats[i], len(players))
		}
		*name = players[seats[i]].Name
	}
	g.MovesHash, g.OpeningHash, g.Started, g.Ended = uint64(hash), uint64(opening), fromMicros(started), fromMicros(ended)
	g.Outcome, err = parseOutcome(outcome)
	if err != nil {
		return g, err
	}
	g.Termination, err = match.ParseTermination(termination)
	return g, err
}

// Record is the whole record of one game; ErrNoGame where it is not stored.
func (s *Store) Record(ctx context.Context, runID int64, pair, leg int) (kifu.Record, error) {
	record, err := s.record(ctx, runID, pair, leg)
	if err != nil {
		return record, s.fail(fmt.Sprintf("reading the record of pair %d, leg %d", pair, leg), err)
	}
	return record, nil
}

func (s *Store) record(ctx context.Context, runID int64, pair, leg int) (record kifu.Record, err error) {
	players, err := engines(ctx, s.read, runID)
	if err != nil {
		return record, err
	}
	found := false
	err = each(ctx, s.read, func(rows *sql.Rows) error {
		found = true
		_, record, err = scanRecord(rows, players)
		return err
	}, selectRecords+"WHERE g.run_id = ? AND g.pair = ? AND g.leg = ?", runID, pair, leg)
	if err == nil && !found {
		err = ErrNoGame
	}
	return record, err
}

const selectRecords = "SELECT " + gameColumns + ", r.start, r.event, r.site, r.plies, r.final" + fromGames +
	"CROSS JOIN records r ON r.game_id = g.id "

// scanRecord reads a row of selectRecords.
func scanRecord(rows *sql.Rows, players []Engine) (g match.Row, r kifu.Record, err error) {
	var blob []byte
	if g, err = scanGame(rows, players, &r.Start, &r.Event, &r.Site, &blob, &r.Final); err != nil {
		return g, r, err
	}
	r.Black, r.White, r.Started = g.Black, g.White, g.Started
	r.Result, r.Winner = g.Termination.String(), g.Outcome.String()
	r.Moves, err = unpack(blob)
	return g, r, err
}
