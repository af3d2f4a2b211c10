// Package evidence reads the results of many runs by player and conditions, so that names of runs and players do not
// matter. [Read] returns the counts of distinct pairs. [PlayersOf] finds the players of runs, for callers that
// read the pairs themselves. [match.Key] defines equal players and equal conditions.
package evidence

import (
	"context"
	"fmt"
	"slices"

	"gogi/match"
	"gogi/match/gate"
	"gogi/results"
	"gogi/stats"
)

// Class is the kind of environment in which games were played.
type Class string

// The classes.
const (
	// ClassExact has games that any machine repeats move by move: fixed nodes or depth, one thread, no GPU, and a
	// start that proved that the player repeats its games.
	ClassExact Class = "exact"
	// ClassSession has all other games. The games of two runs may differ by the machine and its load.
	ClassSession Class = "session"
)

// Row has the results of two players in one run under one kind of conditions.
type Row struct {
	A, B       int       // indices of the players in Evidence.Players, A < B
	Conditions match.Key // see match.CanonicalPlan.Conditions
	Class      Class
	Run        string      // name of the run, which counts as one session
	Tally      stats.Tally // distinct pairs from the view of A, with their pentanomial counts
	Copies     int         // pairs that repeat an earlier pair of these players under these conditions move by move
}

// Evidence has the players of several runs and their results.
type Evidence struct {
	Players []Player
	Rows    []Row // in the order of the runs, and then of the first pair
}

// Read reads the pairs of runs. It counts a pair only once: a pair whose games have the moves and colours of an
// earlier pair of the same two players and conditions is a copy. want selects the pairings to read; nil selects
// all. Read skips tunes, self-play, unfinished games and runs without a wanted pairing.
func Read(ctx context.Context, store *results.Store, infos []results.RunInfo, want func(a, b *Player) bool) (*Evidence, error) {
	players, err := PlayersOf(infos)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Players: players.List}
	seen := map[print]bool{}
	for i := range infos {
		info := &infos[i]
		plan, err := info.ParsePlan()
		if err != nil {
			return nil, err
		}
		r := &reader{
			Evidence: e, seen: seen, want: want, run: info, conditions: plan.Conditions(), of: players.Numbers(info), rows: map[[2]int]int{},
		}
		if len(plan.Tune) > 0 || plan.Design == match.DesignSelfplay || !r.wanted() {
			continue
		}
		if err := store.Pairs(ctx, info.ID, results.Filter{}, r.add); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// reader counts the pairs of one run.
type reader struct {
	*Evidence

	seen       map[print]bool
	want       func(a, b *Player) bool
	run        *results.RunInfo
	conditions match.Key
	of         map[string]int // index in Players by the name in the run
	rows       map[[2]int]int // index in Rows by players
}

// print identifies the games of a pair: hashes of the moves of its two games. The first is the game in which a has
// Black.
type print struct {
	a, b       int
	conditions match.Key
	games      [2]uint64
}

// wanted reports whether want accepts at least one pairing of the run's players.
func (r *reader) wanted() bool {
	for _, a := range r.of {
		for _, b := range r.of {
			if r.pairing(a, b) {
				return true
			}
		}
	}
	return false
}

func (r *reader) pairing(a, b int) bool {
	return a != b && (r.want == nil || r.want(&r.Players[min(a, b)], &r.Players[max(a, b)]))
}

func (r *reader) class(g *match.Row) Class {
	for _, e := range r.run.Engines {
		if (e.Name == g.PairA || e.Name == g.PairB) && !e.Repeats {
			return ClassSession
		}
	}
	return ClassExact
}

func (r *reader) add(rows []match.Row) error {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(g match.Row) bool { return g.Outcome == match.Unfinished }) {
		return nil
	}
	a, b := r.of[rows[0].PairA], r.of[rows[0].PairB]
	if !r.pairing(a, b) {
		return nil
	}
	play := gate.OfRows(rows)
	if a > b {
		a, b, play = b, a, play.Mirror()
	}
	at, known := r.rows[[2]int{a, b}]
	if !known {
		at = len(r.Rows)
		r.rows[[2]int{a, b}] = at
		r.Rows = append(r.Rows, Row{A: a, B: b, Conditions: r.conditions, Class: r.class(&rows[0]), Run: r.run.Name})
	}
	key := print{a: a, b: b, conditions: r.conditions, games: play.Print()}
	if r.seen[key] {
		r.Rows[at].Copies++
		return nil
	}
	r.seen[key] = true
	if err := r.Rows[at].Tally.Add(play.Pair); err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, r.run.Name, err)
	}
	return nil
}
