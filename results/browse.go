package results

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gogi/match"
	"gogi/results/tables"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// GamePlace is the place of a game in its run. Lists of games are sorted by GamePlace.
type GamePlace struct{ Pair, Leg int }

// Search selects the games of a run for one page of a list. The zero value selects all games.
type Search struct {
	Player      string            // a player of the game; "": any player
	Colour      *shogi.Colour     // colour of Player; nil: either colour
	Result      string            // "black", "white" or "draw", or the result of Player: "win" or "loss"; "": any
	Termination match.Termination // NotEnded: any
	Opening     string            // ID of the opening; "": any
	Marked      bool              // only games in which the machine delayed a move
	Faults      bool              // only games that ended because of an engine's fault
	MinPlies    int               // number of plies, including the opening
	MaxPlies    int               // 0: any
	Pairs       *[2]int           // the first and the last pair; nil: all
	After       *GamePlace        // only games after this one
	Before      *GamePlace        // only games before this one; with Limit, the last of them
	Limit       int               // largest number of games; 0: no limit
}

// Check returns an error if the field Result has an unknown word, or has a word that needs the field Player.
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

// turns divides a range of pairs into parts, in the order in which the search reads them. With Search.Before it
// returns parts of at most scanPairs pairs, the last part first. Otherwise the whole range is one part.
func (s Search) turns(r pairRange) iter.Seq[pairRange] {
	return func(yield func(pairRange) bool) {
		for s.Before != nil && r.end > r.first {
			block := pairRange{max(r.first, (r.end-1)/scanPairs*scanPairs), r.end}
			if !yield(block) {
				return
			}
			r.end = block.first
		}
		if r.end > r.first {
			yield(r)
		}
	}
}

// Search returns the games of a run that the search selects, sorted by pair and leg.
func (s *Store) Search(ctx context.Context, runID int64, search Search) ([]match.Row, error) {
	if err := search.Check(); err != nil {
		return nil, s.fail("searching games", err)
	}
	return searchGames(ctx, s, runID, search)
}

func searchGames(ctx context.Context, s *Store, runID int64, search Search) (games []match.Row, err error) {
	last := search.pairs()
	if search.Before != nil {
		err := s.Moment(ctx, "searching games", func(m Moment) error {
			inventory, err := tables.WholeInventory(ctx, m.Q, runID)
			last.end = min(last.end, inventory.After())
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for pairs := range search.turns(last) {
		var found []match.Row
		err := scan(ctx, s, runID, pairs.filter(), func(rows []match.Row) error {
			found = append(found, search.passed(rows)...)
			if search.Before == nil && search.enough(len(games)+len(found)) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		games = append(games, found...)
		if search.Before != nil {
			games = append(found, games[:len(games)-len(found)]...)
		}
		if search.enough(len(games)) {
			break
		}
	}
	if search.enough(len(games)) {
		if search.Before != nil {
			return games[len(games)-search.Limit:], nil
		}
		return games[:search.Limit], nil
	}
	return games, nil
}

// errEnough ends a scan when it has found enough games.
var errEnough = errors.New("enough games were found")

// enough reports whether n games are as many as the search may return.
func (s Search) enough(n int) bool { return s.Limit > 0 && n >= s.Limit }

// Records calls yield for each game of a run that the search selects, sorted by pair and leg, with its whole
// record. It holds one game in memory at a time; with a limit it also holds the pair and leg of each game. It
// reads a snapshot of the database, without games stored during the call. If yield returns an error, Records stops
// and returns that error unchanged.
func (s *Store) Records(ctx context.Context, runID int64, search Search,
	yield func(match.Row, kifu.Record) error) error {
	var stopped error // the error that yield returned
	n := 0
	err := searchRecords(ctx, s, runID, search, func(row match.Row, r kifu.Record) error {
		if stopped = yield(row, r); stopped != nil {
			return stopped
		}
		if n++; search.enough(n) {
			return errEnough
		}
		return nil
	})
	switch {
	case stopped != nil:
		return stopped
	case err != nil && !errors.Is(err, errEnough):
		return s.fail("reading the records", err)
	}
	return nil
}

func searchRecords(ctx context.Context, s *Store, runID int64, search Search,
	yield func(match.Row, kifu.Record) error) (err error) {
	if err := search.Check(); err != nil {
		return err
	}
	view, err := newSnapshot(ctx, s, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, view.end()) }()
	c, err := castOf(ctx, view.conns[0], runID)
	if err != nil {
		return err
	}
	ranges := []pairRange{search.pairs()}
	if search.narrows() {
		if ranges, err = view.passing(ctx, runID, search); err != nil {
			return err
		}
	}
	for _, pairs := range ranges {
		err := records(ctx, view.conns[0], c, runID, pairs, func(g *tables.Game, r kifu.Record) error {
			if !search.passes(&g.Row) {
				return nil
			}
			return yield(g.Row, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// passing returns ranges of pairs that contain the games of the search, up to its limit. It reads the games without
// their moves, because moves take most of the time.
func (view *snapshot) passing(ctx context.Context, runID int64, search Search) (ranges []pairRange, err error) {
	n := 0
	err = view.scan(ctx, runID, search.pairs().filter(), func(rows []match.Row) error {
		for _, g := range search.passed(rows) {
			pair := int64(g.Pair)
			if last := len(ranges) - 1; last >= 0 && ranges[last].end >= pair {
				ranges[last].end = pair + 1
			} else {
				ranges = append(ranges, pairRange{pair, pair + 1})
			}
			if n++; search.enough(n) {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return ranges, err
}

// CountGames returns the number of games of a run that the search selects. It ignores the limit and the places
// After and Before.
func (s *Store) CountGames(ctx context.Context, runID int64, search Search) (int, error) {
	search.After, search.Before = nil, nil
	if err := search.Check(); err != nil {
		return 0, s.fail("counting games", err)
	}
	n := 0
	if search.narrows() || search.Pairs != nil {
		err := scan(ctx, s, runID, search.pairs().filter(), func(rows []match.Row) error {
			n += len(search.passed(rows))
			return nil
		})
		return n, err
	}
	err := s.Moment(ctx, "counting games", func(m Moment) error {
		inventory, err := tables.WholeInventory(ctx, m.Q, runID)
		n = inventory.Pairs() * inventory.Legs()
		return err
	})
	return n, err
}

// narrows reports whether the search has a condition besides the pair range.
func (s Search) narrows() bool {
	s.Pairs, s.After, s.Before, s.Limit = nil, nil, nil, 0
	return s != Search{}
}

// pairs returns the range of pair numbers that the search must read.
func (s Search) pairs() pairRange {
	r := Filter{}.all()
	if s.Pairs != nil {
		r.first, r.end = int64(s.Pairs[0]), int64(s.Pairs[1])
		if r.end < math.MaxInt64 {
			r.end++
		}
	}
	if s.After != nil {
		r.first = max(r.first, int64(s.After.Pair))
	}
	if s.Before != nil && int64(s.Before.Pair) < math.MaxInt64 {
		r.end = min(r.end, int64(s.Before.Pair)+1)
	}
	r.first = max(0, r.first)
	return r
}

// filter returns the Filter that selects this range of pairs.
func (r pairRange) filter() Filter {
	f := Filter{FromPair: int(r.first)}
	if r.end < math.MaxInt64 {
		f.Pairs = int(max(0, r.end-r.first))
	}
	return f
}

// passed returns those rows that the search selects. It ignores the limit.
func (s Search) passed(rows []match.Row) []match.Row {
	var passed []match.Row
	for i := range rows {
		if s.passes(&rows[i]) {
			passed = append(passed, rows[i])
		}
	}
	return passed
}

// passes reports whether the search selects a game, apart from the pair range. It tests rows whose checksums
// were verified; a condition in SQL could skip a damaged row.
func (s Search) passes(g *match.Row) bool {
	place := func(p *GamePlace) int { return cmp.Or(cmp.Compare(g.Pair, p.Pair), cmp.Compare(g.Leg, p.Leg)) }
	switch {
	case s.Player != "" && !s.played(g),
		s.Termination != match.NotEnded && g.Termination != s.Termination,
		s.Opening != "" && g.OpeningID != s.Opening,
		s.Faults && !g.Termination.IsFault(),
		s.Marked && !g.Marked,
		s.MinPlies > 0 && g.Plies < s.MinPlies,
		s.MaxPlies > 0 && g.Plies > s.MaxPlies,
		s.Pairs != nil && (g.Pair < s.Pairs[0] || g.Pair > s.Pairs[1]),
		s.After != nil && place(s.After) <= 0,
		s.Before != nil && place(s.Before) >= 0:
		return false
	}
	winner := ""
	switch g.Outcome {
	case match.BlackWins:
		winner = g.Black
	case match.WhiteWins:
		winner = g.White
	case match.Draw, match.Unfinished:
	}
	switch s.Result {
	case "black", "white", "draw":
		return g.Outcome.String() == s.Result
	case "win":
		return winner == s.Player
	case "loss":
		return winner != "" && winner != s.Player
	}
	return true
}

// played reports whether Player of the search plays the game with the requested colour.
func (s Search) played(g *match.Row) bool {
	switch {
	case s.Colour == nil:
		return g.Black == s.Player || g.White == s.Player
	case *s.Colour == shogi.Black:
		return g.Black == s.Player
	}
	return g.White == s.Player
}

// RunName has the name and the players of a run, for a search by name. Unlike Runs and FindRun, RunNames does not
// verify the run.
type RunName struct {
	ID      int64
	Name    string
	Players []string // in plan order
}

// RunNames returns the names of all runs, the latest first. known is an earlier result, or nil. The players of a run
// never change, and a later run has a greater ID, so RunNames reads only the players of later runs.
func (s *Store) RunNames(ctx context.Context, known []RunName) ([]RunName, error) {
	players, last := map[int64][]string{}, int64(0)
	for _, n := range known {
		players[n.ID], last = n.Players, max(last, n.ID)
	}
	err := tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		var run int64
		var name string
		err := rows.Scan(&run, &name)
		players[run] = append(players[run], name)
		return err
	}, "SELECT run_id, name FROM engines WHERE run_id > ? ORDER BY run_id, idx", last)
	if err != nil {
		return nil, s.fail("reading the names of the runs", err)
	}
	list, err := tables.List(ctx, s.read, func(rows *sql.Rows, n *RunName) error {
		err := rows.Scan(&n.ID, &n.Name)
		n.Players = players[n.ID]
		return err
	}, "SELECT id, name FROM runs ORDER BY id DESC")
	if err != nil {
		return nil, s.fail("reading the names of the runs", err)
	}
	return list, nil
}

// Stamp identifies the state of a run's games and settings at one moment. If two Stamps of a run are equal, its
// games and settings have not changed, and a caller may reuse values that it calculated from them. A Stamp is only
// useful for comparison.
type Stamp struct {
	run, pairs, lastGame, lastSetting, voided int64

	name        string
	provisional string // Setting.Provisional
	tags        string // Setting.Tags as JSON
}

// Stamp returns the current Stamp of a run.
func (s *Store) Stamp(ctx context.Context, runID int64) (Stamp, error) {
	t := Stamp{run: runID}
	err := s.read.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM pairs WHERE run_id = ?1),
		(SELECT coalesce(max(id), 0) FROM games WHERE run_id = ?1),
		(SELECT coalesce(max(id), 0) FROM settings_log WHERE run_id = ?1),
		(SELECT count(*) FROM voided WHERE run_id = ?1),
		coalesce((SELECT json_extract(settings, '$.provisional') FROM settings_log WHERE run_id = ?1 ORDER BY id DESC LIMIT 1), ''),
		coalesce((SELECT json_extract(settings, '$.tags') FROM settings_log WHERE run_id = ?1 ORDER BY id DESC LIMIT 1), ''),
		coalesce((SELECT name FROM runs WHERE id = ?1), '')`, runID).
		Scan(&t.pairs, &t.lastGame, &t.lastSetting, &t.voided, &t.provisional, &t.tags, &t.name)
	if err != nil {
		return t, s.fail("reading the state of a run", err)
	}
	return t, nil
}
