package evidence

import (
	"context"
	"regexp"
	"slices"

	"gogi/match"
	"gogi/match/gate"
	"gogi/results"
	"gogi/stats"
)

// A Question selects stored pairs: those between players with these keys, under conditions with this key.
type Question struct {
	Players    []match.Key
	Sent       bool // Players are keys of the sent options, see match.PlayerKeys
	Conditions match.Key
	Before     *results.RunInfo // only pairs of older runs that ended before this run began; nil: all pairs
}

// Stored has the stored pairs of two players, each pair once. Pairs with a time limit are apart for each session.
type Stored struct {
	A, B     int             // indexes in Question.Players, A < B
	Session  string          // see SessionOf; "": no player has a time limit
	Series   stats.Series    // from A's point of view; an opening that recurs is one observation
	Openings map[uint64]bool // by Opening.Hash
}

// SessionOf returns the session of a run: the name of the run. The blocks of a hunt (NAME-001, NAME-002, …) follow each
// other on one machine, so they are one session, NAME. A resumed run is one session, too.
func SessionOf(run string) string { return block.ReplaceAllString(run, "") }

var block = regexp.MustCompile(`-\d{3}$`)

// FindStored returns the stored pairs between each two players, in the order in which they first played. It leaves
// out pairs without swapped colours, and pairs that repeat an earlier one move for move. These include the pairs that
// an earlier version of gogi copied from another run.
//
// With a time limit the strength of players depends on the machine and its load. FindStored returns such pairs for each
// session apart ([stats.Bridge]). It leaves out those that a worker of a farm played, and those with a move that the
// machine delayed. The database does not have the machine of other pairs.
func FindStored(ctx context.Context, store *results.Store, q Question) (list []*Stored, err error) {
	index := map[match.Key]int{}
	for i, key := range q.Players {
		index[key] = i
	}
	type content struct {
		a, b    int
		opening uint64
		games   [2]uint64
	}
	type place struct {
		a, b    int
		session string
	}
	found, seen := map[place]*Stored{}, map[content]bool{}
	add := func(a, b int, session string, play stats.Play, opening uint64) error {
		if a > b {
			a, b, play = b, a, play.Mirror()
		}
		c := content{a, b, opening, play.Print()}
		if seen[c] {
			return nil
		}
		seen[c] = true
		at := place{a, b, session}
		s := found[at]
		if s == nil {
			s = &Stored{A: a, B: b, Session: session, Openings: map[uint64]bool{}}
			found[at], list = s, append(list, s)
		}
		s.Openings[opening] = true
		_, err := s.Series.Add(play)
		return err
	}
	err = eachRun(ctx, store, q.Conditions, func(info *results.RunInfo, plan *match.CanonicalPlan) error {
		if q.Before != nil && info.ID >= q.Before.ID {
			return nil
		}
		players, timed := map[string]int{}, map[string]bool{}
		for at, e := range info.Engines {
			timed[e.Name] = plan.Timed(at)
			key := info.Keys(plan, at).Exact
			if q.Sent {
				key = info.Keys(plan, at).Sent
			}
			if i, wanted := index[key]; wanted {
				players[e.Name] = i
			}
		}
		if len(players) < 2 {
			return nil
		}
		return store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
			a, knownA := players[rows[0].PairA]
			b, knownB := players[rows[0].PairB]
			late := q.Before != nil && !rows[len(rows)-1].Ended.Before(q.Before.Created)
			if !knownA || !knownB || a == b || len(rows) != 2 || late {
				return nil
			}
			session := ""
			if timed[rows[0].PairA] || timed[rows[0].PairB] {
				if slices.ContainsFunc(rows, func(r match.Row) bool { return r.Worker != "" || r.Marked }) {
					return nil
				}
				session = SessionOf(info.Name)
			}
			return add(a, b, session, gate.OfRows(rows), rows[0].OpeningHash)
		})
	})
	return list, err
}

// eachRun calls yield for each run with these conditions, oldest first. It leaves out tunes and self-play.
func eachRun(ctx context.Context, store *results.Store, conditions match.Key,
	yield func(*results.RunInfo, *match.CanonicalPlan) error) error {
	infos, err := store.Runs(ctx)
	if err != nil {
		return err
	}
	for i := range infos {
		plan, err := infos[i].ParsePlan()
		if err != nil {
			return err
		}
		if plan.Conditions() != conditions || len(plan.Tune) > 0 || plan.Design == match.DesignSelfplay {
			continue
		}
		if err := yield(&infos[i], plan); err != nil {
			return err
		}
	}
	return nil
}
