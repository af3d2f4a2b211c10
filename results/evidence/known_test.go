package evidence_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/results/evidence"
	"gogi/results/resultstest"
	"gogi/shogi"
)

// find returns the known pairs of a plan.
func find(t *testing.T, s *results.Store, plan *match.Plan) *evidence.Known {
	t.Helper()
	return testutil.Must(evidence.FindKnown(t.Context(), s, plan, nil))(t)
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

// TestFindKnown: a pair is known if an earlier run has both its games, in any order and under any names.
func TestFindKnown(t *testing.T) {
	t.Parallel()
	s := resultstest.Open(t, resultstest.Path(t))
	one := eightPairs("one", func(*match.Plan) {})
	info := played(t, s, one, 0, 2, 3, 7)
	same := func(*match.Plan) {}
	for name, c := range map[string]struct {
		change func(*match.Plan)
		known  int
	}{
		"equal":   {same, 3},
		"names":   {func(p *match.Plan) { p.Players[0].Name, p.Players[1].Name = "x", "y" }, 3},
		"order":   {func(p *match.Plan) { slices.Reverse(p.Players) }, 3},
		"nodes":   {func(p *match.Plan) { p.Players[1].Limits.Nodes++ }, 0},
		"option":  {func(p *match.Plan) { p.Players[1].Effect[0].Value = "2" }, 0},
		"rules":   {func(p *match.Plan) { p.Rules.MaxPlies++ }, 0},
		"shorter": {func(p *match.Plan) { p.Pairs = 3 }, 2},
	} {
		k := find(t, s, eightPairs("two", c.change))
		testutil.Equal(t, len(k.Pairs), c.known, "%s: %v", name, k.Pairs)
	}
	testutil.Equal(t, len(find(t, s, one).Pairs), 0, "the run itself")
	reversed := eightPairs("two", func(p *match.Plan) { slices.Reverse(p.Players) })
	k := find(t, s, reversed)
	run := resultstest.Begin(t, s, reversed)
	for _, id := range k.Pairs {
		pair := testutil.Must(k.Result(t.Context(), id))(t)
		testutil.Check(t, testutil.Must(run.AddReused(t.Context(), pair, k.Sources(id)))(t), "pair %d was stored before", id)
	}
	testutil.OK(t, run.Close())
	two := *testutil.Must(s.FindRun(t.Context(), "two"))(t)
	testutil.Equal(t, len(testutil.Must(s.Reused(t.Context(), two.ID))(t)), 3)
	testutil.Equal(t, len(testutil.Must(s.Reused(t.Context(), info.ID))(t)), 0)
	// A reused pair is no source, even if its source is voided. A run without the proof of repetition is no source
	// either.
	again := resultstest.Begin(t, s, one)
	testutil.Must(again.Void(t.Context(), "test", "me", func(r match.Row) bool { return r.Pair == 0 }))(t)
	testutil.OK(t, again.Close())
	third := find(t, s, eightPairs("three", same))
	testutil.Check(t, len(third.Pairs) == 2 && third.Sources(third.Pairs[0])[0].Run == "one", "%v", third.Sources(third.Pairs[0]))
	played(t, s, eightPairs("unproved", func(p *match.Plan) { p.Players[0].Repeats, p.Players[0].Limits.Nodes = false, 77 }), 0)
	testutil.Equal(t, len(find(t, s, eightPairs("x", func(p *match.Plan) { p.Players[0].Limits.Nodes = 77 })).Pairs), 0)
	k.Drop(0)
	testutil.Equal(t, len(k.Pairs), 0)
}

// TestSampleMisses: a sample of m of n pairs misses all f·n wrong pairs about as often as (1-f)^m.
func TestSampleMisses(t *testing.T) {
	t.Parallel()
	const n, m, f, seeds = 100, 10, 0.2, 4000
	plan := planOf("x", func(*match.Plan) {})
	missed := 0
	for seed := range seeds {
		plan.Seed = uint64(seed)
		k := evidence.KnownOf(plan, n)
		wrong := slices.ContainsFunc(k.Sample(m), func(id int) bool { return id < f*n })
		if !wrong {
			missed++
		}
	}
	want := math.Pow(1-f, m) // 0.107; without replacement it is 0.095
	got := float64(missed) / seeds
	testutil.Check(t, got > want-0.03 && got < want+0.02, "%.3f of the samples miss, %.3f expected", got, want)
	testutil.Equal(t, len(evidence.KnownOf(plan, 3).Sample(m)), 3)
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
