package evidence_test

import (
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results/evidence"
	"gogi/results/resultstest"
)

// Stored pairs of two players are found under any names and in any order of the players, each pair once.
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
	q := evidence.Question{Conditions: canonical.Conditions(), Players: []match.Key{one.Keys(0).Exact, {1}, one.Keys(1).Exact}}
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
	// Before a run: only older runs, and only their pairs that ended before it began.
	copied := *testutil.Must(s.FindRun(t.Context(), "copy"))(t)
	q.Before = &copied
	copied.Created = time.Now().Add(time.Hour)
	testutil.Equal(t, find().Series.Pairs(), 4, "pairs of the older run")
	copied.Created = time.Unix(0, 0)
	testutil.Equal(t, len(testutil.Must(evidence.FindStored(t.Context(), s, q))(t)), 0, "pairs that ended later")
	q.Before = &first
	testutil.Equal(t, len(testutil.Must(evidence.FindStored(t.Context(), s, q))(t)), 0, "pairs of the run itself")
}
