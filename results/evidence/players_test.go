package evidence_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/evidence"
	"gogi/results/resultstest"
	"gogi/shogi"
)

// known gives all players options in effect.
func known(p *match.Plan) {
	for i := range p.Players {
		p.Players[i].Effect = []match.Option{{Name: "Threads", Value: "1"}}
	}
}

// played stores the pairs with these numbers of a plan, and returns the run. The games of pair 7 end by a crash, the
// others without a fault.
func played(t *testing.T, s *results.Store, plan *match.Plan, ids ...int) results.RunInfo {
	t.Helper()
	run := resultstest.Begin(t, s, plan)
	for _, id := range ids {
		pair := matchtest.Pair(plan, id, 20)
		for leg := range pair.Games {
			g := &pair.Games[leg]
			if g.Marked = false; g.Termination == match.Crash || id == 7 {
				g.Verdict = match.Verdict{Outcome: match.WhiteWins, Termination: match.Resignation}
			}
			if id == 7 {
				g.Termination = match.Crash
			}
		}
		matchtest.Put(t, run, pair)
	}
	testutil.OK(t, run.Close())
	return *testutil.Must(s.FindRun(t.Context(), plan.Run))(t)
}

func planOf(name string, change func(*match.Plan)) *match.Plan {
	p := matchtest.Plan(name)
	known(p)
	change(p)
	return p
}

func TestPlayers(t *testing.T) {
	t.Parallel()
	s := resultstest.Open(t, filepath.Join(t.TempDir(), "x.db"))
	nodes := func(p *match.Plan) { p.Players[0].Limits.Nodes = 600 }
	x1 := played(t, s, planOf("x1", func(*match.Plan) {}))
	x2 := played(t, s, planOf("x2", nodes))
	labels := func(infos ...results.RunInfo) (list []string) {
		for _, p := range testutil.Must(evidence.PlayersOf(infos))(t).List {
			list = append(list, p.Label)
		}
		return list
	}
	a, b := matchtest.Plan("x").Players[0].Name, matchtest.Plan("x").Players[1].Name
	plan := planOf("x2", nodes)
	testutil.Slices(t, labels(x1, x2),
		[]string{a + "@" + planOf("x1", func(*match.Plan) {}).Keys(0).Exact.Short(), b, a + "@" + plan.Keys(0).Exact.Short()})
	testutil.Slices(t, labels(x1), []string{a, b})
	// If the options in effect are unknown, the only player with the same sent options is the same player.
	old := played(t, s, planOf("old", func(p *match.Plan) { p.Players[0].Effect, p.Players[1].Effect = nil, nil }))
	testutil.Equal(t, resultstest.Dump(t, s, "old", true), resultstest.Dump(t, s, "x1", true))
	players := testutil.Must(evidence.PlayersOf([]results.RunInfo{old, x1}))(t).List
	testutil.Check(t, len(players) == 2 && !players[0].Inferred, "%+v", players)
	x3 := played(t, s, planOf("x3", func(p *match.Plan) { p.Players[0].Effect[0].Value = "2" }))
	players = testutil.Must(evidence.PlayersOf([]results.RunInfo{old, x1, x3}))(t).List
	testutil.Check(t, len(players) == 4 && players[0].Inferred, "two programs fit: %+v", players)
	// Equal players of one run stay two players, and their names count in all runs.
	twins := func(name string, names ...string) results.RunInfo {
		return played(t, s, planOf(name, func(p *match.Plan) {
			p.Players[1] = p.Players[0]
			p.Players[0].Name, p.Players[1].Name = names[0], names[1]
		}))
	}
	testutil.Slices(t, labels(twins("t1", "p", "q"), twins("t2", "q", "p")), []string{"p", "q"})
}

// eightPairs returns a plan of eight pairs with different openings, after change.
func eightPairs(name string, change func(*match.Plan)) *match.Plan {
	return planOf(name, func(p *match.Plan) {
		p.Openings, p.Pairs = nil, 8
		start := shogi.StartPos()
		for i, m := range start.LegalMoves(nil)[:8] {
			p.Openings = append(p.Openings, match.Opening{ID: strconv.Itoa(i), Start: "startpos", Moves: []shogi.Move{m}})
		}
		change(p)
	})
}

// TestOlderDatabases: databases of earlier schemas have no reused pairs, and their players have inferred keys.
func TestOlderDatabases(t *testing.T) {
	t.Parallel()
	path := resultstest.Filled(t, "r", []int{0, 1}, func(*match.Plan) {})
	for _, version := range []int{1, 4, 9} {
		s := resultstest.Existing(t, resultstest.Older(t, path, version))
		info := *testutil.Must(s.FindRun(t.Context(), "r"))(t)
		testutil.Equal(t, len(testutil.Must(s.Reused(t.Context(), info.ID))(t)), 0, "schema %d", version)
		players := testutil.Must(evidence.PlayersOf([]results.RunInfo{info}))(t).List
		testutil.Check(t, len(players) == 2 && players[0].Inferred, "schema %d: %+v", version, players)
	}
}
