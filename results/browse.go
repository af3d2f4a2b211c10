package results

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gogi/kifu"
	"gogi/match"
	"gogi/results/tables"
	"gogi/shogi"
)

// GamePlace is where a game stands in its run: lists are in this order.
type GamePlace struct{ Pair, Leg int }

// Search is which games of a run a page of a list is to have; the zero value passes
// every game.
type Search struct {
	Player      string            // plays on either side, or on the one that Colour says; "": anybody
	Colour      *shogi.Colour     // which side Player has; nil: either
	Result      string            // "black", "white" or "draw", or of Player "win" or "loss"; "": any
	Termination match.Termination // NotEnded: any
	Opening     string            // its ID; "": any
	Marked      bool              // only games with a move that the machine slowed
	Faults      bool              // only games that ended by an engine's fault
	MinPlies    int               // the opening's included
	MaxPlies    int               // 0: any
	Pairs       *[2]int           // the first and the last pair; nil: all
	After       *GamePlace        // only what follows this game
	Before      *GamePlace        // only what precedes this game: the nearest ones
	Limit       int               // at most so many games; 0: all
}

// Check says what of a search is no word that it knows.
func (s Search) Check() error {
	words := []string{"", "black", "white", "draw", "win", "loss"}
	if s.Player == "" && (s.Result == "win" || s.Result == "loss") {
		return fmt.Errorf("result %q is that of a player: expected player, too", s.Result)
	}
	if slices.Contains(words, s.Result) {
		return nil
	}
	return fmt.Errorf("result %q: expected one of %s", s.Result, strings.Join(words[1:], ", "))
}

// Search lists the games of a run that a search passes, by pair and leg.
func (s *Store) Search(ctx context.Context, runID int64, what Search) ([]match.Row, error) {
	games, err := s.search(ctx, runID, what)
	if err != nil {
		return nil, s.fail("searching games", err)
	}
	return games, nil
}

func (s *Store) search(ctx context.Context, runID int64, what Search) ([]match.Row, error) {
	if err := what.Check(); err != nil {
		return nil, err
	}
	c, err := castOf(ctx, s.read, runID)
	if err != nil {
		return nil, err
	}
	where, args := what.where(runID, c.players)
	order := " ORDER BY g.pair, g.leg"
	if what.Before != nil {
		order = " ORDER BY g.pair DESC, g.leg DESC"
	}
	limit := int64(math.MaxInt64)
	if what.Limit > 0 {
		limit = int64(what.Limit)
	}
	var games []match.Row
	reader := newGameReader(c)
	err = tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		g, err := reader.read(rows)
		games = append(games, g)
		return err
	}, "SELECT "+tables.GameColumns()+fromGames+"WHERE "+where+order+" LIMIT ?", append(args, limit)...)
	if what.Before != nil {
		slices.Reverse(games)
	}
	return games, err
}

// Records calls yield for every game of a run that a search passes, by pair and leg, with
// its whole record. It holds one game at a time. The games are those of one moment: what
// is stored meanwhile is not among them. An error of yield ends the reading and comes back
// as it is.
func (s *Store) Records(ctx context.Context, runID int64, what Search, yield func(match.Row, kifu.Record) error) error {
	var stopped error // what yield said
	err := s.searchRecords(ctx, runID, what, func(g *tables.Game, r kifu.Record) error {
		stopped = yield(g.Row, r)
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	if err != nil {
		return s.fail("reading the records", err)
	}
	return nil
}

func (s *Store) searchRecords(ctx context.Context, runID int64, what Search, yield func(*tables.Game, kifu.Record) error) error {
	if err := what.Check(); err != nil {
		return err
	}
	c, err := castOf(ctx, s.read, runID)
	if err != nil {
		return err
	}
	where, args := what.where(runID, c.players)
	limit := int64(math.MaxInt64)
	if what.Limit > 0 {
		limit = int64(what.Limit)
	}
	return records(ctx, s.read, c, yield, "WHERE "+where+" ORDER BY g.pair, g.leg LIMIT ?", append(args, limit)...)
}

// CountGames is how many games of a run a search passes, whatever its limit and place.
func (s *Store) CountGames(ctx context.Context, runID int64, what Search) (int, error) {
	what.After, what.Before = nil, nil
	n := 0
	err := what.Check()
	if err == nil {
		var players []Engine
		if players, err = engines(ctx, s.read, runID); err == nil {
			where, args := what.where(runID, players)
			err = s.read.QueryRowContext(ctx, "SELECT count(*)"+fromGames+"WHERE "+where, args...).Scan(&n)
		}
	}
	if err != nil {
		return 0, s.fail("counting games", err)
	}
	return n, nil
}

// where is the condition in SQL. Of what comes from outside only parameters get into it.
func (s Search) where(runID int64, players []Engine) (string, []any) {
	c := conditions{parts: []string{"g.run_id = ?"}, args: []any{runID}}
	if s.Player != "" {
		c.player(s, numberOf(players, s.Player))
	}
	if s.Result == "black" || s.Result == "white" || s.Result == "draw" {
		c.add("g.outcome = ?", s.Result)
	}
	if s.Termination != match.NotEnded {
		c.add("g.termination = ?", string(s.Termination))
	}
	if s.Opening != "" {
		c.add("o.name = ?", s.Opening)
	}
	if s.Faults {
		c.faults()
	}
	if s.Marked {
		c.add("g.marked <> 0")
	}
	if s.MinPlies > 0 {
		c.add("g.plies >= ?", s.MinPlies)
	}
	if s.MaxPlies > 0 {
		c.add("g.plies <= ?", s.MaxPlies)
	}
	if s.Pairs != nil {
		c.add("g.pair BETWEEN ? AND ?", s.Pairs[0], s.Pairs[1])
	}
	if s.After != nil {
		c.add("(g.pair, g.leg) > (?, ?)", s.After.Pair, s.After.Leg)
	}
	if s.Before != nil {
		c.add("(g.pair, g.leg) < (?, ?)", s.Before.Pair, s.Before.Leg)
	}
	return strings.Join(c.parts, " AND "), c.args
}

// numberOf is a player's number in the run, -1 where it has none.
func numberOf(players []Engine, name string) int {
	for i := range players {
		if players[i].Name == name {
			return i
		}
	}
	return -1
}

// conditions are joined by AND.
type conditions struct {
	parts []string
	args  []any
}

func (c *conditions) add(part string, args ...any) {
	c.parts, c.args = append(c.parts, part), append(c.args, args...)
}

// player is which side a player has, and what it made of the game.
func (c *conditions) player(s Search, number int) {
	switch {
	case s.Colour == nil:
		c.add("? IN (g.black, g.white)", number)
	case *s.Colour == shogi.Black:
		c.add("g.black = ?", number)
	default:
		c.add("g.white = ?", number)
	}
	winner := "CASE g.outcome WHEN 'black' THEN g.black WHEN 'white' THEN g.white END"
	switch s.Result {
	case "win":
		c.add(winner+" = ?", number)
	case "loss":
		c.add("g.outcome <> 'draw' AND "+winner+" <> ?", number)
	}
}

// faults are the terminations that are an engine's own.
func (c *conditions) faults() {
	var marks []string
	var words []any
	for _, t := range match.Terminations() {
		if t.IsFault() {
			marks, words = append(marks, "?"), append(words, string(t))
		}
	}
	c.add("g.termination IN ("+strings.Join(marks, ", ")+")", words...)
}

// Stamp tells one state of a run's games and settings from another: what is computed
// from them is the same as long as it is. Stamps are compared, nothing else.
type Stamp struct{ run, pairs, lastGame, lastSetting, voided int64 }

// Stamp is that of a run as it is stored now.
func (s *Store) Stamp(ctx context.Context, runID int64) (Stamp, error) {
	t := Stamp{run: runID}
	err := s.read.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM pairs WHERE run_id = ?1),
		(SELECT coalesce(max(id), 0) FROM games WHERE run_id = ?1),
		(SELECT coalesce(max(id), 0) FROM settings_log WHERE run_id = ?1),
		(SELECT count(*) FROM voided WHERE run_id = ?1)`, runID).Scan(&t.pairs, &t.lastGame, &t.lastSetting, &t.voided)
	if err != nil {
		return t, s.fail("reading the state of a run", err)
	}
	return t, nil
}

// OpeningTally is how the games from one opening ended.
type OpeningTally struct {
	ID                         string
	Start                      string // "startpos" or a SFEN
	Plies                      int
	Games, Black, White, Draws int
	MeanPlies                  float64
}

// OpeningTallies are the openings of a run by their first pair, with how their games ended.
func (s *Store) OpeningTallies(ctx context.Context, runID int64) ([]OpeningTally, error) {
	var list []OpeningTally
	err := tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		var o OpeningTally
		err := rows.Scan(&o.ID, &o.Start, &o.Plies, &o.Games, &o.Black, &o.White, &o.Draws, &o.MeanPlies)
		list = append(list, o)
		return err
	}, `SELECT o.name, o.start, o.plies, count(*), sum(g.outcome = 'black'), sum(g.outcome = 'white'), sum(g.outcome = 'draw'), avg(g.plies)`+
		fromGames+`WHERE g.run_id = ? GROUP BY o.id ORDER BY min(g.pair)`, runID)
	if err != nil {
		return nil, s.fail("reading the openings", err)
	}
	return list, nil
}

// SlotTally is what a player did in one slot.
type SlotTally struct {
	Slot    int
	Player  string
	Games   int
	Plies   int // its own
	Nodes   float64
	Time    time.Duration
	Overrun time.Duration // the furthest that a move was over its limit
	Marked  int           // games with a move that the machine slowed
}

// SlotTallies are what the players of a run did in each slot, by slot and player.
func (s *Store) SlotTallies(ctx context.Context, runID int64) ([]SlotTally, error) {
	players, err := engines(ctx, s.read, runID)
	if err != nil {
		return nil, s.fail("reading the slots", err)
	}
	side := func(colour string) string {
		return strings.ReplaceAll("SELECT slot, COLOUR AS player, COLOUR_plies AS plies, COLOUR_nodes AS nodes, COLOUR_us AS us, COLOUR_overrun_us AS overrun, marked FROM games WHERE run_id = ?1", "COLOUR", colour)
	}
	var list []SlotTally
	err = tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		var t SlotTally
		var player int
		err := rows.Scan(&t.Slot, &player, &t.Games, &t.Plies, &t.Nodes, tables.Span{To: &t.Time}, tables.Span{To: &t.Overrun}, &t.Marked)
		if err == nil && (player < 0 || player >= len(players)) {
			err = fmt.Errorf("player number %d of %d", player, len(players))
		}
		if err == nil {
			t.Player = players[player].Name
		}
		list = append(list, t)
		return err
	}, "SELECT slot, player, count(*), sum(plies), total(nodes), sum(us), max(overrun), sum(marked <> 0) FROM ("+side("black")+" UNION ALL "+side("white")+") GROUP BY slot, player ORDER BY slot, player", runID)
	if err != nil {
		return nil, s.fail("reading the slots", err)
	}
	return list, nil
}
