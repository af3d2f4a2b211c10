package evidence_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/evidence"
	"gogi/results/resultstest"
)

// TestFindStored: gogi finds the stored pairs of two players under any names and in any order of the players, each pair
// once.
func TestFindStored(t *testing.T) {
	t.Parallel()
	s := resultstest.Open(t, resultstest.Path(t))
	one := eightPairs("one", func(*match.Plan) {})
	first := played(t, s, one, 0, 1, 2, 3)
	played(t, s, eightPairs("copy", func(p *match.Plan) { p.Players[0].Name, p.Players[1].Name = "x", "y" }), 0, 1, 2, 4)
	played(t, s, eightPairs("nodes", func(p *match.Plan) { p.Players[1].Limits.Nodes++ }), 5)
	played(t, s, eightPairs("option", func(p *match.Plan) { p.Players[1].Effect[0].Value = "2" }), 5)
	played(t, s, eightPairs("rules", func(p *match.Plan) { p.Rules.MaxPlies++ }), 5)
	canonical := testutil.Must(match.ParseCanonical(one.Canonical()))(t)
	q := evidence.Question{Conditions: canonical.Conditions(),
		Players: []match.Key{one.Keys(0).Exact, {1}, one.Keys(1).Exact}}
	find := func() *evidence.Stored {
		list := testutil.Must(evidence.FindStored(t.Context(), s, q))(t)
		testutil.Equal(t, len(list), 1, "players that met")
		testutil.Check(t, list[0].A == 0 && list[0].B == 2, "%d, %d", list[0].A, list[0].B)
		return list[0]
	}
	all := find()
	testutil.Equal(t, all.Series.Pairs(), 5, "pairs 0 to 4, each once")
	testutil.Equal(t, len(all.Openings), 5)
	slices.Reverse(q.Players)
	reversed := find()
	testutil.Equal(t, reversed.Series.Scores().Mean(), 1-all.Series.Scores().Mean(), "the score of the other player")
	testutil.Check(t, all.Series.Scores().Mean() != 0.5, "an even score shows nothing")
	q.Players, q.Sent = []match.Key{one.Keys(0).Sent, {1}, one.Keys(1).Sent}, true
	testutil.Equal(t, find().Series.Pairs(), 6, "with other options in effect")
	q.Players, q.Sent = []match.Key{one.Keys(0).Exact, {1}, one.Keys(1).Exact}, false
	// With Before, only pairs of older runs that ended before this run began are found.
	copied := *testutil.Must(s.FindRun(t.Context(), "copy"))(t)
	q.Before = &copied
	copied.Created = time.Now().Add(time.Hour)
	testutil.Equal(t, find().Series.Pairs(), 4, "pairs of the older run")
	copied.Created = time.Unix(0, 0)
	testutil.Equal(t, len(testutil.Must(evidence.FindStored(t.Context(), s, q))(t)), 0, "pairs that ended later")
	q.Before = &first
	testutil.Equal(t, len(testutil.Must(evidence.FindStored(t.Context(), s, q))(t)), 0, "pairs of the run itself")
}

// TestFindStoredTimed: with a time limit, the stored pairs of each session are separate. Pairs of a farm's worker, and
// pairs with a machine-induced delay, do not count.
func TestFindStoredTimed(t *testing.T) {
	t.Parallel()
	s := resultstest.Open(t, resultstest.Path(t))
	timed := func(p *match.Plan) { p.Players[1].Limits = match.Limits{MoveTime: time.Second} }
	one := eightPairs("one", timed)
	played(t, s, one, 0, 1)
	played(t, s, eightPairs("lost-001", timed), 2)
	played(t, s, eightPairs("lost-002", timed), 3, 0) // 0 is a copy
	played(t, s, eightPairs("2026-11-28", timed), 4)
	played(t, s, eightPairs("slower",
		func(p *match.Plan) { p.Players[1].Limits = match.Limits{MoveTime: 2 * time.Second} }), 5)
	other := eightPairs("other", timed)
	run := resultstest.Begin(t, s, other)
	for id, change := range []func(*match.PairResult){
		func(p *match.PairResult) { p.Played.Worker = "w" }, func(p *match.PairResult) { p.Games[1].Marked = true },
	} {
		pair := matchtest.Pair(other, id+5, 20)
		for leg := range pair.Games {
			pair.Games[leg].Marked = false
			pair.Games[leg].Verdict = match.Verdict{Outcome: match.WhiteWins, Termination: match.Resignation}
		}
		change(&pair)
		matchtest.Put(t, run, pair)
	}
	testutil.OK(t, run.Close())
	canonical := testutil.Must(match.ParseCanonical(one.Canonical()))(t)
	q := evidence.Question{Conditions: canonical.Conditions(), Players: []match.Key{one.Keys(0).Exact, one.Keys(1).Exact}}
	pairs := map[string]int{}
	for _, stored := range testutil.Must(evidence.FindStored(t.Context(), s, q))(t) {
		pairs[stored.Session] += stored.Series.Pairs()
	}
	testutil.Equal(t, fmt.Sprint(pairs), "map[2026-11-28:1 lost:2 one:2]")
}
